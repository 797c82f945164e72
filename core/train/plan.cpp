// SPDX-License-Identifier: Apache-2.0
#include "core/train/plan.h"

#include <algorithm>

#include "core/train/network.h"
#include "gpu/cpu/thread_pool.h"
#include "gpu/exec/device.h"
#include "gpu/graph/op.h"

namespace strata {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kMostBatch = int64_t{1} << 24;
constexpr int kTrialSteps = 3;

void checkStop(const PlanOptions& options) {
  if (options.stop.stop_requested()) throw Error(ErrorCode::Stopped, "plan", "planning was stopped.");
}

/// The memory of a training step of this batch; nothing is allocated. Workspaces are those of the kernels the device makes.
MemoryPlan planStep(Network& network, int64_t batch, bool isInPlace) {
  const StepGraph step = network.stepGraph(StepMode::Train, batch);
  std::vector<size_t> workspaces;
  for (const NodeId id : step.graph.order()) {
    const OpKind kind = step.graph.node(id).op->kind;
    const bool runs = kind != OpKind::Source && kind != OpKind::View;
    workspaces.push_back(runs ? network.backend().createKernel(step.graph, id)->workspaceBytes() : 0);
  }
  return planMemory(step.graph, workspaces, isInPlace);
}

/// Bytes grow with the batch, so the largest that fits is found by doubling and halving; each guess is planned exactly.
std::optional<int64_t> largestBatch(Network& network, const PlanOptions& options, size_t limit, bool isInPlace, int64_t known,
                                    size_t knownPeak) {
  const auto fits = [&](int64_t batch) {
    checkStop(options);
    if (batch == known) return knownPeak <= limit;
    try {
      return planStep(network, batch, isInPlace).peakBytes() <= limit;
    } catch (const Error& error) {
      if (error.code() == ErrorCode::OutOfMemory) return false;  // more elements than a size can say
      throw;
    }
  };
  if (!fits(1)) return std::nullopt;
  int64_t low = 1, high = kMostBatch + 1;
  if (known > 1 && fits(known))
    low = known;
  else if (known > 1)
    high = known;
  // First guesses from the bytes a sample takes: two plans give the slope.
  const size_t atOne = planStep(network, 1, isInPlace).peakBytes();
  const int64_t other = known > 1 ? known : 2;
  const size_t atOther = known > 1 ? knownPeak : planStep(network, 2, isInPlace).peakBytes();
  const double slope = (static_cast<double>(atOther) - static_cast<double>(atOne)) / static_cast<double>(other - 1);
  if (slope > 0) {
    const double guess = 1 + (static_cast<double>(limit) - static_cast<double>(atOne)) / slope;
    for (const double factor : {0.98, 1.02, 0.999, 1.001}) {
      const auto batch = static_cast<int64_t>(std::min(guess * factor, static_cast<double>(kMostBatch)));
      if (batch <= low || batch >= high) continue;
      (fits(batch) ? low : high) = batch;
    }
  }
  // To a hundredth: a plan is exact, but nobody trains with 48,213 because 48,214 does not fit.
  while (high - low > std::max<int64_t>(1, low / 1000)) {
    const int64_t middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low > kMostBatch ? kMostBatch : low;
}

void timeSteps(Network& network, const PlanOptions& options, TrainingPlan& plan) {
  network.prepare({plan.batchSize}, {});
  network.initialize(network.training().seed);
  Program& program = network.trainProgram(plan.batchSize);
  int64_t step = 0;
  const auto run = [&] {
    checkStop(options);
    network.setStep(program, ++step, network.training().learningRate, network.training().seed, 0);
    const auto start = Clock::now();
    // Zeros as data: a loss that is not finite on them costs the same time.
    if (program.run(options.stop) == Program::Outcome::Stopped) checkStop(options);
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
  };
  run();  // first use of kernels and memory
  double fastest = run();
  for (int i = 1; i < kTrialSteps; ++i) fastest = std::min(fastest, run());
  plan.stepMicroseconds = fastest;
  program.setProfiling(true);
  for (int i = 0; i < kTrialSteps; ++i) run();
  double measured = 0;
  std::map<std::string, double> byLayer;
  for (const ProfileRow& row : program.profile()) {
    const double microseconds = static_cast<double>(row.total.count()) / 1000 / static_cast<double>(std::max<int64_t>(1, row.calls));
    byLayer[row.layer] += microseconds;
    measured += microseconds;
  }
  for (PlanLayer& layer : plan.layers)
    if (const auto it = byLayer.find(layer.summary.name); it != byLayer.end() && measured > 0)
      layer.stepMicroseconds = it->second * fastest / measured;  // shares of a step that is not measured node by node
}

}  // namespace

TrainingPlan planTraining(const Project& project, const PlanOptions& options) {
  NetworkOptions networkOptions;
  networkOptions.device = options.device;
  networkOptions.threads = options.threads;
  networkOptions.niceness = options.niceness;
  if (options.batchSize > 0) networkOptions.batchSize = options.batchSize;
  Network network(project, networkOptions);
  Diagnostics diagnostics;
  const ExecutionOptions execution = parseExecution(project, diagnostics);
  const bool isInPlace = !execution.disabledPasses.contains("in_place");

  TrainingPlan plan;
  plan.device = network.deviceName();
  plan.batchSize = network.batchSize();
  plan.limitBytes = options.memoryLimitBytes     ? *options.memoryLimitBytes
                    : execution.memoryLimitBytes ? *execution.memoryLimitBytes
                                                 : usableMemoryBytes();
  plan.memory = planStep(network, plan.batchSize, isInPlace);
  plan.peakBytes = plan.memory.peakBytes();
  plan.lowerBoundBytes = plan.memory.lowerBoundBytes;
  plan.fits = plan.peakBytes <= plan.limitBytes;
  const ModelSummary summary = summarizeModel(network.model(), project, plan.batchSize, diagnostics);
  for (const LayerSummary& layer : summary.layers) {
    PlanLayer row;
    row.summary = layer;
    for (const MemoryPlan::LayerBytes& bytes : plan.memory.byLayerAtPeak)
      if (bytes.layer == layer.name) row.bytesAtPeak += bytes.bytes;
    plan.layers.push_back(std::move(row));
  }
  plan.parameters = summary.parameters;
  plan.multiplyAdds = summary.multiplyAdds;
  checkStop(options);
  if (!options.measuresStepTime)
    plan.whyNoStepTime = "no trial steps were asked for";
  else if (!plan.fits)
    plan.whyNoStepTime = "the step does not fit in memory, so no trial steps could be timed";
  else
    timeSteps(network, options, plan);
  if (options.findsLargestBatch)
    plan.largestBatch = largestBatch(network, options, plan.limitBytes, isInPlace, plan.batchSize, plan.peakBytes);
  return plan;
}

}  // namespace strata
