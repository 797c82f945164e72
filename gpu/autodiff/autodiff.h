// SPDX-License-Identifier: Apache-2.0
// Reverse-mode automatic differentiation. It visits the nodes of a graph in reverse order and
// appends the ops of their gradient rules. The rules themselves are in gpu/ops.
// Thread: any, while no other thread uses the graph.
#pragma once

#include <span>
#include <vector>

#include "gpu/graph/graph.h"

namespace strata {

/// A value to differentiate. The objective is the sum of `value` times `gradient` over all elements
/// of all seeds.
struct GradientSeed {
  ValueId value;
  // Has the same type as `value`. If the id is invalid, all elements are 1.
  ValueId gradient;
};

/// Appends nodes that compute the gradient of the objective with respect to each target. Returns
/// one gradient per target; it is invalid if the objective does not depend on the target. The new
/// nodes have phase Backward and the layer of the node that they differentiate. The gradients of
/// parameters get category Gradient, all other new values category Temporary. Only gradients that
/// the targets need are computed. If a value has several uses, their gradients are added in a fixed
/// order.
/// Fails: UnsupportedOp, with op, layer and reason, if the gradient of an op without a rule is
/// needed.
std::vector<ValueId> differentiate(Graph& graph, std::span<const GradientSeed> seeds,
                                   std::span<const ValueId> targets);

}  // namespace strata
