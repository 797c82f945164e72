// SPDX-License-Identifier: Apache-2.0
// Reverse-mode automatic differentiation: one reverse walk that appends the gradient rules' ops to
// the graph.
// Thread: edits the given graph only.
#pragma once

#include <span>
#include <vector>

#include "gpu/graph/graph.h"

namespace strata {

struct GradientSeed {
  // Differentiated
  ValueId value;
  // d(objective)/d(value), same type; invalid: ones
  ValueId gradient;
};

/// Appends d(sum of seeds)/d(target) for each target, in phase Backward, category Temporary with
/// the last write into a target that is a parameter in category Gradient; nodes carry the layer of
/// the node they differentiate. A target the seeds do not depend on gives an invalid id. Gradients
/// of a value with several uses are added in a fixed order. Nothing is computed that no target
/// needs.
/// Fails: UnsupportedOp naming op and layer where a needed rule is missing, with the op's reason.
std::vector<ValueId> differentiate(Graph& graph, std::span<const GradientSeed> seeds,
                                   std::span<const ValueId> targets);

}  // namespace strata
