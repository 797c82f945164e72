// SPDX-License-Identifier: Apache-2.0
// Builds graphs for tests of rewrites: one graph that contains every op, and random training steps.
// Any thread may call these functions.
#pragma once

#include <cstdint>

#include "gpu/graph/graph.h"
#include "gpu/reference/evaluate.h"

namespace strata {

/// Returns a verified graph that contains every registered op at least once.
Graph graphOfEveryOp();

/// Returns a small random training step, which depends only on the seed. It contains elementwise
/// ops, products, convolutions, pooling, reductions, movements of data and cross-entropy. For the
/// passes it also contains repeated, neutral and unused ops. Half of the steps have gradients and
/// updates. `dtype` is F32 or F64.
Graph randomGraph(uint64_t seed, DType dtype = DType::F64);

/// Return random values for the inputs or the variables of a graph. Floating-point values have a
/// magnitude of 0.2 to 1.5 and a random sign; integers lie between 0 and 2.
NamedTensors randomInputs(const Graph& graph, uint64_t seed);
NamedTensors randomVariables(const Graph& graph, uint64_t seed);

/// Returns the largest difference between outputs or variables of `a` and `b`. It is relative to
/// the larger magnitude or to 1, whichever is larger. Returns infinity if only one side has a NaN.
double largestDifference(const Evaluation& a, const Evaluation& b);
/// Evaluates two graphs on the same random values and returns largestDifference() of the results.
double differenceOnRandomValues(const Graph& before, const Graph& after, uint64_t seed);
/// Returns the name of the first output or variable with different bits, or "" if there is none.
std::string firstBitDifference(const Evaluation& a, const Evaluation& b);

}  // namespace strata
