// SPDX-License-Identifier: Apache-2.0
// Graphs for tests of planner, executor and passes, with values to feed them. Not here: networks of
// layers (core). Thread: pure.
#pragma once

#include "gpu/graph/graph.h"
#include "gpu/reference/evaluate.h"

namespace strata::test {

/// f32 (uniform in -0.5..0.5) or i64 (all 1).
Tensor randomTensor(const TensorType& type, uint64_t seed);
/// One random tensor for each input, and for each variable.
NamedTensors randomInputs(const Graph& graph, uint64_t seed);
NamedTensors randomVariables(const Graph& graph, uint64_t seed);

/// A step with layers "layer0".. of random ops (products, elementwise with and without
/// broadcasting, views, reductions, softmax), a loss that depends on every byte, its gradient, and
/// an update of each variable by SGD with momentum or Adam. A seed gives the same graph for any
/// batch.
Graph randomStep(uint64_t seed, int numLayers, int64_t batch);

}  // namespace strata::test
