// SPDX-License-Identifier: Apache-2.0
// Prints and parses the text form of a graph, and prints graphs for Graphviz. If the text of
// printGraph() is parsed and printed again, it stays the same. Thread: any.
//
//   strata-graph 1
//   %0 = input() {name="x"} : f32[64,784] !input
//   %1 = variable() {name="out/kernel", trainable=true} : f32[784,10] !parameter
//   %2 = matmul(%0, %1) {activation="relu"} : f32[64,10] !activation @"out" forward
//   %3, %4 = max_pool2d(%2) {...} : f32[..], u8[..] !activation,temporary @"pool" forward
//   next "out/kernel" = %9
//   output "loss" = %7
#pragma once

#include <string>
#include <string_view>

#include "gpu/graph/graph.h"

namespace strata {

/// Returns the graph as text. A constant is printed as "splat" if all its elements are equal. Of
/// other constants with more than 4096 elements, only a hash is printed.
std::string printGraph(const Graph& graph);
/// Returns the attributes that differ from their defaults as text, such as "{axis=1}". Node::slices
/// is printed among them if it is not 1.
std::string attributesText(const Node& node);
/// Parses and verifies a graph.
/// Fails: InvalidFile with line and column, for example if only the hash of a constant was printed.
Graph parseGraph(std::string_view text);
/// Returns the graph in Graphviz's DOT language.
std::string toDot(const Graph& graph);

}  // namespace strata
