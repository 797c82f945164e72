// SPDX-License-Identifier: Apache-2.0
// Graphs to test rewrites with: one that contains every op once, and random training steps by seed.
// Thread: pure.
#pragma once

#include <cstdint>

#include "gpu/graph/graph.h"
#include "gpu/reference/evaluate.h"

namespace strata {

/// Contains every registered op at least once; verified.
Graph graphOfEveryOp();

/// A small random step: inputs, variables, elementwise ops, products, convolutions with pools,
/// reductions, movements, cross-entropy, and repeated, neutral and dead pieces for passes to find.
/// Half of the steps are differentiated and have updates. The seed decides the graph. `dtype`: F32
/// or F64.
Graph randomGraph(uint64_t seed, DType dtype = DType::F64);

/// Values for the inputs and variables of a graph: 0.2..1.5 with either sign, integers 0..2.
NamedTensors randomInputs(const Graph& graph, uint64_t seed);
NamedTensors randomVariables(const Graph& graph, uint64_t seed);

/// Largest difference of outputs and variables, relative to the larger magnitude (at least 1);
/// infinite if only one is NaN.
double largestDifference(const Evaluation& a, const Evaluation& b);
/// The same for the results of two graphs on the same random values.
double differenceOnRandomValues(const Graph& before, const Graph& after, uint64_t seed);
/// The first output or variable whose bits differ, or "".
std::string firstBitDifference(const Evaluation& a, const Evaluation& b);

}  // namespace strata
