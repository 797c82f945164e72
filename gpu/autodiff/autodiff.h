// SPDX-License-Identifier: Apache-2.0
// Reverse-mode automatic differentiation: one reverse walk over the graph appends the ops of the
// gradient rules.
// Thread: edits the given graph only.
#pragma once

#include <span>
#include <vector>

#include "gpu/graph/graph.h"

namespace strata {

struct GradientSeed {
  // The value to differentiate
  ValueId value;
  // d(objective)/d(value), of the same type; invalid: all ones
  ValueId gradient;
};

/// Appends d(sum of seeds)/d(target) for each target, in phase Backward. The final gradients of
/// parameters have category Gradient, all other values Temporary. Each node has the layer of the
/// node it differentiates. The result is invalid for a target that the seeds do not depend on.
/// Gradients of a value with several uses are added in a fixed order. Only what a target needs is
/// computed.
/// Fails: UnsupportedOp, with op, layer and reason, if a needed rule is missing.
std::vector<ValueId> differentiate(Graph& graph, std::span<const GradientSeed> seeds,
                                   std::span<const ValueId> targets);

}  // namespace strata
