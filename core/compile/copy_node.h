// SPDX-License-Identifier: Apache-2.0
// Copies parts of a graph to another one.
// Thread: edits only the given graph.
#pragma once

#include <vector>

#include "gpu/graph/graph.h"

namespace strata {

/// Adds a node like `node` with other operands, which have the same types. The outputs keep their
/// categories.
NodeId copyNode(Graph& to, const Graph& from, const Node& node, std::vector<ValueId> inputs);
/// Adds an input or constant like that of `node`, or returns the input of this name if it exists.
ValueId copySource(Graph& to, const Graph& from, const Node& node);
/// Adds a variable like that of `node`, or returns the value of the variable of this name.
ValueId copyVariable(Graph& to, const Graph& from, const Node& node);

}  // namespace strata
