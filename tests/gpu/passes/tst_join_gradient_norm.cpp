// SPDX-License-Identifier: Apache-2.0
// Tests the pass join_gradient_norm.
#include <doctest/doctest.h>

#include "gpu/graph/text.h"
#include "tests/gpu/passes/pass_check.h"

using namespace strata;

namespace {

const std::string kShared = R"(%0 = variable() {name="w"} : f32[2,3]
                               %1 = input() {name="rate"} : f32[]
                               %2 = input() {name="step"} : i64[]
                               %3 = input() {name="loss"} : f32[])";
const std::string kUpdate = R"(%9 = sgd_update(%0, %100, %1, %8) update
                               next "w" = %9
                               output "finite" = %8
                               output "norm" = %7)";

/// Runs the pass on a device with or without its trait.
Graph joined(const std::string& lines, bool joins = true) {
  Graph graph = test::graphOf({kShared, lines, kUpdate});
  PipelineOptions options = test::onlyPass("join_gradient_norm");
  options.device.joinsGradientNorm = joins;
  for (const PassReport& report : runPasses(graph, options))
    CHECK(report.failure == "");
  return graph;
}

void rewrites(const std::string& before, const std::string& after) {
  CAPTURE(before);
  CHECK(printGraph(joined(before)) == printGraph(test::graphOf({kShared, after, kUpdate})));
}

void keeps(const std::string& lines) { rewrites(lines, lines); }

}  // namespace

TEST_SUITE("join_gradient_norm") {
  TEST_CASE("the op that checks gradients computes their norm, too") {
    rewrites(R"(%7 = gradient_norm(%2, %100, %101) update
                %8 = all_finite(%100, %101, %3) update)",
             R"(%8, %7 = all_finite_and_norm(%100, %101, %3) {measured=2} update)");
  }

  TEST_CASE("the order of the operands is that of the norm, and the check may come first") {
    rewrites(R"(%8 = all_finite(%3, %100, %101) update
                %7 = gradient_norm(%2, %101, %100) {interval=3} update)",
             R"(%8, %7 = all_finite_and_norm(%101, %100, %3) {measured=2} update)");
  }

  TEST_CASE("a gradient that counts twice in the norm still does") {
    rewrites(R"(%7 = gradient_norm(%2, %100, %100) update
                %8 = all_finite(%100, %100, %3) update)",
             R"(%8, %7 = all_finite_and_norm(%100, %100, %3) {measured=2} update)");
  }

  TEST_CASE("a norm of gradients that one op does not check stays") {
    keeps(R"(%7 = gradient_norm(%2, %100, %101) update
             %8 = all_finite(%100, %3) update)");
    keeps(R"(%7 = gradient_norm(%2, %100, %101) update
             %6 = all_finite(%100) update
             %8 = all_finite(%6, %101) {chained=true} update)");
  }

  TEST_CASE("an unknown norm, and one of products that are never stored, stay") {
    keeps(R"(%7 = gradient_norm(%2) update
             %8 = all_finite(%100, %3) update)");
    keeps(R"(%7 = gradient_norm(%2, %100, %101) {pairs=1} update
             %8 = all_finite(%3, %100, %101) {pairs=1} update)");
    keeps(R"(%7 = gradient_norm(%2, %100) update
             %8 = all_finite(%3, %100, %101) {pairs=1} update)");
  }

  TEST_CASE("a norm that another op reads stays, because it may come before the check") {
    keeps(R"(%6 = gradient_norm(%2, %100) update
             %7 = sqrt(%6) update
             %8 = all_finite(%100, %3) update)");
  }

  TEST_CASE("a device that does not join them keeps both") {
    const std::string lines = R"(%7 = gradient_norm(%2, %100) update
                                 %8 = all_finite(%100, %3) update)";
    CHECK(printGraph(joined(lines, false)) == printGraph(test::graphOf({kShared, lines, kUpdate})));
  }
}
