// SPDX-License-Identifier: Apache-2.0
#include "gpu/cost/present_speed.h"

#include <algorithm>
#include <chrono>

#include "gpu/base/clock.h"
#include "gpu/base/machine.h"
#include "gpu/cost/trial.h"
#include "gpu/cpu/cpu_kernel.h"

namespace strata {
namespace {

/// Nodes with the same work. One of them is measured.
struct Sample {
  NodeId node;
  std::string name;
  // The total predicted time of these nodes
  double seconds = 0;
  // The longest predicted time of one of these nodes
  double each = 0;
};

// The time of a kernel in a training step divided by its time when it is repeated alone. In a step,
// other kernels use the caches too, and the processor is warmer.
constexpr double kStepOverAlone = 1.1;

/// Returns the predicted time of a kernel that runs repeatedly on the same operands.
double predictedAlone(const Trial& trial, const Calibration& calibration) {
  const NodeWork& work = trial.work();
  const PricedWork priced = priceOf(work, calibration);
  const double own = trial.readBytes() + trial.writtenBytes(),
               warm = std::min(own, priced.warmBytes);
  return priced.seconds + priced.exposed * farSeconds(calibration, trial.readBytes() * work.passes,
                                                      trial.writtenBytes(), own, warm);
}

}  // namespace

std::string workName(const NodeWork& work) {
  std::string name;
  for (const KernelWork& part : work.parts) {
    name += part.family;
    name.append(reinterpret_cast<const char*>(part.amounts.data()), sizeof part.amounts);
  }
  return name;
}

double PresentSpeed::factorOf(const NodeWork& work) const {
  if (const auto at = byWork.find(workName(work)); at != byWork.end()) return at->second;
  if (work.parts.size() == 1)
    if (const auto at = byFamily.find(work.parts[0].family); at != byFamily.end())
      return at->second;
  return all;
}

PresentSpeed measureSpeed(const Graph& graph, const MemoryPlan& plan, Device& device,
                          const Calibration& calibration, double budgetSeconds,
                          const std::stop_token& stop) {
  PresentSpeed result;
  const auto started = Clock::now();
  const auto spent = [&] {
    return std::chrono::duration<double>(Clock::now() - started).count();
  };
  const StepPrediction prediction = predictStep(graph, plan, device, calibration);
  std::map<std::string, Sample> samples;
  for (const NodePrediction& node : prediction.nodes) {
    Sample& sample = samples[node.work];
    sample.node = node.node;
    sample.name = node.work;
    sample.seconds += node.seconds;
    sample.each = std::max(sample.each, node.seconds);
  }
  std::vector<Sample> byCost;
  for (auto& [name, sample] : samples)
    byCost.push_back(std::move(sample));
  std::stable_sort(byCost.begin(), byCost.end(),
                   [](const Sample& a, const Sample& b) { return a.seconds > b.seconds; });

  constexpr size_t kMaxBytes = size_t{256} << 20;
  constexpr double kShort = 0.002, kEnough = 0.95, kMaxFactor = 4;
  const size_t maxBytes = std::min(kMaxBytes, availableMemoryBytes() / 8);
  struct Sum {
    double measured = 0, expected = 0;
  };
  std::map<std::string, Sum> families;
  Sum all;
  std::unique_ptr<Room> room;
  for (const Sample& sample : byCost) {
    const double rest = budgetSeconds - spent();
    if (rest <= 0 || result.share > kEnough || stop.stop_requested()) break;
    // A trial takes about the time of three runs: it runs the kernel twice and fills the operands
    constexpr double kRuns = 3;
    if (all.expected > 0 && kRuns * sample.each > rest) continue;
    Trial trial(cpu::kernelSetupOf(graph, sample.node, device.numWorkers()), device.pool());
    if (trial.bytes() > maxBytes) continue;
    if (!room || room->size() < trial.bytes()) {
      // Free the old memory before allocating more
      room.reset();
      room = std::make_unique<Room>(trial.bytes());
    }
    Tries tries;
    trial.run(*room, std::min(kShort, rest / 4), tries);
    const double expected = predictedAlone(trial, calibration),
                 factor = std::clamp(kStepOverAlone * tries.typical() / expected, 1 / kMaxFactor,
                                     kMaxFactor);
    result.byWork[sample.name] = factor;
    result.share += sample.seconds / std::max(prediction.seconds, 1e-12);
    all.measured += factor * sample.seconds;
    all.expected += sample.seconds;
    if (trial.work().parts.size() != 1) continue;
    Sum& family = families[trial.work().parts[0].family];
    family.measured += factor * sample.seconds;
    family.expected += sample.seconds;
  }
  for (const auto& [name, sum] : families)
    result.byFamily[name] = sum.measured / sum.expected;
  if (all.expected > 0) result.all = all.measured / all.expected;
  result.secondsSpent = spent();
  return result;
}

}  // namespace strata
