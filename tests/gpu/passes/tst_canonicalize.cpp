// SPDX-License-Identifier: Apache-2.0
// Tests the pass canonicalize.
#include <doctest/doctest.h>

#include "tests/gpu/passes/pass_check.h"

using namespace strata;

namespace {

const test::PassCheck kCanonicalize("canonicalize");

}  // namespace

TEST_SUITE("canonicalize") {
  TEST_CASE("operations that return their operand are removed") {
    kCanonicalize.replacesByX(R"(%9 = activation(%100) {kind="linear"})");
    kCanonicalize.replacesByX(R"(%9 = cast(%100) {dtype="f32"})");
    kCanonicalize.replacesByX(R"(%8 = slice(%100) {begin=[0,0], size=[2,3]}
                                 %9 = concatenate(%8))");
  }

  TEST_CASE("two operations that undo each other are removed") {
    kCanonicalize.replacesByX(R"(%8 = negate(%100)
                                 %9 = negate(%8))");
    kCanonicalize.replacesByX(R"(%8 = reshape(%100) {shape=[6]}
                                 %9 = reshape(%8) {shape=[2,3]})");
    kCanonicalize.replacesByX(R"(%8 = transpose(%100) {permutation=[1,0]}
                                 %9 = transpose(%8) {permutation=[1,0]})");
  }

  TEST_CASE("two reshapes in a row become one") {
    kCanonicalize.rewrites(R"(%0 = reshape(%100) {shape=[6]}
                              %1 = reshape(%0) {shape=[3,2]}
                              %2 = exp(%1)
                              output "o" = %2)",
                           R"(%1 = reshape(%100) {shape=[3,2]}
                              %2 = exp(%1)
                              output "o" = %2)");
  }

  TEST_CASE("a cast to a wider type and back is removed, and one to a narrower type is kept") {
    kCanonicalize.replacesByX(R"(%0 = cast(%100) {dtype="f64"}
                                 %9 = cast(%0) {dtype="f32"})");
    kCanonicalize.rewrites(R"(%0 = input() {name="h"} : f16[2,3]
                              %1 = cast(%0) {dtype="f32"}
                              %2 = cast(%1) {dtype="f16"}
                              %3 = negate(%2)
                              output "o" = %3)",
                           R"(%0 = input() {name="h"} : f16[2,3]
                              %3 = negate(%0)
                              output "o" = %3)");
    kCanonicalize.keeps(R"(%0 = cast(%100) {dtype="bf16"}
                           %1 = cast(%0) {dtype="f32"}
                           %2 = cast(%1) {dtype="f16"}
                           output "o" = %1
                           output "p" = %2)");
  }

  TEST_CASE("two broadcasts in a row become one") {
    kCanonicalize.rewrites(R"(%0 = broadcast_to(%100) {shape=[4,2,3]}
                              %1 = broadcast_to(%0) {shape=[5,4,2,3]}
                              output "o" = %1)",
                           R"(%1 = broadcast_to(%100) {shape=[5,4,2,3]}
                              output "o" = %1)");
  }

  TEST_CASE("a broadcast that only adds dimensions of size 1 becomes a reshape") {
    kCanonicalize.rewrites(R"(%0 = broadcast_to(%100) {shape=[1,2,3]}
                              output "o" = %0)",
                           R"(%0 = reshape(%100) {shape=[1,2,3]}
                              output "o" = %0)");
  }

  TEST_CASE("a transpose that only moves dimensions of size 1 becomes a reshape") {
    kCanonicalize.rewrites(R"(%0 = reshape(%100) {shape=[2,1,3]}
                              %1 = transpose(%0) {permutation=[1,0,2]}
                              output "o" = %1)",
                           R"(%1 = reshape(%100) {shape=[1,2,3]}
                              output "o" = %1)");
  }

  TEST_CASE("a constant or a variable becomes the second operand of a sum or product") {
    test::PassCheck("canonicalize", "%0 = constant() splat 2 : f32[]")
        .rewrites(R"(%1 = multiply(%0, %100)
                     output "o" = %1)",
                  R"(%1 = multiply(%100, %0)
                     output "o" = %1)");
    test::PassCheck("canonicalize", R"(%0 = variable() {name="w"} : f32[3])")
        .rewrites(R"(%1 = add(%0, %100)
                     output "o" = %1)",
                  R"(%1 = add(%100, %0)
                     output "o" = %1)");
  }

  TEST_CASE("greater becomes less with swapped operands") {
    kCanonicalize.rewrites(R"(%0 = greater(%100, %101)
                              %1 = greater_equal(%100, %101)
                              %2 = add(%0, %1)
                              output "o" = %2)",
                           R"(%0 = less(%101, %100)
                              %1 = less_equal(%101, %100)
                              %2 = add(%0, %1)
                              output "o" = %2)");
  }

  TEST_CASE("adding or subtracting a negated value becomes the opposite operation") {
    for (const char* sum : {"%1 = add(%100, %0)", "%1 = add(%0, %100)"})
      kCanonicalize.rewrites({"%0 = negate(%101)", sum, R"(output "o" = %1)"},
                             R"(%1 = subtract(%100, %101)
                                output "o" = %1)");
    kCanonicalize.rewrites(R"(%0 = negate(%101)
                              %1 = subtract(%100, %0)
                              output "o" = %1)",
                           R"(%1 = add(%100, %101)
                              output "o" = %1)");
  }

  TEST_CASE("the product of a value with itself becomes a square") {
    kCanonicalize.rewrites(R"(%0 = multiply(%100, %100)
                              output "o" = %0)",
                           R"(%0 = square(%100)
                              output "o" = %0)");
  }

  TEST_CASE("the absolute value of a negated value reads the value itself") {
    kCanonicalize.rewrites(R"(%0 = negate(%100)
                              %1 = abs(%0)
                              output "o" = %1)",
                           R"(%1 = abs(%100)
                              output "o" = %1)");
  }

  TEST_CASE("operands are not swapped if that changes the result") {
    kCanonicalize.keeps(R"(%0 = constant() splat 2 : f32[]
                           %1 = subtract(%0, %100)
                           output "o" = %1)");
    // If these operands were swapped, the sign of a zero could change.
    kCanonicalize.keeps(R"(%0 = constant() splat 0 : f32[]
                           %1 = maximum(%0, %100)
                           output "o" = %1)");
  }

  TEST_CASE("a negated value is kept if another node reads it") {
    kCanonicalize.keeps(R"(%0 = negate(%101)
                           %1 = add(%100, %0)
                           output "o" = %1
                           output "p" = %0)");
  }

  TEST_CASE("a transpose that moves values is kept") {
    kCanonicalize.keeps(R"(%0 = transpose(%100) {permutation=[1,0]}
                           output "o" = %0)");
    kCanonicalize.keeps(R"(%0 = reshape(%100) {shape=[3,1,2]}
                           %1 = transpose(%0) {permutation=[2,1,0]}
                           output "o" = %1)");
  }

  TEST_CASE("a sum over no axes is kept, because it turns -0 into +0") {
    kCanonicalize.keeps(R"(%0 = affine(%100) {scale=0}
                           %1 = reduce_sum(%0) {axes=[]}
                           output "o" = %1)");
  }
}
