// SPDX-License-Identifier: Apache-2.0
#include "core/train/device_plan.h"

#include <algorithm>
#include <map>

#include "core/check/checked_project.h"
#include "core/cost/simulated_card.h"
#include "core/model/model.h"
#include "core/train/step_builder.h"
#include "gpu/base/error.h"
#include "gpu/cost/card_clock.h"
#include "gpu/devices/devices.h"
#include "gpu/devices/simulated_step.h"
#include "gpu/exec/step_layout.h"
#include "gpu/memory/recompute.h"
#include "gpu/passes/standard_passes.h"

namespace strata {
namespace {

double boundMicroseconds(const std::vector<NodeBound>& nodes) {
  double seconds = 0;
  for (const NodeBound& node : nodes)
    seconds += node.seconds();
  return 1e6 * seconds;
}

/// Returns the limits of a device for a graph in the precision of the project, `own`. If that is
/// float32, other precisions are estimated from the same graph.
DeviceLimits limitsOf(const CatalogueDevice& device, size_t precision, size_t own) {
  DeviceLimits limits;
  limits.productFlopsPerSecond =
      device.flopsPerSecond[precision].value_or(*device.flopsPerSecond[0]);
  limits.otherFlopsPerSecond = *device.flopsPerSecond[0];
  limits.bytesPerSecond = device.bytesPerSecond;
  limits.launchSeconds = kLaunchSeconds;
  const std::string_view name = kPrecisions[precision];
  if (own == 0 && (name == "bfloat16" || name == "float16")) limits.bytesFactor = 0.5;
  return limits;
}

struct PlannedGraph {
  Graph graph;
  MemoryPlan memory;
};

/// Plans the memory of the step, and returns the graphs of an update's micro-batches. They may have
/// different numbers of samples, and only the last one updates the weights.
std::vector<PlannedGraph> planMemoryOf(StepBuilder& steps, DevicePlan& plan) {
  plan.batchSize = steps.batchSize();
  RecomputeOptions recompute = steps.recomputeOptions();
  // Workspaces of this machine's kernels do not apply to other devices.
  if (!plan.isSimulated) recompute.workspaces = {};
  const bool inPlace = !steps.isPassDisabled("in_place");
  const auto planOf = [&](const Graph& graph) {
    return plan.isSimulated ? planProgram(graph, steps.device(), inPlace)
                            : planMemory(graph, {}, inPlace, recompute.alignment);
  };
  std::vector<PlannedGraph> graphs;
  for (const MicroBatch& piece : steps.microBatchesOf(plan.batchSize)) {
    Graph graph = steps.stepGraph(StepMode::Train, piece.samples, {}, piece.step).graph;
    MemoryPlan memory = planOf(graph);
    if (recompute.how == Recompute::All ||
        (recompute.how == Recompute::Auto && memory.peakBytes() > recompute.limitBytes)) {
      plan.repeated = static_cast<int>(recomputeToFit(graph, recompute).repeated.size());
      memory = planOf(graph);
    }
    if (memory.peakBytes() >= plan.peakBytes)
      plan.workspaceBytes = memory.byCategoryAtPeak[static_cast<size_t>(Category::Workspace)];
    plan.peakBytes = std::max(plan.peakBytes, memory.peakBytes());
    plan.lowerBoundBytes = std::max(plan.lowerBoundBytes, memory.lowerBoundBytes);
    graphs.push_back({std::move(graph), std::move(memory)});
  }
  plan.fits = plan.peakBytes <= plan.device.memoryBytes;
  return graphs;
}

/// Returns the times of an update by the clock of a simulated card.
LayerTimes predictedTimes(const std::vector<PlannedGraph>& graphs, Device& card) {
  LayerTimes times;
  double seconds = 0, transferSeconds = 0;
  for (const PlannedGraph& each : graphs) {
    const StepPrediction prediction = predictSimulatedStep(each.graph, each.memory, card);
    seconds += prediction.seconds;
    transferSeconds += prediction.transferSeconds;
    for (const NodePrediction& node : prediction.nodes) {
      const Node& of = each.graph.node(node.node);
      times.add(of.layer, of.phase, 1e6 * node.seconds);
    }
  }
  times.step = microsecondsOf(seconds);
  times.transfers = microsecondsOf(transferSeconds);
  return times;
}

/// Returns why a card cannot be simulated here, as a sentence; empty if it can.
std::string whyNoSimulation(const CatalogueDevice& device) {
  const SimulatedName name = readSimulatedName(kSimulatedPrefix + device.name);
  if (name.problem == SimulatedName::Problem::None) return {};
  if (name.problem == SimulatedName::Problem::NoPlugin) return whyNoSimulatedCards();
  if (name.problem == SimulatedName::Problem::Unsupported)
    return device.name + " cannot be simulated: " + name.reason.source + ".";
  return device.name + " is not in the catalogue.";
}

}  // namespace

DeviceLimits limitsOfCard(const CatalogueDevice& device, Precision precision) {
  const auto own = static_cast<size_t>(std::ranges::find(kPrecisions, precisionName(precision)) -
                                       kPrecisions.begin());
  return limitsOf(device, own, own);
}

DevicePlan planForDevice(const CheckedProject& project, const CatalogueDevice& device,
                         int64_t batchSize, const std::stop_token& stop) {
  NetworkOptions options;
  options.isAlone = true;
  // One thread is enough, because no kernel runs on this machine.
  options.threads = 1;
  options.stop = stop;
  options.memoryLimitBytes = device.memoryBytes;
  if (batchSize > 0) options.batchSize = batchSize;
  if (project.data().isKnown) options.maxBatch = std::max<int64_t>(1, project.data().trainCount);

  DevicePlan plan;
  std::optional<StepBuilder> builder;
  std::vector<PlannedGraph> graphs;
  std::string whyNot = whyNoSimulation(device);
  if (whyNot.empty()) {
    try {
      plan.device = device;
      plan.isSimulated = true;
      options.device = kSimulatedPrefix + device.name;
      builder.emplace(project, options);
      graphs = planMemoryOf(*builder, plan);
      plan.predicted = predictedTimes(graphs, builder->device());
    }
    catch (const Error& error) {
      if (error.code() != ErrorCode::UnsupportedOp && error.code() != ErrorCode::OutOfMemory &&
          error.code() != ErrorCode::DeviceFailure)
        throw;
      whyNot = error.line();
    }
  }
  if (!whyNot.empty()) {
    plan = {};
    plan.device = device;
    plan.whyNotSimulated = whyNot;
    options.device = "cpu";
    builder.emplace(project, options);
    graphs = planMemoryOf(*builder, plan);
  }
  const StepBuilder& steps = *builder;

  const auto own = static_cast<size_t>(
      std::ranges::find(kPrecisions, precisionName(steps.execution().precision)) -
      kPrecisions.begin());
  for (size_t precision = 0; precision < kPrecisions.size(); ++precision) {
    if (precision != own && (own != 0 || !device.flopsPerSecond[precision])) continue;
    std::vector<NodeBound> all;
    for (const PlannedGraph& each : graphs) {
      const std::vector<NodeBound> nodes = boundStep(each.graph, limitsOf(device, precision, own));
      all.insert(all.end(), nodes.begin(), nodes.end());
    }
    plan.precisions.push_back(
        {std::string(kPrecisions[precision]), boundMicroseconds(all), bindingLimit(all)});
    if (precision != own) continue;
    plan.microseconds = plan.precisions.back().microseconds;
    plan.limit = plan.precisions.back().limit;
    plan.kernels = static_cast<int>(all.size());
    for (const NodeBound& node : all)
      plan.limitMicroseconds[static_cast<size_t>(node.limit())] += 1e6 * node.seconds();
  }
  std::map<std::string, std::vector<NodeBound>> byLayer;
  for (const PlannedGraph& each : graphs)
    for (const NodeBound& node : boundStep(each.graph, limitsOf(device, own, own)))
      byLayer[rowOfLayer(each.graph.node(node.node).layer)].push_back(node);
  const auto addLayer = [&](const std::string& name) {
    const auto at = byLayer.find(name);
    if (at == byLayer.end()) return;
    plan.layers.push_back({name, boundMicroseconds(at->second), bindingLimit(at->second)});
    byLayer.erase(at);
  };
  // CheckedProject reports the same problems elsewhere, so they are ignored here.
  Diagnostics ofShapes;
  const ModelSummary summary =
      summarizeModel(steps.model(), project.project(), plan.batchSize, ofShapes);
  for (const LayerSummary& layer : summary.layers)
    addLayer(layer.name);
  std::vector<NodeBound> rest;
  for (const auto& [name, nodes] : byLayer)
    rest.insert(rest.end(), nodes.begin(), nodes.end());
  if (!rest.empty()) plan.layers.push_back({"", boundMicroseconds(rest), bindingLimit(rest)});
  return plan;
}

}  // namespace strata
