// SPDX-License-Identifier: Apache-2.0
// A pass rewrites a graph and reports what it did. Generic passes name no backend; a backend brings
// its own. A pass that fails is dropped, the graph before it kept, and the report says so. Thread:
// edits the given graph only.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "gpu/base/text.h"
#include "gpu/graph/graph.h"
#include "gpu/memory/estimate.h"
#include "gpu/memory/recompute.h"

namespace strata {

struct PassReport {
  std::string pass;
  int rewrites = 0;
  int nodesBefore = 0, nodesAfter = 0;
  // Predictions; equal where nothing was rewritten
  StepEstimate before, after;
  bool isDisabled = false;
  // Not empty: dropped, and why
  std::string failure;
  // One line a rewrite, with the layer
  std::vector<std::string> details;
  std::string line()
      // "fuse_bias_activation: 4 rewrites, 61 -> 53 nodes; peak 3.20 -> 2.91 MiB, moved 25.10 ->
      // 20.02 MiB, 1.930 -> 1.801 ms"
      const;
};

struct Pass {
  std::string name;
  // One line for a person
  Text help;
  std::function<void(Graph&, PassReport&)> run;
};

/// The generic passes in the order they run. The only place where that order stands.
const std::vector<Pass>& standardPasses();

/// The outputs of one op from its operands: how constants are folded (evaluateOp of gpu/reference).
using OpEvaluator = std::function<std::vector<Tensor>(const OpDef& op, const Attributes& attributes,
                                                      const std::vector<Tensor>& operands)>;

struct PipelineOptions {
  std::set<std::string, std::less<>> disabled;
  /// Passes of other backends, which `disabled` may name as well.
  std::vector<std::string> otherPasses = {};
  /// Of the pass fold_constants; without it, that does nothing.
  OpEvaluator evaluate = {};
  // Debug builds always do
  bool verifyAfterEach = false;
  // Of the pass of that name; None: it does nothing
  RecomputeOptions recompute;
  /// What the reports say a node takes; empty: its op's cost rule.
  NodeSeconds seconds = {};
  /// Of the pass choose_kernels (KernelChooser::choose); without it, that does nothing.
  std::function<void(const Graph&, PassReport&)> chooseKernels = {};
  /// Told the graph after each pass that is in the reports; what it throws ends the pipeline.
  std::function<void(const Graph&, const PassReport&)> onPass = {};
};
/// Fails: InvalidArgument for a name that is not one of `known`, with the nearest one.
void requirePasses(const std::set<std::string, std::less<>>& names,
                   const std::vector<std::string>& known);
/// Runs standardPasses(), and `backendPasses` right before `fuse_pooling`. Fails: InvalidArgument
/// for a disabled pass that nobody has; Stopped, also within a pass, where the graph's token says
/// so (Graph::setStop).
std::vector<PassReport> runPasses(Graph& graph, const PipelineOptions& options,
                                  const std::vector<Pass>& backendPasses = {});

}  // namespace strata
