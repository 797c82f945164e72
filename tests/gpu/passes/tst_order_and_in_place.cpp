// SPDX-License-Identifier: Apache-2.0
// Tests the passes order and start_sums, which decide when nodes run, and the pass in_place, which
// only reports.
#include <doctest/doctest.h>

#include <vector>

#include "gpu/graph/text.h"
#include "tests/gpu/passes/pass_check.h"

using namespace strata;

TEST_SUITE("order and in_place") {
  TEST_CASE("order moves updates to the end") {
    test::PassCheck("order", R"(%0 = variable() {name="w"} : f32[2,3])")
        .rewrites(R"(%1 = assign(%0, %100) update
                     %2 = exp(%101)
                     next "w" = %1
                     output "o" = %2)",
                  R"(%2 = exp(%101)
                     %1 = assign(%0, %100) update
                     next "w" = %1
                     output "o" = %2)");
  }

  TEST_CASE("order moves a node that makes its result larger to its first reader") {
    test::PassCheck("order").rewrites(R"(%0 = reduce_sum(%100) {axes=[0,1]}
                                         %1 = broadcast_to(%0) {shape=[50,2,3]}
                                         %2 = exp(%101)
                                         %3 = negate(%2)
                                         %4 = add(%3, %1)
                                         output "o" = %4)",
                                      R"(%2 = exp(%101)
                                         %3 = negate(%2)
                                         %0 = reduce_sum(%100) {axes=[0,1]}
                                         %1 = broadcast_to(%0) {shape=[50,2,3]}
                                         %4 = add(%3, %1)
                                         output "o" = %4)");
  }

  TEST_CASE("order does not move a small result if that keeps its large operand alive") {
    test::PassCheck("order").keeps(R"(%0 = broadcast_to(%100) {shape=[50,2,3]}
                                      %1 = reduce_sum(%0) {axes=[0,1,2]}
                                      %2 = exp(%101)
                                      %3 = negate(%2)
                                      %4 = add(%3, %1)
                                      output "o" = %4)");
  }

  TEST_CASE("order keeps a reader of weights before their update, however large its result is") {
    test::PassCheck("order").keeps(R"(%0 = variable() {name="w"} : f32[2,3]
                                      %1 = broadcast_to(%0) {shape=[50,2,3]} update
                                      %2 = assign(%0, %100) update
                                      %3 = add(%1, %2) update
                                      next "w" = %2
                                      output "o" = %3)");
  }

  TEST_CASE(
      "start_sums begins each sum when its operands are there, in the order of their numbers") {
    test::PassCheck("start_sums")
        .rewrites(R"(%0 = exp(%100)
                     %1 = negate(%0)
                     %2 = abs(%1)
                     %3 = square(%1) update
                     %4, %5 = all_reduce_start(%3) {count=2,number=0,processes=2} update
                     %6, %7 = all_reduce_start(%0) {count=2,number=1,processes=2} update
                     %8 = all_reduce_done(%4, %5) {count=2,number=0,processes=2} update
                     %9 = all_reduce_done(%6, %7) {count=2,number=1,processes=2} update
                     %10 = add(%8, %9) update
                     output "o" = %10
                     output "p" = %2)",
                  R"(%0 = exp(%100)
                     %1 = negate(%0)
                     %3 = square(%1) backward
                     %4, %5 = all_reduce_start(%3) {count=2,number=0,processes=2} backward
                     %6, %7 = all_reduce_start(%0) {count=2,number=1,processes=2} backward
                     %2 = abs(%1)
                     %8 = all_reduce_done(%4, %5) {count=2,number=0,processes=2} update
                     %9 = all_reduce_done(%6, %7) {count=2,number=1,processes=2} update
                     %10 = add(%8, %9) update
                     output "o" = %10
                     output "p" = %2)");
  }

  TEST_CASE("start_sums leaves a step of one process alone") {
    test::PassCheck("start_sums").keeps(R"(%0 = exp(%100)
                                           output "o" = %0)");
  }

  TEST_CASE("in_place reports how many bytes it saves and does not change the graph") {
    Graph graph = test::graphOf(R"(%0 = exp(%100)
                                   %1 = negate(%0)
                                   %2 = sqrt(%1)
                                   output "o" = %2)");
    const std::string before = printGraph(graph);
    const std::vector<PassReport> reports = runPasses(graph, test::onlyPass("in_place"));
    CHECK(printGraph(graph) == before);
    const PassReport& report = reports[reports.size() - 2];
    CHECK(report.rewrites == 2);
    CHECK(report.details.at(0).find("64 fewer bytes (128 -> 64)") != std::string::npos);
  }
}
