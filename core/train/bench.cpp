// SPDX-License-Identifier: Apache-2.0
#include "core/train/bench.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>

#include "core/cost/simulated_card.h"
#include "core/interchange/safetensors.h"
#include "core/train/device_plan.h"
#include "core/train/feeder.h"

#include "core/check/checked_project.h"
#include "core/check/class_weights.h"
#include "core/train/network.h"
#include "gpu/base/clock.h"
#include "gpu/base/tries.h"
#include "gpu/cost/card_clock.h"
#include "gpu/devices/device_name.h"
#include "gpu/devices/simulated_step.h"
#include "gpu/graph/op.h"

namespace strata {

namespace {

constexpr int64_t kMaxBatches = 8;
constexpr int64_t kProfiledSteps = 20;

/// Batches in memory. A step receives their addresses, so that only forward, backward and update
/// are timed.
class Rotation {
 public:
  Rotation(Network& network, const Dataset& dataset)
      : m_count(
            std::clamp<int64_t>(dataset.trainCount / network.steps().batchSize(), 1, kMaxBatches)),
        m_batches(network, m_count) {
    const int64_t batch = network.steps().batchSize();
    const std::vector<int32_t> order =
        epochOrder(network.steps().training().seed, 1, dataset.trainCount,
                   network.steps().training().isShuffled);
    for (int64_t i = 0; i < m_count; ++i)
      network.arrays().gatherInto(m_batches.placesOf(i), *dataset.train, dataset.transforms,
                                  order.data() + i * batch, batch);
  }
  void place(Program& program) { m_batches.bind(program, m_next++ % m_count); }

 private:
  int64_t m_count = 1, m_next = 0;
  BatchMemory m_batches;
};

void throwIfStopped(const BenchOptions& options) {
  if (options.stop.stop_requested())
    throw Error(ErrorCode::Stopped, options.device, "the measurement was stopped");
}

/// Times windows of steps. timeSteps(count) runs steps and returns their seconds.
void measureWindows(const BenchOptions& options, const std::function<double(int64_t)>& timeSteps,
                    BenchReport& report) {
  // The warm-up determines the number of steps per window.
  int64_t perWindow = 1;
  double seconds = timeSteps(1);
  while (seconds < options.windowSeconds / 4) {
    throwIfStopped(options);
    perWindow =
        std::max(perWindow * 2,
                 static_cast<int64_t>(options.windowSeconds / 3 /
                                      std::max(1e-9, seconds / static_cast<double>(perWindow))));
    seconds = timeSteps(perWindow);
  }
  perWindow = std::max<int64_t>(
      1, static_cast<int64_t>(
             std::ceil(1.1 * options.windowSeconds * static_cast<double>(perWindow) / seconds)));
  const auto measured = Clock::now();
  std::vector<double> means;
  while (static_cast<int>(means.size()) < options.windows) {
    int64_t count = 0;
    double time = 0;
    // If the machine has become faster, more steps are needed to fill the window.
    while (time < options.windowSeconds) {
      throwIfStopped(options);
      time += timeSteps(perWindow);
      count += perWindow;
    }
    means.push_back(time / static_cast<double>(count) * 1e6);
  }
  report.wallSeconds = secondsSince(measured);
  std::sort(means.begin(), means.end());
  report.stepMicrosecondsMin = means.front();
  report.stepMicrosecondsMax = means.back();
  const size_t middle = means.size() / 2;
  report.stepMicrosecondsMedian =
      means.size() % 2 == 1 ? means[middle] : (means[middle - 1] + means[middle]) / 2;
}

/// Fills the times of a simulated card by its clock. `programs` are those of an update.
void predictTimes(const std::vector<const Program*>& programs, const StepBuilder& steps,
                  BenchReport& report) {
  const CatalogueDevice& card = *readSimulatedName(report.device).match.devices.front();
  const DeviceLimits limits = limitsOfCard(card, steps.execution().precision);
  report.isPredicted = true;
  report.limits = {limits.productFlopsPerSecond,
                   {static_cast<double>(card.memoryBytes), limits.bytesPerSecond}};
  std::array<double, 3> phases{};
  double total = 0;
  for (const Program* program : programs) {
    std::map<int, std::string> implementations;
    for (const ProfileRow& row : program->profile())
      implementations[row.node.index] = row.implementation;
    const StepPrediction prediction =
        predictSimulatedStep(program->graph(), program->memory(), steps.device());
    total += prediction.seconds;
    for (const NodePrediction& predicted : prediction.nodes) {
      const Node& node = program->graph().node(predicted.node);
      const Cost cost = costOf(program->graph(), node);
      report.byOp.push_back({std::string(node.op->name), node.layer,
                             implementations[predicted.node.index], 1,
                             microsecondsOf(predicted.seconds), cost.flops, cost.bytes});
      report.flops += cost.flops;
      report.bytes += cost.bytes;
      phases[static_cast<size_t>(node.phase)] += predicted.seconds;
    }
  }
  report.stepMicrosecondsMin = report.stepMicrosecondsMax = report.stepMicrosecondsMedian =
      microsecondsOf(total);
  report.samplesPerSecond = static_cast<double>(report.batchSize) / std::max(1e-12, total);
  report.forwardFraction = phases[0] / std::max(1e-12, total);
  report.backwardFraction = phases[1] / std::max(1e-12, total);
  report.updateFraction = phases[2] / std::max(1e-12, total);
}

BenchReport benchDevices(const CheckedProject& project, const BenchOptions& options) {
  const auto started = Clock::now();
  const auto dataset = loadDataset(project);
  NetworkOptions networkOptions;
  networkOptions.device = options.device;
  networkOptions.threads = options.threads;
  networkOptions.maxBatch = std::max<int64_t>(1, dataset->trainCount);
  networkOptions.classWeights = classWeightsOf(project.recipe(), *dataset);
  networkOptions.memoryLimitBytes = options.memoryLimitBytes;
  networkOptions.recompute = options.recompute;
  networkOptions.measuresKernels = true;
  if (options.batchSize > 0) networkOptions.batchSize = options.batchSize;
  const std::vector<Project> stages = stageProjects(project.project(), project.recipe().stages);
  Network network(stages.front(), networkOptions);
  network.prepare(network.steps().batchesOf(dataset->trainCount), {}, dataset.get());
  const TrainingOptions& training = network.steps().training();
  network.state().initialize(training.seed, dataset.get());
  Feeder batches(network, *dataset, training.isShuffled);

  BenchReport report;
  report.project = network.steps().project().name();
  report.device = network.steps().deviceName();
  report.threads = network.steps().device().numWorkers();
  report.batchSize = network.steps().batchSize();
  report.steps = options.steps;
  report.stages = static_cast<int64_t>(stages.size());
  report.peakBytes = network.allocatedBytes();
  report.setupSeconds = secondsSince(started);

  int64_t step = 0;
  const auto submitPiece = [&](Program& program, int64_t firstSample, double share) {
    setStep(program, step, training.learningRateAt(step), training.seed, firstSample, share);
    return program.submit();
  };
  const auto finish = [&](Ticket& ticket) {
    if (ticket.wait() == StepOutcome::NonFinite)
      throw Error(
          ErrorCode::NonFinite, report.project,
          "the loss is not finite at step " + std::to_string(step) + ". Lower the learning rate.");
  };
  std::vector<Ticket> tickets;
  // Runs an update whose samples `place` provides
  const auto runUpdate = [&](const std::vector<MicroBatch>& pieces, int64_t firstSample,
                             int64_t samples, const auto& place) {
    tickets.clear();
    const auto placeAll = [&](const MicroBatch& piece) -> Program& {
      Program& program = place(piece);
      setStep(program, step, training.learningRateAt(step), training.seed,
              firstSample + piece.offset,
              static_cast<double>(piece.samples) / static_cast<double>(samples));
      return program;
    };
    network.setUpdate({step, training.learningRateAt(step), training.seed});
    network.submit(pieces, placeAll, {}, tickets);
    for (Ticket& ticket : tickets)
      finish(ticket);
  };
  // Runs the same steps as `train --steps`, with the same order of samples, the same smaller last
  // batch and the same epochs.
  while (step < options.steps) {
    const int64_t epoch = step / batches.stepsPerPass() + 1, index = step % batches.stepsPerPass();
    ++step;
    BatchSums sums;
    const std::vector<MicroBatch>& pieces = batches.microBatchesOf(index);
    runUpdate(pieces, batches.firstSampleOf(index), batches.samplesOf(index),
              [&](const MicroBatch& piece) -> Program& {
                return batches.place(training.seed, epoch, index, piece);
              });
    for (size_t i = 0; i < std::min(tickets.size(), pieces.size()); ++i)
      network.sums().add(tickets[i], pieces[i].samples, sums);
    report.lastLoss = sums.loss / static_cast<double>(sums.samples);
    if (step == 1) report.firstLoss = report.lastLoss;
  }
  if (const auto use = network.steps().device().memoryUse()) {
    report.deviceMemory = {network.allocatedBytes(),
                           batches.keptBytes(),
                           use->transferBytes,
                           use->contextBytes,
                           network.steps().device().isSimulated(),
                           network.steps().memoryLimitBytes(),
                           use->totalBytes,
                           true};
    report.usedBytes = use->totalBytes - use->freeBytes;
  }
  // Uses the weights that a finished run would save.
  network.state().useAverages();
  report.weightsHash = weightsHash(network.state().weights());

  Program& program = network.trainProgram(network.steps().batchSize());
  Rotation rotation(network, *dataset);
  const std::vector<MicroBatch> pieces =
      network.steps().microBatchesOf(network.steps().batchSize());
  if (DeviceName(report.device).isSimulated()) {
    std::vector<const Program*> programs;
    for (const MicroBatch& piece : pieces) {
      // Replicas run at the same time, so the first one stands for all
      if (network.steps().numReplicas() > 1 && piece.rank != 0) continue;
      programs.push_back(pieces.size() == 1 ? &program
                                            : &batches.place(training.seed, 1, 0, piece));
    }
    predictTimes(programs, network.steps(), report);
    return report;
  }
  const auto maxPending = std::min<size_t>(
      kMaxBatches - 1, static_cast<size_t>(network.steps().device().maxPendingSteps()));
  const auto timeSteps = [&](int64_t count) {
    const auto start = Clock::now();
    // A device that runs ahead gets the next steps before it has finished the present one
    std::deque<Ticket> pending;
    const auto finishFirst = [&] {
      finish(pending.front());
      pending.pop_front();
    };
    for (int64_t i = 0; i < count; ++i) {
      ++step;
      if (pieces.size() == 1 && !network.steps().server()) {
        rotation.place(program);
        pending.push_back(submitPiece(program, 0, 1));
        while (pending.size() > maxPending)
          finishFirst();
        continue;
      }
      runUpdate(pieces, 0, network.steps().batchSize(), [&](const MicroBatch& piece) -> Program& {
        return batches.place(training.seed, 1, 0, piece);
      });
    }
    while (!pending.empty())
      finishFirst();
    return secondsSince(start);
  };
  measureWindows(options, timeSteps, report);
  if (network.steps().device().readsHostMemory())
    report.limits = measureMachineLimits(network.steps().device().pool());
  report.samplesPerSecond =
      static_cast<double>(report.batchSize) / report.stepMicrosecondsMedian * 1e6;

  // Measured and plain steps alternate, so that other programs slow down both equally.
  Tries plain, watched;
  std::array<double, 3> phases{};
  for (int64_t i = 0; i < kProfiledSteps; ++i) {
    program.setProfiling(false);
    plain.add(timeSteps(1));
    for (size_t phase = 0; phase < phases.size(); ++phase)
      phases[phase] += std::chrono::duration<double>(program.lastPhases()[phase]).count();
    program.setProfiling(true);
    if (i == 0) {
      timeSteps(1);
      program.resetProfile();
    }
    watched.add(timeSteps(1));
  }
  const double phaseSum = std::max(1e-12, phases[0] + phases[1] + phases[2]);
  report.forwardFraction = phases[0] / phaseSum;
  report.backwardFraction = phases[1] / phaseSum;
  report.updateFraction = phases[2] / phaseSum;
  report.watchingFraction = std::max(0.0, watched.shortest() / plain.shortest() - 1);
  const std::vector<ProfileRow> rows = program.profile();
  // Profiled steps synchronize after every node, so their times are scaled to a plain step.
  double sum = 0;
  for (const ProfileRow& row : rows)
    sum += static_cast<double>(row.total.count()) /
           static_cast<double>(std::max<int64_t>(1, row.calls));
  const double scale = sum > 0 ? report.stepMicrosecondsMedian * 1000 / sum : 0;
  for (const ProfileRow& row : rows) {
    const Cost cost = costOf(program.graph(), program.graph().node(row.node));
    BenchOp op;
    op.op = row.op;
    op.layer = row.layer;
    op.implementation = row.implementation;
    op.calls = 1;
    op.microseconds = scale * static_cast<double>(row.total.count()) / 1000 /
                      static_cast<double>(std::max<int64_t>(1, row.calls));
    op.flops = cost.flops;
    op.bytes = cost.bytes;
    report.flops += op.flops;
    report.bytes += op.bytes;
    report.byOp.push_back(std::move(op));
  }
  // The program is that of one replica, and all of them have about the same work
  report.flops *= network.steps().numReplicas();
  report.bytes *= network.steps().numReplicas();
  report.replicas = network.steps().numReplicas();
  return report;
}

}  // namespace

BenchReport benchProject(const CheckedProject& project, const BenchOptions& options) {
  BenchReport report = benchDevices(project, options);
  if (report.replicas == 1) return report;
  BenchOptions alone = options;
  alone.device = DeviceName(report.device).single();
  alone.threads = report.threads;
  alone.batchSize = (report.batchSize + report.replicas - 1) / report.replicas;
  report.oneReplicaSamplesPerSecond = benchDevices(project, alone).samplesPerSecond;
  // All numbers up to 8, and then powers of 2
  constexpr int kMostOneByOne = 8;
  alone.batchSize = report.batchSize;
  for (int count = 1; count <= report.replicas;
       count += count < kMostOneByOne ? 1 : std::min(count, std::max(1, report.replicas - count))) {
    throwIfStopped(options);
    alone.device = DeviceName(report.device).single();
    if (count > 1) alone.device += "*" + std::to_string(count);
    const double speed = count == report.replicas ? report.samplesPerSecond
                                                  : benchDevices(project, alone).samplesPerSecond;
    const double one = report.scaling.empty() ? speed : report.scaling.front().samplesPerSecond;
    report.scaling.push_back({count, speed, one > 0 ? speed / (count * one) : 0});
  }
  return report;
}

}  // namespace strata
