// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica_plan.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/train/planned_step.h"
#include "core/train/trial_steps.h"
#include "gpu/base/error.h"
#include "gpu/base/machine.h"
#include "gpu/cost/waiting.h"
#include "gpu/devices/device_name.h"
#include "gpu/devices/simulated_step.h"
#include "gpu/graph/op.h"

namespace strata {
namespace {

// The part of a network's speed that sums between processors reach through TCP, measured on links
// of 0.5 to 5 Gb/s (tests/bench/links.py)
constexpr double kShareOfNetwork = 0.6;
// The part of the speed of their data sheets that libraries reach on links of cards
constexpr double kShareOfCardLink = 0.8;
// The processor time of a byte that is sent, and of one that is received
constexpr double kProcessorSecondsPerByte = 1.2e-9;
constexpr double kGigabit = 1e9 / 8;

/// Walks through a step in its order, with the seconds of its nodes.
TimedStep timedStep(const Graph& graph, const std::map<int, double>& secondsOf) {
  TimedStep step;
  double now = 0;
  bool isAwaiting = false;
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    // What waits for the first sum
    if (!isAwaiting && node.op->isCollective && node.op->role == OpRole::Other) {
      isAwaiting = true;
      step.awaitSeconds = now;
    }
    if (const auto found = secondsOf.find(id.index); found != secondsOf.end()) now += found->second;
    if (node.op->role != OpRole::SumStart) continue;
    TimedSum sum;
    sum.readySeconds = now;
    for (const ValueId input : node.inputs)
      sum.bytes += graph.type(input).bytes();
    step.sums.push_back(sum);
  }
  if (!isAwaiting) step.awaitSeconds = now;
  step.restSeconds = now - step.awaitSeconds;
  return step;
}

void scale(TimedStep& step, double factor) {
  for (TimedSum& sum : step.sums)
    sum.readySeconds *= factor;
  step.awaitSeconds *= factor;
  step.restSeconds *= factor;
}

TimedStep measuredStep(const CheckedProject& project, const NetworkOptions& options,
                       const ReplicaPlanOptions& wanted, bool& isBusy) {
  Network network(project, options);
  const WaitingWatch watch;
  const StepTiming timing = timeSteps(network, wanted.stop);
  isBusy = watch.wasDisturbed(network.steps().device().numWorkers());
  std::map<int, double> seconds;
  double total = 0;
  for (const auto& [node, microseconds] : timing.byNode) {
    seconds[node] = 1e-6 * microseconds;
    total += seconds[node];
  }
  TimedStep step = timedStep(network.trainProgram(network.steps().batchSize()).graph(), seconds);
  // Earlier micro-batches, and what the nodes do not take
  const double others = std::max(0.0, 1e-6 * timing.microseconds - total);
  for (TimedSum& sum : step.sums)
    sum.readySeconds += others;
  step.awaitSeconds += others;
  const int threads = network.steps().device().numWorkers() * wanted.perHost;
  const double load = static_cast<double>(threads) / usableProcessors();
  scale(step, std::max(1.0, load));
  if (load >= 1) step.secondsPerSentByte = kProcessorSecondsPerByte * load;
  return step;
}

TimedStep simulatedStep(const CheckedProject& project, const NetworkOptions& options) {
  StepBuilder steps(project, options);
  TimedStep whole;
  for (const MicroBatch& piece : steps.microBatchesOf(steps.batchSize())) {
    const StepGraph step = steps.stepGraph(StepMode::Train, piece.samples, piece.step);
    const MemoryPlan memory = planGraph(steps, step.graph);
    std::map<int, double> seconds;
    double total = 0;
    for (const NodePrediction& node :
         predictSimulatedStep(step.graph, memory, steps.device()).nodes) {
      seconds[node.node.index] = node.seconds;
      total += node.seconds;
    }
    if (piece.step != MicroStep::Whole && piece.step != MicroStep::Last) {
      whole.awaitSeconds += total;
      continue;
    }
    TimedStep last = timedStep(step.graph, seconds);
    for (TimedSum& sum : last.sums)
      sum.readySeconds += whole.awaitSeconds;
    last.awaitSeconds += whole.awaitSeconds;
    whole = std::move(last);
  }
  return whole;
}

}  // namespace

std::vector<LinkSpeed> standardLinks() {
  // NVLink of an H100 and PCIe 4.0 x16 in each direction, by their data sheets
  return {{"NVLink", kShareOfCardLink * 450e9, 3e-6},
          {"PCIe", kShareOfCardLink * 32e9, 8e-6},
          {"25 Gb Ethernet", kShareOfCardLink * 25 * kGigabit, 25e-6},
          {"100 Gb Ethernet", kShareOfCardLink * 100 * kGigabit, 15e-6},
          {"400 Gb Ethernet", kShareOfCardLink * 400 * kGigabit, 10e-6}};
}

LinkSpeed networkOf(double gigabitsPerSecond) {
  std::string name = std::to_string(gigabitsPerSecond);
  name.erase(name.find_last_not_of('0') + 1);
  if (name.back() == '.') name.pop_back();
  return {name + " Gb/s", kShareOfNetwork * gigabitsPerSecond * kGigabit, 200e-6};
}

ReplicaPrediction predictOver(const TimedStep& step, int replicas, const LinkSpeed& link,
                              bool areCards) {
  const double n = replicas, share = (n - 1) / n;
  ReplicaPrediction prediction{replicas, link.name, "shares", 0, step.computeSeconds(),
                               0,        0,         false};
  double best = 0;
  const auto run = [&](const char* algorithm, double volume, double messages) {
    double free = 0, busy = 0, competing = 0;
    for (const TimedSum& sum : step.sums) {
      const double duration = volume * static_cast<double>(sum.bytes) / link.bytesPerSecond +
                              messages * link.latencySeconds;
      free = std::max(free, sum.readySeconds) + duration;
      busy += duration;
      competing += volume * static_cast<double>(sum.bytes) * step.secondsPerSentByte;
    }
    const double exposed = std::max(0.0, free - step.awaitSeconds) + competing;
    if (best > 0 && exposed >= prediction.exposedSeconds) return;
    best = busy;
    prediction.algorithm = algorithm;
    prediction.communicationSeconds = busy;
    prediction.exposedSeconds = exposed;
  };
  if (!areCards) {
    // A greeting, the shares, and the sums
    run("shares", 2 * share, 3);
  }
  else {
    run("ring", 2 * share, 2 * (n - 1));
    // Two trees, each for half of the bytes, up and down
    run("tree", 2, 2 * std::ceil(std::log2(n)));
  }
  prediction.stepSeconds = prediction.computeSeconds + prediction.exposedSeconds;
  return prediction;
}

std::vector<ReplicaPrediction> planReplicas(const CheckedProject& project, int replicas,
                                            std::span<const LinkSpeed> links,
                                            const ReplicaPlanOptions& options) {
  const int64_t batch = options.batchSize > 0 ? options.batchSize : project.recipe().batchSize;
  if (batch < replicas)
    throw Error(ErrorCode::InvalidProject, "batch_size",
                "a batch of " + std::to_string(batch) + " samples has fewer samples than " +
                    std::to_string(replicas) +
                    " replicas (expected at least as many). Use a larger batch_size.");
  NetworkOptions network;
  network.isAlone = true;
  const DeviceName device(options.device.empty() ? project.execution().device : options.device);
  network.device = device.single();
  network.threads = options.threads;
  network.batchSize = (batch + replicas - 1) / replicas;
  network.plannedProcesses = replicas;
  network.stop = options.stop;
  bool isBusy = false;
  const TimedStep step = device.isSimulated() ? simulatedStep(project, network)
                                              : measuredStep(project, network, options, isBusy);
  std::vector<ReplicaPrediction> result;
  for (const LinkSpeed& link : links)
    result.push_back(predictOver(step, replicas, link, device.isGpu()));
  for (ReplicaPrediction& each : result)
    each.isBusy = isBusy;
  return result;
}

}  // namespace strata
