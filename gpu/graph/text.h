// SPDX-License-Identifier: Apache-2.0
// Prints and parses the text form of a graph, and writes Graphviz files. Printing a parsed graph
// gives the same text again. Thread: any.
//
//   strata-graph 1
//   %0 = input() {name="x"} : f32[64,784] !input
//   %1 = variable() {name="out/kernel", trainable=true} : f32[784,10] !parameter
//   %2 = matmul(%0, %1) {activation="linear"} : f32[64,10] !activation @"out" forward
//   %3, %4 = max_pool(%2) {...} : f32[..], u8[..] !activation,temporary @"pool" forward
//   next "out/kernel" = %9
//   output "loss" = %7
#pragma once

#include <string>
#include <string_view>

#include "gpu/graph/graph.h"

namespace strata {

std::string printGraph(const Graph& graph);
/// Returns the attributes that differ from their defaults as text, such as "{axis=1}".
std::string attributesText(const Node& node);
/// Parses and verifies a graph. printGraph() prints a constant as "splat" if all its elements are
/// equal. It prints only a hash of other constants with more than 4096 elements, which cannot be
/// parsed.
/// Fails: InvalidFile with line and column.
Graph parseGraph(std::string_view text);
/// Returns the graph in Graphviz's DOT language.
std::string toDot(const Graph& graph);

}  // namespace strata
