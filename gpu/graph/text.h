// SPDX-License-Identifier: Apache-2.0
// The text form of a graph, printed and parsed, and Graphviz output. parse(print(g)) prints the
// same text. Thread: pure.
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
/// "{axis=1}", without attributes that have their default value.
std::string attributesText(const Node& node);
/// Fails: InvalidFile with line and column. The result is verified. Constants are printed in full
/// up to 4096 elements, or as "splat" if all elements are equal. Larger constants are printed as a
/// hash and cannot be parsed (Fails: InvalidFile).
Graph parseGraph(std::string_view text);
std::string toDot(const Graph& graph);

}  // namespace strata
