// SPDX-License-Identifier: Apache-2.0
// Builds graphs, with values for their inputs, for tests of the planner, the executor and the
// passes. It does not build networks of layers, which belong to core. Any thread may call these
// functions.
#pragma once

#include "gpu/graph/graph.h"
#include "gpu/reference/evaluate.h"

namespace strata::test {

/// Returns an f32 tensor with uniform values between -0.5 and 0.5, or an i64 tensor of ones.
Tensor randomTensor(const TensorType& type, uint64_t seed);
/// Return one random tensor for each input or each variable of the graph.
NamedTensors randomInputs(const Graph& graph, uint64_t seed);
NamedTensors randomVariables(const Graph& graph, uint64_t seed);

/// Returns a training step with layers "layer0", "layer1" and so on. The layers are random:
/// products, elementwise ops with and without broadcasting, views, reductions and softmax. The loss
/// adds the means of several layers' outputs. SGD or Adam updates each variable. The structure
/// depends on the seed and not on the batch size.
Graph randomStep(uint64_t seed, int numLayers, int64_t batch);

}  // namespace strata::test
