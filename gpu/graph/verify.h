// SPDX-License-Identifier: Apache-2.0
// Checks whether a graph is well formed: after each pass in Debug builds and tests, and for every
// graph read from text. Thread: pure.
#pragma once

#include "gpu/graph/graph.h"

namespace strata {

/// Fails: Internal, with the offending node and its operands, unless
/// - inputs are produced before they are used, and types match the shape rules,
/// - uses are consistent in both directions,
/// - attributes are known and have the right type,
/// - every variable's next is produced by an op that updates it in place (or is a copy),
/// - no node reads a variable after the node that overwrites it.
void verify(const Graph& graph);

}  // namespace strata
