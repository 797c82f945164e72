// SPDX-License-Identifier: Apache-2.0
// A pass rewrites a graph and reports what it did. Generic passes do not depend on a backend; a
// backend adds its own. If a pass fails, the graph before it is kept, and the report says so.
// Thread: edits the given graph only.
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
  // Estimates; equal if nothing was rewritten
  StepEstimate before, after;
  bool isDisabled = false;
  // Why the pass failed; empty if it did not
  std::string failure;
  // One line per rewrite, with the layer
  std::vector<std::string> details;
  /// "fuse_bias_activation: 4 rewrites, 61 -> 53 nodes; live at most 3.20 -> 2.91 MiB, moved 25.10
  /// -> 20.02 MiB, 1.930 -> 1.801 ms"
  std::string line() const;
};

struct Pass {
  std::string name;
  // One line for the user
  Text help;
  std::function<void(Graph&, PassReport&)> run;
};

/// The generic passes in the order in which they run.
const std::vector<Pass>& standardPasses();

/// Computes the outputs of one op, to fold constants (evaluateOp() in gpu/reference).
using OpEvaluator = std::function<std::vector<Tensor>(const OpDef& op, const Attributes& attributes,
                                                      const std::vector<Tensor>& operands)>;

struct PipelineOptions {
  std::set<std::string, std::less<>> disabled;
  /// Passes of other backends, which `disabled` may also name.
  std::vector<std::string> otherPasses = {};
  /// For the pass fold_constants, which does nothing without it.
  OpEvaluator evaluate = {};
  // Debug builds always verify
  bool verifyAfterEach = false;
  // For the pass recompute, which does nothing if how is None
  RecomputeOptions recompute;
  /// The time of a node in reports; empty: by its op's cost rule.
  NodeSeconds seconds = {};
  /// For the pass choose_kernels (KernelChooser::choose), which does nothing without it.
  std::function<void(const Graph&, PassReport&)> chooseKernels = {};
  /// Called with the graph after each reported pass. An exception from it ends the pipeline.
  std::function<void(const Graph&, const PassReport&)> onPass = {};
};
/// Fails: InvalidArgument for a name that is not in `known`, with the nearest known name.
void requirePasses(const std::set<std::string, std::less<>>& names,
                   const std::vector<std::string>& known);
/// Runs standardPasses(), and `backendPasses` right before `fuse_pooling`. Fails: InvalidArgument
/// for an unknown disabled pass; Stopped, also within a pass, after a stop request
/// (Graph::setStop).
std::vector<PassReport> runPasses(Graph& graph, const PipelineOptions& options,
                                  const std::vector<Pass>& backendPasses = {});

}  // namespace strata
