// SPDX-License-Identifier: Apache-2.0
// Tests the pass fuse_pointwise.
#include <doctest/doctest.h>

#include "tests/gpu/passes/pass_check.h"

using namespace strata;

namespace {

const test::PassCheck kFusePointwise("fuse_pointwise");
const test::PassCheck kFuseOfTwo("fuse_pointwise", R"(%0 = input() {name="a"} : f32[100,90]
                                                      %1 = input() {name="b"} : f32[100,90])");

// These products run between a sum and its reader.
constexpr const char* kProducts = R"(%5 = matmul(%0, %1) {transpose_b=true}
                                     %6 = matmul(%5, %0))";

}  // namespace

TEST_SUITE("fuse_pointwise") {
  TEST_CASE("a chain of elementwise operations becomes one node") {
    test::PassCheck("fuse_pointwise", R"(%0 = input() {name="a"} : f32[100,90]
                                         %1 = input() {name="b"} : f32[100,90]
                                         %2 = input() {name="row"} : f32[90])")
        .rewrites(
            R"(%3 = subtract(%0, %2) @"x"
               %4 = affine(%3) {scale=2, offset=0.1} @"x"
               %5 = multiply(%4, %1) @"x"
               %6 = activation(%5) {kind="leaky_relu", alpha=0.2} @"y"
               output "o" = %6)",
            R"(%6 = fused_pointwise(%0, %2, %1) {program="subtract x0 x1; affine 2 0.1 t0; multiply t1 x2; activation leaky_relu 0.2 t2"} @"y"
               output "o" = %6)");
  }

  TEST_CASE("a chain may use an input or a result twice") {
    kFuseOfTwo.rewrites(
        R"(%3 = add(%0, %1)
           %4 = exp(%3)
           %5 = multiply(%3, %4)
           %6 = multiply(%5, %0)
           output "o" = %6)",
        R"(%6 = fused_pointwise(%0, %1) {program="add x0 x1; exp t0; multiply t0 t1; multiply t2 x0"}
           output "o" = %6)");
  }

  TEST_CASE("a value that is also an output ends one chain and starts another") {
    kFuseOfTwo.rewrites(R"(%3 = add(%0, %1)
                           %4 = exp(%3)
                           %5 = negate(%4)
                           %6 = exp(%5)
                           output "o" = %6
                           output "p" = %4)",
                        R"(%4 = fused_pointwise(%0, %1) {program="add x0 x1; exp t0"}
                           %6 = fused_pointwise(%4) {program="negate x0; exp t0"}
                           output "o" = %6
                           output "p" = %4)");
  }

  TEST_CASE("a chain in the backward phase becomes one node of this phase") {
    kFuseOfTwo.rewrites(
        R"(%3 = add(%0, %1) backward
           %4 = activation_backward(%3, %1) {kind="relu"} backward
           output "o" = %4)",
        R"(%4 = fused_pointwise(%0, %1) {program="add x0 x1; activation_backward relu 0 t0 x1"} backward
           output "o" = %4)");
  }

  TEST_CASE("a chain with few elements is fused if it broadcasts a row to many rows") {
    test::PassCheck("fuse_pointwise", R"(%0 = input() {name="a"} : f32[20,4]
                                         %1 = input() {name="b"} : f32[4])")
        .rewrites(R"(%2 = add(%0, %1)
                     %3 = exp(%2)
                     output "o" = %3)",
                  R"(%3 = fused_pointwise(%0, %1) {program="add x0 x1; exp t0"}
                     output "o" = %3)");
  }

  TEST_CASE("a chain with few elements and no broadcast is not fused") {
    kFusePointwise.keeps(R"(%0 = add(%100, %101)
                            %1 = exp(%0)
                            output "o" = %1)");
  }

  TEST_CASE("a chain of integers is not fused") {
    kFusePointwise.keeps(R"(%0 = input() {name="i"} : i32[100,90]
                            %1 = add(%0, %0)
                            %2 = multiply(%1, %1)
                            output "o" = %2)");
  }

  TEST_CASE("operations of different phases are not fused") {
    kFuseOfTwo.keeps(R"(%2 = exp(%0)
                        %3 = negate(%2) backward
                        output "o" = %3)");
  }

  TEST_CASE("operations with results of different shapes are not fused") {
    kFusePointwise.keeps(R"(%0 = input() {name="i"} : f32[90]
                            %1 = exp(%0)
                            %2 = input() {name="a"} : f32[100,90]
                            %3 = add(%2, %1)
                            output "o" = %3)");
  }

  TEST_CASE("a chain that broadcasts along a middle axis is not fused") {
    // There is no fast kernel for such an operand.
    kFusePointwise.keeps(R"(%0 = input() {name="a"} : f32[10,30,50]
                            %1 = input() {name="b"} : f32[30,1]
                            %2 = add(%0, %1)
                            %3 = exp(%2)
                            output "o" = %3)");
  }

  TEST_CASE("a sum is not fused if its operands would then live longer") {
    // Without fusion %2 and %3 die before the products.
    kFuseOfTwo.keeps({R"(%2 = softmax(%0)
                         %3 = softmax(%1)
                         %4 = add(%2, %3))",
                      kProducts,
                      R"(%7 = add(%4, %6)
                         output "o" = %7)"});
  }

  TEST_CASE("a sum is fused if its operands live longer anyway") {
    const std::string output = R"(output "o" = %7)";
    kFuseOfTwo.rewrites(
        {"%4 = add(%0, %1)", kProducts, "%7 = add(%4, %6)", output},
        {kProducts, R"(%7 = fused_pointwise(%0, %1, %6) {program="add x0 x1; add t0 x2"})",
         output});
  }

  TEST_CASE("a sum that reads weights does not move past their update") {
    kFuseOfTwo.keeps(R"(%2 = variable() {name="w"} : f32[100,90]
                        %3 = add(%2, %0) update
                        %4 = assign(%2, %1) update
                        %5 = exp(%3) update
                        next "w" = %4
                        output "o" = %5)");
  }
}
