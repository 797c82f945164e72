// SPDX-License-Identifier: Apache-2.0
// Checks whether a graph is well formed. The check runs after each pass that rewrote something, and
// for every graph parsed from text. In Debug builds it runs after every pass. Thread: any.
#pragma once

#include "gpu/graph/graph.h"

namespace strata {

/// Checks that a graph follows these rules:
/// - Nodes produce values before other nodes use them, and types match the shape rules.
/// - Each operand of a node is listed once in the uses of its value, and no other use is listed.
/// - Attributes are known and have the right type.
/// - The next value of a variable is produced by an op that updates the variable in place.
/// - No node reads a variable after another node has overwritten it.
/// Fails: Internal, describing the offending node and its operands.
void verify(const Graph& graph);

}  // namespace strata
