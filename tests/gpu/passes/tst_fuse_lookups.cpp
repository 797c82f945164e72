// SPDX-License-Identifier: Apache-2.0
// Tests fuse_lookups, and that mixed_precision rounds lookups in weights.
#include <doctest/doctest.h>

#include "gpu/graph/text.h"
#include "gpu/passes/standard_passes.h"
#include "tests/gpu/passes/pass_check.h"
#include "tests/support/random_graph.h"

using namespace strata;

namespace {

/// Runs one pass on a device with all traits of lookups. Returns the number of rewrites.
int rewrites(Graph& graph, const std::string& pass, Precision precision = Precision::Float32) {
  PipelineOptions options = test::onlyPass(pass);
  options.device.sumsSquaresOfLookups = options.device.roundsLookups = true;
  options.precision = precision;
  int result = 0;
  for (const PassReport& report : runPasses(graph, options)) {
    CHECK(report.failure == "");
    result += report.rewrites;
  }
  return result;
}

std::string tableAnd(const std::string& lines) {
  return R"(%0 = variable() {name="table", trainable=true} : f32[4,3]
            %1 = input() {name="rows"} : i32[5]
            %2 = input() {name="dy"} : bf16[5,3]
            %3 = input() {name="dy32"} : f32[5,3]
         )" +
         lines;
}

}  // namespace

TEST_SUITE("lookups") {
  TEST_CASE("squares of gradients are summed directly, from numbers of 16 bits if they have 16") {
    const Graph before = test::graphOf(tableAnd(R"(%10 = cast(%2) {dtype="f32"}
                                                   %11 = square(%10)
                                                   %12 = gather_backward(%11, %1) {rows=4}
                                                   %13 = square(%3)
                                                   %14 = gather_backward(%13, %1) {rows=4}
                                                   output "a" = %12
                                                   output "b" = %14)"));
    Graph after = before;
    CHECK(rewrites(after, "fuse_lookups") == 2);
    CHECK(printGraph(after).find("square(") == std::string::npos);
    CHECK(printGraph(after).find("cast(") == std::string::npos);
    CHECK(differenceOnRandomValues(before, after, 5) == 0);
  }

  TEST_CASE("squares that something else uses, and plain sums, stay") {
    Graph graph = test::graphOf(tableAnd(R"(%13 = square(%3)
                                            %14 = gather_backward(%13, %1) {rows=4}
                                            %15 = gather_backward(%3, %1) {rows=4}
                                            output "a" = %13
                                            output "b" = %14
                                            output "c" = %15)"));
    CHECK(rewrites(graph, "fuse_lookups") == 0);
  }

  TEST_CASE("rows of weights are rounded by the lookup, and rows of data are not") {
    Graph graph = test::graphOf(R"(%0 = variable() {name="table", trainable=true} : f32[4,3] @"a"
                                   %1 = input() {name="rows"} : i32[5]
                                   %2 = input() {name="data"} : f32[4,3]
                                   %10 = gather(%0, %1) @"a"
                                   %11 = gather(%2, %1) @"a"
                                   output "a" = %10
                                   output "b" = %11)");
    CHECK(rewrites(graph, "mixed_precision", Precision::BFloat16) == 1);
    const auto roundsOf = [&](ValueId table) {
      const Node& lookup = graph.node(graph.value(table).uses.begin()->node);
      return lookup.attributes.get<std::string>("dtype");
    };
    CHECK(roundsOf(graph.findVariable("table")->value) == "bf16");
    CHECK(roundsOf(findInput(graph, "data")) == "");
  }
}
