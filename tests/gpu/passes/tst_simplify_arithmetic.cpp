// SPDX-License-Identifier: Apache-2.0
// Tests the pass simplify_arithmetic.
#include <doctest/doctest.h>

#include "tests/gpu/passes/pass_check.h"

using namespace strata;

namespace {

const test::PassCheck kSimplify("simplify_arithmetic");

}  // namespace

TEST_SUITE("simplify_arithmetic") {
  TEST_CASE("adding and subtracting 0 is removed") {
    for (const char* operation :
         {"%9 = add(%100, %0)", "%9 = add(%0, %100)", "%9 = subtract(%100, %0)"})
      kSimplify.replacesByX({"%0 = constant() splat 0 : f32[]", operation});
  }

  TEST_CASE("multiplying with 1 and dividing by 1 is removed") {
    for (const char* operation : {"%9 = multiply(%0, %100)", "%9 = divide(%100, %0)"})
      kSimplify.replacesByX({"%0 = constant() splat 1 : f32[2,3]", operation});
  }

  TEST_CASE("a sum over no axes is removed") {
    kSimplify.replacesByX("%9 = reduce_sum(%100) {axes=[]}");
  }

  TEST_CASE("two affine functions in a row become one") {
    kSimplify.rewrites(R"(%0 = affine(%100) {scale=2, offset=1}
                          %1 = affine(%0) {scale=3, offset=5}
                          output "o" = %1)",
                       R"(%1 = affine(%100) {scale=6, offset=8}
                          output "o" = %1)");
  }

  TEST_CASE("a chain of arithmetic with constants becomes one affine function") {
    kSimplify.rewrites(R"(%0 = constant() splat 2 : f32[]
                          %1 = multiply(%100, %0)
                          %2 = add(%1, %0)
                          %3 = divide(%2, %0)
                          %4 = subtract(%0, %3)
                          %5 = negate(%4)
                          output "o" = %5)",
                       R"(%5 = affine(%100) {offset=-1}
                          output "o" = %5)");
  }

  TEST_CASE("multiplying with 0 becomes an affine function, because NaN * 0 is NaN") {
    kSimplify.rewrites(R"(%0 = constant() splat 0 : f32[]
                          %1 = multiply(%100, %0)
                          output "o" = %1)",
                       R"(%1 = affine(%100) {scale=0}
                          output "o" = %1)");
    kSimplify.keeps(R"(%0 = affine(%100) {scale=0}
                       output "o" = %0)");
  }

  TEST_CASE("the power of 2 becomes a square") {
    kSimplify.rewrites(R"(%0 = constant() splat 2 : f32[]
                          %1 = power(%100, %0)
                          output "o" = %1)",
                       R"(%1 = square(%100)
                          output "o" = %1)");
  }

  TEST_CASE("a broadcast is removed if its reader broadcasts anyway") {
    test::PassCheck("simplify_arithmetic", R"(%0 = input() {name="b"} : f32[3])")
        .rewrites(R"(%1 = broadcast_to(%0) {shape=[2,3]}
                     %2 = add(%100, %1)
                     output "o" = %2)",
                  R"(%2 = add(%100, %0)
                     output "o" = %2)");
  }

  TEST_CASE("adding 0 is kept if it broadcasts") {
    kSimplify.keeps(R"(%2 = reduce_sum(%100) {axes=[0], keepdims=true}
                       %0 = constant() splat 0 : f32[2,3]
                       %3 = add(%2, %0)
                       output "o" = %3)");
  }

  TEST_CASE("an affine function is kept if another node reads it") {
    kSimplify.keeps(R"(%0 = affine(%100) {scale=2}
                       %1 = affine(%0) {scale=3}
                       output "o" = %1
                       output "p" = %0)");
  }

  TEST_CASE("adding 0 to weights is kept if an output needs the weights before their update") {
    kSimplify.keeps(R"(%0 = variable() {name="w"} : f32[2,3]
                       %1 = constant() splat 0 : f32[]
                       %2 = add(%0, %1)
                       %3 = assign(%0, %100) update
                       next "w" = %3
                       output "old" = %2)");
  }

  TEST_CASE("the gradient of relu before dropout reads the output of the dropout") {
    const test::PassCheck simplify("simplify_arithmetic",
                                   R"(%0 = input() {name="seed"} : i64[]
                                      %1 = input() {name="step"} : i64[]
                                      %2 = input() {name="first"} : i64[]
                                      %3 = activation(%100) {kind="relu"}
                                      %4 = dropout(%3, %0, %1, %2) {rate=0.75, stream="a"})");
    const std::string gradient = R"(%6 = activation_backward(%5, %3) {kind="relu"})";
    const std::string outputs = R"(output "o" = %4
                                   output "dx" = %6)";
    simplify.rewrites(
        {R"(%5 = dropout(%101, %0, %1, %2) {rate=0.75, stream="a"})", gradient, outputs},
        {R"(%5 = activation_backward(%101, %4) {kind="relu"}
            %6 = affine(%5) {scale=4})",
         outputs});
    // A dropout with another stream or another step has another mask.
    for (const char* otherMask : {R"(%5 = dropout(%101, %0, %1, %2) {rate=0.75, stream="b"})",
                                  R"(%5 = dropout(%101, %0, %2, %2) {rate=0.75, stream="a"})"})
      simplify.keeps({otherMask, gradient, outputs});
  }
}
