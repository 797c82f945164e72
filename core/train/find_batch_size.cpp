// SPDX-License-Identifier: Apache-2.0
#include "core/train/find_batch_size.h"

#include <algorithm>
#include <new>

#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "core/check/class_weights.h"
#include "core/train/feeder.h"
#include "core/train/network.h"
#include "core/train/plan.h"
#include "gpu/base/clock.h"
#include "gpu/devices/simulated_step.h"

namespace strata {

namespace {

// Number of timed steps after a warm-up step
constexpr int kBatchTrials = 3;
// Throughputs that differ by at most this fraction count as equal.
constexpr double kNearlyEqual = 0.05;

TriedBatch tryBatch(const Project& project, const Dataset& dataset, const FindBatchRequest& request,
                    int64_t batch, int trials) {
  TriedBatch tried;
  tried.batchSize = batch;
  NetworkOptions options;
  options.device = request.device;
  options.threads = request.threads;
  options.niceness = request.niceness;
  options.batchSize = batch;
  options.classWeights = classWeightsOf(CheckedProject(project).recipe(), dataset);
  options.memoryLimitBytes = request.memoryLimitBytes;
  options.stop = request.stop;
  try {
    Network network(project, options);
    network.prepare({batch}, {}, &dataset);
    tried.plannedBytes = network.plannedPeakBytes();
    network.state().initialize(network.steps().training().seed, &dataset);
    Feeder batches(network, dataset, network.steps().training().isShuffled);
    const uint64_t seed = network.steps().training().seed;
    for (int trial = 0; trial <= trials; ++trial) {
      const auto started = Clock::now();
      std::chrono::nanoseconds predicted{0};
      std::vector<Ticket> tickets;
      const auto place = [&](const MicroBatch& piece) -> Program& {
        Program& program = batches.place(seed, 1, 0, piece);
        setStep(program, trial + 1, network.steps().training().learningRateAt(trial + 1), seed,
                piece.offset, static_cast<double>(piece.samples) / static_cast<double>(batch));
        return program;
      };
      network.setUpdate({trial + 1, network.steps().training().learningRateAt(trial + 1), seed});
      network.submit(batches.microBatchesOf(0), place, request.stop, tickets);
      for (Ticket& ticket : tickets) {
        if (ticket.wait() == StepOutcome::Stopped)
          throw Error(ErrorCode::Stopped, "batch size", "the search was stopped.");
        for (const auto phase : ticket.phases())
          predicted += phase;
        const Program& program = ticket.program();
        if (Device& device = network.steps().device(); device.isSimulated())
          predicted += transferTime(program.graph(), program.memory(), device);
      }
      // The times of a simulated card are predicted
      const double microseconds = network.steps().device().isSimulated()
                                      ? 1e-3 * static_cast<double>(predicted.count())
                                      : 1e6 * secondsSince(started);
      tried.stepMicroseconds =
          trial <= 1 ? microseconds : std::min(tried.stepMicroseconds, microseconds);
    }
    tried.peakBytes = network.allocatedBytes();
    tried.samplesPerSecond =
        tried.stepMicroseconds > 0 ? 1e6 * static_cast<double>(batch) / tried.stepMicroseconds : 0;
  }
  catch (const Error& error) {
    if (error.code() != ErrorCode::OutOfMemory) throw;
    tried.problem = error.line();
  }
  catch (const std::bad_alloc&) {
    tried.problem = "out of memory";
  }
  return tried;
}

}  // namespace

FoundBatch findBatchSize(const CheckedProject& project, const FindBatchRequest& request,
                         const std::function<void(const TriedBatch&)>& onTried) {
  PlanOptions plan;
  plan.device = request.device;
  plan.threads = request.threads;
  plan.niceness = request.niceness;
  plan.memoryLimitBytes = request.memoryLimitBytes;
  plan.measuresStepTime = false;
  plan.stop = request.stop;
  const TrainingPlan planned = planTraining(project, plan);
  FoundBatch found;
  found.limitBytes = planned.limitBytes;
  found.largestPlanned = planned.largestBatch;
  if (!found.largestPlanned) return found;
  const Project& own = planned.project;
  const auto dataset = loadDataset(own);
  // A batch never contains the same sample twice.
  const int64_t most = std::min(*found.largestPlanned, dataset->trainCount);
  std::vector<int64_t> sizes;
  for (int64_t size = std::min<int64_t>(8, most); size < most; size *= 2)
    sizes.push_back(size);
  sizes.push_back(most);
  const auto started = Clock::now();
  for (const int64_t size : sizes) {
    const bool isLate = secondsSince(started) > request.seconds;
    if (isLate && size != sizes.back()) continue;
    found.tried.push_back(tryBatch(own, *dataset, request, size, isLate ? 0 : kBatchTrials));
    const TriedBatch& tried = found.tried.back();
    if (onTried) onTried(tried);
    if (!tried.problem.empty()) break;
    found.largestConfirmed = size;
  }
  double best = 0;
  for (const TriedBatch& tried : found.tried)
    best = std::max(best, tried.samplesPerSecond);
  for (const TriedBatch& tried : found.tried)
    if (!found.fastest && tried.problem.empty() &&
        tried.samplesPerSecond >= (1 - kNearlyEqual) * best)
      found.fastest = tried.batchSize;
  return found;
}

}  // namespace strata
