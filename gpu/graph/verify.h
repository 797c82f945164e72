// SPDX-License-Identifier: Apache-2.0
// Is a graph well formed? Run after each pass in Debug and tests, and on every graph read from
// text. Thread: pure.
#pragma once

#include "gpu/graph/graph.h"

namespace strata {

/// Fails: Internal naming the offending node with its operands: inputs made before they are used,
/// types equal to the shape rule's answer, uses consistent both ways, attributes known and of the
/// right type, every variable's next made by an op that updates it in place (or a copy), no reader
/// of a variable after the node that overwrites it, in the graph's order.
void verify(const Graph& graph);

}  // namespace strata
