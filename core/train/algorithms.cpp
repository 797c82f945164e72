// SPDX-License-Identifier: Apache-2.0
#include "core/train/algorithms.h"

#include <algorithm>
#include <set>

#include "core/cost/simulated_card.h"
#include "core/model/model.h"
#include "core/project/text.h"
#include "gpu/devices/device_name.h"
#include "gpu/devices/devices.h"
#include "gpu/exec/shared_kernels.h"
#include "gpu/exec/variant_text.h"
#include "gpu/graph/op.h"

namespace strata {
namespace {

/// Describes the algorithms of a node. The result has no name of an algorithm if the device offers
/// none.
LayerAlgorithm describe(StepBuilder& steps, const Graph& graph, NodeId id) {
  Device& device = steps.device();
  const Node& node = graph.node(id);
  LayerAlgorithm result;
  result.layer = pathOfLayer(node.layer);
  result.op = node.op->name;
  const std::unique_ptr<Kernel> bestGuess = device.createKernel(graph, id);
  if (!bestGuess) return result;
  result.path = bestGuess->path();
  if (bestGuess->algorithm().empty()) return result;
  result.offered.push_back({bestGuess->algorithm(), bestGuess->workspaceBytes(), false});
  // Several variants may have one name, which then means the first of them
  for (const OtherVariant& other : device.otherVariants(graph, id)) {
    const std::string name(variantName(other.name));
    if (std::ranges::find(result.offered, name, &OfferedAlgorithm::name) == result.offered.end())
      result.offered.push_back({name, other.workspaceBytes, other.usesTensorCores});
  }
  const std::shared_ptr<const Kernel> used = SharedKernels::of(device)->kernelOf(device, graph, id);
  result.path = used->path();
  result.algorithm = used->algorithm();
  result.workspaceBytes = used->workspaceBytes();
  if (const auto layer = steps.execution().algorithms.find(result.layer);
      layer != steps.execution().algorithms.end())
    if (const auto op = layer->second.find(result.op); op != layer->second.end())
      result.pinned = op->second;
  return result;
}

/// Calls a function with the first node of each op of each layer that kernels compute on a card;
/// `layer` limits them to one layer.
template <class Visit>
void visitOps(StepBuilder& steps, const Graph& graph, const std::string* layer,
              const Visit& visit) {
  if (steps.device().variantsAreAlike()) return;
  std::set<std::pair<std::string, std::string>> seen;
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (node.op->kind == OpKind::Source || node.op->kind == OpKind::View) continue;
    const std::string own = pathOfLayer(node.layer);
    if (layer && own != *layer) continue;
    graph.checkStop();
    if (seen.emplace(own, node.op->name).second) visit(id);
  }
}

NetworkOptions planningOptions(const CheckedProject& project) {
  NetworkOptions options;
  options.isAlone = true;
  // No kernel runs
  options.threads = 1;
  if (project.data().isKnown) options.maxBatch = std::max<int64_t>(1, project.data().trainCount);
  return options;
}

Graph trainingGraph(const StepBuilder& steps) {
  const MicroBatch piece = steps.microBatchesOf(steps.batchSize()).back();
  return steps.stepGraph(StepMode::Train, piece.samples, {}, piece.step).graph;
}

}  // namespace

std::vector<LayerAlgorithm> algorithmsOf(StepBuilder& steps, const Graph& graph) {
  std::vector<LayerAlgorithm> result;
  visitOps(steps, graph, nullptr, [&](NodeId id) {
    LayerAlgorithm each = describe(steps, graph, id);
    if (!each.algorithm.empty()) result.push_back(std::move(each));
  });
  return result;
}

std::vector<LayerKernel> kernelPathsOf(StepBuilder& steps, const Graph& graph) {
  std::vector<LayerKernel> result;
  visitOps(steps, graph, nullptr, [&](NodeId id) {
    Device& device = steps.device();
    const auto kernel = SharedKernels::of(device)->kernelOf(device, graph, id);
    const Node& node = graph.node(id);
    if (KernelPath path = kernel->path(); !path.name.isEmpty())
      result.push_back({pathOfLayer(node.layer), node.op->name, std::move(path)});
  });
  return result;
}

std::string pathName(const KernelPath& path) {
  return formatText(path.name, Arguments(path.nameArguments.begin(), path.nameArguments.end()));
}

std::string pathReason(const KernelPath& path) {
  return formatText(path.reason,
                    Arguments(path.reasonArguments.begin(), path.reasonArguments.end()));
}

/// Returns InvalidProject or InvalidArgument for each algorithm that is not offered, with the layer
/// as subject. If the device or the step cannot be made, returns that error alone.
static std::vector<Error> wrongAlgorithms(const CheckedProject& project) {
  std::vector<Error> wrong;
  try {
    StepBuilder steps(project, planningOptions(project));
    Device& device = steps.device();
    const PinnedVariants chosen = device.pinned();
    device.setPinned({}, pathOfLayer);
    const Graph graph = trainingGraph(steps);
    for (const auto& [layer, ops] : chosen)
      for (const auto& [op, algorithm] : ops) {
        device.setPinned({{layer, {{op, algorithm}}}}, pathOfLayer);
        try {
          steps.requirePinnedOps(graph);
          for (const NodeId id : graph.order())
            if (device.pinnedVariant(graph.node(id)))
              (void)SharedKernels::of(device)->kernelOf(device, graph, id);
        }
        catch (const Error& error) {
          wrong.push_back(error);
        }
      }
  }
  catch (const Error& error) {
    wrong.push_back(error);
  }
  return wrong;
}

Diagnostics algorithmProblems(const CheckedProject& project) {
  Diagnostics problems;
  const ExecutionOptions& execution = project.execution();
  if (execution.algorithms.empty() || !DeviceName(resolvedDeviceName(execution.device)).isGpu())
    return problems;
  for (const Error& error : wrongAlgorithms(project)) {
    const bool isChoice =
        error.code() == ErrorCode::InvalidProject || error.code() == ErrorCode::InvalidArgument;
    if (isChoice)
      problems.push_back({Severity::Error,
                          "unknown_algorithm",
                          pathOfLayer(error.subject()),
                          "/execution/algorithms",
                          STRATA_TEXT("problem", "%1"),
                          {std::string(error.what())},
                          {}});
    else
      problems.push_back({Severity::Error,
                          "unusable_device",
                          "",
                          "/execution/devices",
                          STRATA_TEXT("problem", "%1: %2"),
                          {error.subject(), std::string(error.what())},
                          {}});
  }
  return problems;
}

std::vector<LayerAlgorithm> algorithmsOfLayer(const CheckedProject& project,
                                              const std::string& layer,
                                              const std::stop_token& stop) {
  NetworkOptions options = planningOptions(project);
  options.stop = stop;
  StepBuilder steps(project, options);
  // An algorithm that another device had must not hide what this one offers
  steps.device().setPinned({}, pathOfLayer);
  const Graph graph = trainingGraph(steps);
  std::vector<LayerAlgorithm> result;
  visitOps(steps, graph, &layer, [&](NodeId id) {
    LayerAlgorithm each = describe(steps, graph, id);
    if (!each.algorithm.empty() || !each.path.name.isEmpty()) result.push_back(std::move(each));
  });
  for (LayerAlgorithm& each : result)
    for (const OfferedAlgorithm& offered : each.offered)
      if (offered.name == each.pinned) {
        each.algorithm = offered.name;
        each.workspaceBytes = offered.workspaceBytes;
      }
  return result;
}

}  // namespace strata
