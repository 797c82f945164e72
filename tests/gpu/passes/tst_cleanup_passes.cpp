// SPDX-License-Identifier: Apache-2.0
// Tests the passes remove_dead, merge_common and fold_constants.
#include <doctest/doctest.h>

#include "tests/gpu/passes/pass_check.h"

using namespace strata;

TEST_SUITE("cleanup passes") {
  TEST_CASE("remove_dead removes nodes that no output needs") {
    const test::PassCheck removeDead("remove_dead");
    removeDead.rewrites(R"(%0 = exp(%100)
                           %1 = log(%100)
                           %2 = negate(%1)
                           output "o" = %0)",
                        R"(%0 = exp(%100)
                           output "o" = %0)");
    removeDead.rewrites(R"(%0 = constant() splat 2 : f32[3]
                           %1, %2, %3 = batch_norm(%100, %0, %0)
                           output "o" = %100)",
                        R"(output "o" = %100)");
  }

  TEST_CASE("remove_dead keeps updates, inputs and variables") {
    test::PassCheck("remove_dead").keeps(R"(%0 = variable() {name="w"} : f32[2,3]
                                            %1 = variable() {name="unused"} : f32[2,3]
                                            %2 = assign(%0, %100) update
                                            next "w" = %2)");
  }

  TEST_CASE("merge_common merges sums whose operands are swapped") {
    test::PassCheck("merge_common")
        .rewrites(R"(%0 = add(%100, %101)
                     %1 = add(%101, %100)
                     %2 = multiply(%0, %1)
                     output "o" = %2)",
                  R"(%0 = add(%100, %101)
                     %2 = multiply(%0, %0)
                     output "o" = %2)");
  }

  TEST_CASE("merge_common merges equal constants and the nodes that read them") {
    test::PassCheck("merge_common")
        .rewrites(R"(%0 = constant() splat 2 : f32[]
                     %1 = constant() splat 2 : f32[]
                     %2 = add(%100, %0)
                     %3 = add(%100, %1)
                     %4 = subtract(%2, %3)
                     output "o" = %4)",
                  R"(%0 = constant() splat 2 : f32[]
                     %2 = add(%100, %0)
                     %4 = subtract(%2, %2)
                     output "o" = %4)");
  }

  TEST_CASE("merge_common keeps differences whose operands are swapped") {
    test::PassCheck("merge_common").keeps(R"(%0 = subtract(%100, %101)
                                             %1 = subtract(%101, %100)
                                             %2 = add(%0, %1)
                                             output "o" = %2)");
  }

  TEST_CASE("merge_common keeps nodes with different attributes") {
    test::PassCheck("merge_common").keeps(R"(%0 = affine(%100) {scale=2}
                                             %1 = affine(%100) {scale=3}
                                             %2 = add(%0, %1)
                                             output "o" = %2)");
  }

  TEST_CASE("merge_common keeps constants with different bits or types") {
    test::PassCheck("merge_common").keeps(R"(%0 = constant() splat 0.0 : f32[]
                                             %1 = constant() splat -0.0 : f32[]
                                             %2 = constant() splat 0.0 : f64[]
                                             %3 = divide(%100, %0)
                                             %4 = divide(%100, %1)
                                             output "a" = %3
                                             output "b" = %4
                                             output "c" = %2)");
  }

  TEST_CASE("merge_common keeps updates of different variables") {
    test::PassCheck("merge_common").keeps(R"(%0 = variable() {name="v"} : f32[2,3]
                                             %1 = variable() {name="w"} : f32[2,3]
                                             %2 = assign(%0, %100) update
                                             %3 = assign(%1, %100) update
                                             next "v" = %2
                                             next "w" = %3)");
  }

  TEST_CASE("fold_constants computes nodes with constant operands") {
    const test::PassCheck foldConstants("fold_constants");
    foldConstants.rewrites(R"(%0 = constant() splat 2 : f32[]
                              %1 = constant() splat 3 : f32[]
                              %2 = add(%0, %1)
                              %3 = broadcast_to(%2) {shape=[3]}
                              %4 = multiply(%100, %3)
                              output "o" = %4)",
                           R"(%3 = constant() splat 5 : f32[3] forward
                              %4 = multiply(%100, %3)
                              output "o" = %4)");
    foldConstants.rewrites(R"(%0 = constant() data [3, 1, 2] : f32[3]
                              %1 = argmax(%0)
                              output "o" = %1)",
                           R"(%1 = constant() splat 0 : i32[]
                              output "o" = %1)");
  }

  TEST_CASE("fold_constants keeps nodes whose result is too large") {
    test::PassCheck("fold_constants").keeps(R"(%0 = constant() splat 2 : f32[]
                                               %1 = broadcast_to(%0) {shape=[1000,1000]}
                                               output "o" = %1)");
  }

  TEST_CASE("fold_constants keeps nodes that read an input") {
    test::PassCheck("fold_constants").keeps(R"(%0 = constant() splat 2 : f32[]
                                               %1 = add(%100, %0)
                                               output "o" = %1)");
  }
}
