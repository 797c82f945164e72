// SPDX-License-Identifier: Apache-2.0
// Tests the pass choose_layouts with made-up times of convolutions, and the minimum cut that it
// computes.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>

#include "gpu/cuda/passes/choose_layouts.h"
#include "gpu/cuda/passes/min_cut.h"
#include "gpu/graph/op.h"
#include "gpu/graph/verify.h"
#include "gpu/ops/layout.h"
#include "tests/gpu/passes/pass_check.h"
#include "tests/support/random_graph.h"

TEST_SUITE_BEGIN("layouts");

namespace strata::test {
namespace {

using Layouts = std::map<std::string, bool>;

/// Times of each layer's convolutions with channels last and first, in microseconds. Negative: the
/// card cannot compute them.
using Times = std::map<std::string, std::pair<double, double>>;

cuda::LayoutOptions optionsOf(const Times& times) {
  cuda::LayoutOptions options;
  options.bytesPerSecond = 1e12;
  options.seconds = [times](const Graph& graph, NodeId id) -> std::optional<double> {
    const Node& node = graph.node(id);
    // Reductions take as long in either order, unless the image has one channel
    if (node.op->kind == OpKind::Reduction)
      return graph.shape(node.inputs[0])[1] == 1 ? 1e-6 : 2e-6;
    const auto& [last, first] = times.at(node.layer);
    const double time = isChannelsFirst(node.attributes) ? first : last;
    return time < 0 ? std::nullopt : std::optional(time * 1e-6);
  };
  return options;
}

/// Chooses layouts, checks that results keep their bits, and returns the graph.
Graph chosen(const Graph& before, const cuda::LayoutOptions& options, int rewrites) {
  Graph after = before;
  PassReport report;
  cuda::chooseLayouts(after, options, report);
  verify(after);
  CHECK(report.rewrites == rewrites);
  const NamedTensors inputs = randomInputs(before, 7), variables = randomVariables(before, 7);
  CHECK(firstBitDifference(evaluateGraph(before, inputs, variables),
                           evaluateGraph(after, inputs, variables)) == "");
  return after;
}

Graph chosen(const Graph& before, const Times& times, int rewrites) {
  return chosen(before, optionsOf(times), rewrites);
}

int countOf(const Graph& graph, std::string_view op) {
  return static_cast<int>(std::ranges::count_if(
      graph.order(), [&](NodeId id) { return graph.node(id).op->name == op; }));
}

/// Returns for each op that has an order of images whether channels are first, by op and layer.
Layouts layoutsOf(const Graph& graph) {
  Layouts result;
  for (const NodeId id : graph.order())
    if (const Node& node = graph.node(id); hasLayout(*node.op))
      result[node.op->name + " " + node.layer] = isChannelsFirst(node.attributes);
  return result;
}

// Two convolutions with all that may stand between them, and a dense layer
constexpr const char* kNetwork = R"(
  %0 = variable() {name="w1"} : f32[3,3,3,8]
  %1 = variable() {name="w2"} : f32[3,3,8,4]
  %2 = variable() {name="gamma"} : f32[8]
  %3 = input() {name="image"} : f32[2,8,8,3]
  %4 = conv2d(%3, %0) {padding_before=[1,1], padding_after=[1,1]} @"a"
  %5, %6, %7 = batch_norm(%4, %2, %2) @"a"
  %8 = activation(%5) {kind="relu"} @"a"
  %9, %10 = max_pool2d(%8) {pool_size=[2,2], strides=[2,2]} @"a"
  %11 = conv2d(%9, %1) {padding_before=[1,1], padding_after=[1,1]} @"b"
  %12 = add(%11, %11) @"b"
  %13 = reshape(%12) {shape=[2,64]} @"c"
  output "y" = %13
  output "mean" = %6)";

}  // namespace

TEST_CASE("convolutions that are faster with channels first get them, and all ops between them") {
  const Graph after = chosen(graphOf(kNetwork), {{"a", {90, 10}}, {"b", {90, 10}}}, 2);
  CHECK(layoutsOf(after) == Layouts{{"conv2d a", true},
                                    {"batch_norm a", true},
                                    {"max_pool2d a", true},
                                    {"conv2d b", true}});
  // The image, and the operand of the reshape
  CHECK(countOf(after, "transpose") == 2);
}

TEST_CASE("a convolution keeps channels last if transposes take longer than they save") {
  // A transpose takes 2 us
  const Graph both = graphOf(kNetwork);
  CHECK(countOf(chosen(both, {{"a", {10, 10}}, {"b", {10, 10}}}, 0), "transpose") == 0);
  CHECK(countOf(chosen(both, {{"a", {13, 9}}, {"b", {10, 10}}}, 0), "transpose") == 0);
  CHECK(layoutsOf(chosen(both, {{"a", {15, 10}}, {"b", {10, 10}}}, 1))["conv2d b"] == false);
  // Together they save more than two transposes
  CHECK(countOf(chosen(both, {{"a", {13, 10}}, {"b", {13, 10}}}, 2), "transpose") == 2);
  // Only the place of the second transpose differs
  CHECK(countOf(chosen(both, {{"a", {90, 10}}, {"b", {10, 12}}}, 1), "transpose") == 2);
}

TEST_CASE("a convolution that the card cannot compute with channels first keeps channels last") {
  const Layouts layouts =
      layoutsOf(chosen(graphOf(kNetwork), {{"a", {90, 10}}, {"b", {90, -1}}}, 1));
  CHECK(layouts.at("conv2d a"));
  CHECK_FALSE(layouts.at("conv2d b"));
  chosen(graphOf(kNetwork), {{"a", {90, -1}}, {"b", {90, -1}}}, 0);
}

TEST_CASE("a forced order is that of all convolutions that can have it") {
  for (const bool isFirst : {false, true}) {
    cuda::LayoutOptions options =
        optionsOf({{"a", {10, isFirst ? 90 : 1}}, {"b", {10, isFirst ? 90 : 1}}});
    options.forced = isFirst ? kChannelsFirst : kChannelsLast;
    const Layouts layouts = layoutsOf(chosen(graphOf(kNetwork), options, isFirst ? 2 : 0));
    CHECK(layouts.at("conv2d a") == isFirst);
    CHECK(layouts.at("conv2d b") == isFirst);
  }
}

TEST_CASE("images with one channel are not copied, and readers share a transpose") {
  const Graph after = chosen(graphOf(R"(
    %0 = variable() {name="w1"} : f32[3,3,1,4]
    %1 = variable() {name="w2"} : f32[3,3,1,4]
    %2 = input() {name="image"} : f32[2,8,8,1]
    %3 = conv2d(%2, %0) @"a"
    %4 = conv2d(%2, %1) @"b"
    %5 = add(%3, %4)
    %6 = reshape(%5) {shape=[2,144]}
    %7 = broadcast_to(%5) {shape=[2,6,6,4]}
    output "x" = %6
    output "y" = %7)"),
                             {{"a", {90, 10}}, {"b", {90, 10}}}, 2);
  CHECK(countOf(after, "transpose") == 1);
  CHECK(countOf(after, "reshape") == 2);
}

TEST_CASE("reductions without the channels, or of them alone, need no transpose") {
  const Graph after = chosen(graphOf(R"(
    %0 = variable() {name="w"} : f32[3,3,2,4]
    %1 = input() {name="image"} : f32[2,8,8,2]
    %2 = conv2d(%1, %0) @"a"
    %3 = reduce_sum(%2) {axes=[0,1,2]} @"a"
    %4 = reduce_max(%2) {axes=[1,2]} @"a"
    %5 = reduce_sum(%2) {axes=[3]} @"a"
    output "x" = %3
    output "y" = %4
    output "z" = %5)"),
                             {{"a", {15, 10}}}, 1);
  CHECK(countOf(after, "transpose") == 1);
  // Without the height alone, the order of the others would change
  const Graph rows = chosen(graphOf(R"(
    %0 = variable() {name="w"} : f32[3,3,2,4]
    %1 = input() {name="image"} : f32[2,8,8,2]
    %2 = conv2d(%1, %0) @"a"
    %3 = reduce_sum(%2) {axes=[1]} @"a"
    output "x" = %3)"),
                            {{"a", {15, 10}}}, 1);
  CHECK(countOf(rows, "transpose") == 2);
}

TEST_CASE("without a convolution that changes, reductions keep their order") {
  const Graph after = chosen(graphOf(R"(
    %0 = variable() {name="w"} : f32[3,3,2,1]
    %1 = input() {name="image"} : f32[2,8,8,2]
    %2 = conv2d(%1, %0) @"a"
    %3 = reduce_sum(%2) {axes=[1,2]} @"a"
    output "x" = %3)"),
                             {{"a", {10, 10}}}, 0);
  CHECK(countOf(after, "reshape") == 0);
}

TEST_CASE("gradients of weights are no images") {
  const Graph after = chosen(graphOf(R"(
    %0 = input() {name="image"} : f32[2,8,8,2]
    %1 = input() {name="dy"} : f32[2,6,6,4]
    %2 = conv2d_backward_weights(%0, %1) {weight_shape=[3,3,2,4]} @"a" backward
    %3 = add(%2, %2) @"a" backward
    output "dw" = %3)"),
                             {{"a", {15, 10}}}, 1);
  CHECK(countOf(after, "transpose") == 2);
}

TEST_CASE("random elements and weights keep their order") {
  const Graph after = chosen(graphOf(R"(
    %0 = variable() {name="w"} : f32[3,3,2,4]
    %1 = input() {name="image"} : f32[2,8,8,2]
    %2 = input() {name="seed"} : i64[]
    %3 = input() {name="step"} : i64[]
    %4 = add(%0, %0) @"a"
    %5 = conv2d(%1, %4) @"a"
    %6 = dropout(%5, %2, %3, %3) {rate=0.5, stream="drop"} @"a"
    %7 = conv2d_backward_data(%6, %4) {input_shape=[2,8,8,2]} @"a" backward
    %8 = conv2d_backward_weights(%1, %6) {weight_shape=[3,3,2,4]} @"a" backward
    %9 = add(%8, %4) backward
    output "dx" = %7
    output "dw" = %9)"),
                             {{"a", {90, 10}}}, 3);
  const NodeId dropped = [&] {
    for (const NodeId id : after.order())
      if (after.node(id).op->name == "dropout") return id;
    return NodeId{};
  }();
  REQUIRE(dropped.isValid());
  CHECK(after.shape(after.node(dropped).outputs[0]) == Shape{2, 6, 6, 4});
}

TEST_CASE("the cut is a minimum one, with the fewest vertices on the side of the sink") {
  std::mt19937 random(5);
  const auto below = [&](unsigned limit) {
    return static_cast<int>(random() % limit);
  };
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    struct Edge {
      int from, to;
      int64_t cost;
    };
    const int vertices = 2 + below(7);
    std::vector<Edge> edges;
    cuda::MinCut cut(vertices);
    for (int i = 0, count = below(24); i < count; ++i) {
      const Edge edge{below(static_cast<unsigned>(vertices)),
                      below(static_cast<unsigned>(vertices)),
                      below(6) == 0 ? cuda::MinCut::kInfinite : below(9)};
      // The source must be separable from the sink
      if (edge.from == edge.to || (edge.from == 0 && edge.to == 1) ||
          (edge.cost == cuda::MinCut::kInfinite && edge.from > edge.to))
        continue;
      edges.push_back(edge);
      cut.add(edge.from, edge.to, edge.cost);
    }
    // The bits of a cut are the vertices on the side of the sink
    const auto costOf = [&](unsigned sinkSide) {
      int64_t cost = 0;
      for (const Edge& edge : edges)
        if ((sinkSide >> edge.from & 1) == 0 && (sinkSide >> edge.to & 1) == 1)
          cost = std::min(cuda::MinCut::kInfinite, cost + edge.cost);
      return cost;
    };
    int64_t least = INT64_MAX;
    int fewest = 0;
    for (unsigned sinkSide = 0; sinkSide < 1u << vertices; ++sinkSide) {
      if ((sinkSide & 1) != 0 || (sinkSide & 2) == 0) continue;
      const int count = __builtin_popcount(sinkSide);
      if (const int64_t cost = costOf(sinkSide);
          cost < least || (cost == least && count < fewest)) {
        least = cost;
        fewest = count;
      }
    }
    unsigned found = 0;
    const std::vector<char> isOfSink = cut.solve();
    for (int i = 0; i < vertices; ++i)
      if (isOfSink[static_cast<size_t>(i)] != 0) found |= 1u << i;
    CHECK(costOf(found) == least);
    if (least < cuda::MinCut::kInfinite) CHECK(__builtin_popcount(found) == fewest);
  }
}

TEST_SUITE_END();

}  // namespace strata::test
