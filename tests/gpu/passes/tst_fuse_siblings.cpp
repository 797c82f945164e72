// SPDX-License-Identifier: Apache-2.0
// Tests the pass fuse_siblings.
#include <doctest/doctest.h>

#include "tests/gpu/passes/pass_check.h"

using namespace strata;

namespace {

const test::PassCheck kFuseSiblings("fuse_siblings");

constexpr const char* kOutputs = R"(output "a" = %3
                                    output "b" = %4)";

}  // namespace

TEST_SUITE("fuse_siblings") {
  TEST_CASE("products of one input are fused, and their weights and views move before them") {
    // The first result is read before the second product.
    kFuseSiblings.rewrites(R"(%0 = variable() {name="v"} : f32[3,4]
                              %3 = matmul(%100, %0) {activation="relu"}
                              %4 = exp(%3)
                              %1 = variable() {name="w"} : f32[15]
                              %2 = reshape(%1) {shape=[3,5]}
                              %5 = matmul(%100, %2)
                              output "a" = %4
                              output "b" = %5)",
                           R"(%0 = variable() {name="v"} : f32[3,4]
                              %1 = variable() {name="w"} : f32[15]
                              %2 = reshape(%1) {shape=[3,5]}
                              %3, %5 = matmul_siblings(%100, %0, %2) {activations="relu,linear"}
                              %4 = exp(%3)
                              output "a" = %4
                              output "b" = %5)");
  }

  TEST_CASE("products with biases and transposed weights are fused, and then their readers") {
    test::PassCheck("fuse_siblings", R"(%8 = variable() {name="b"} : f32[2]
                                        %9 = variable() {name="t"} : f32[2,3]
                                        %0 = variable() {name="p"} : f32[2,2])")
        .rewrites(
            R"(%10 = matmul(%100, %9, %8) {transpose_b=true}
               %11 = matmul(%100, %9, %8) {transpose_b=true}
               %12 = matmul(%10, %0)
               %13 = matmul(%10, %0)
               %14 = concatenate(%11, %12, %13)
               output "o" = %14)",
            R"(%10, %11 = matmul_siblings(%100, %9, %8, %9, %8) {activations="linear,linear", has_bias=true, transpose_b=true}
               %12, %13 = matmul_siblings(%10, %0, %0) {activations="linear,linear"}
               %14 = concatenate(%11, %12, %13)
               output "o" = %14)");
  }

  TEST_CASE("products of another type than their operands are not fused") {
    kFuseSiblings.keeps({R"(%0 = input() {name="x16"} : bf16[2,3]
                            %1 = variable() {name="v"} : bf16[3,4]
                            %2 = variable() {name="w"} : bf16[3,5]
                            %3 = matmul(%0, %1) {result="f32"}
                            %4 = matmul(%0, %2) {result="f32"})",
                         kOutputs});
  }

  TEST_CASE("products that differ in an operand, a bias, an option or the phase are not fused") {
    const test::PassCheck fuseSiblings("fuse_siblings", R"(%0 = variable() {name="v"} : f32[3,3]
                                                           %1 = variable() {name="w"} : f32[3,3]
                                                           %2 = variable() {name="b"} : f32[3]
                                                           %3 = matmul(%100, %0))");
    for (const char* second : {"%4 = matmul(%101, %1)", "%4 = matmul(%100, %1, %2)",
                               "%4 = matmul(%100, %1) {transpose_b=true}",
                               R"(%4 = matmul(%100, %1) {activation="elu", alpha=0.5})",
                               "%4 = matmul(%100, %1) backward"})
      fuseSiblings.keeps({second, kOutputs});
    // The weights of the second product are the result of an operation.
    fuseSiblings.keeps({R"(%5 = exp(%1)
                           %4 = matmul(%100, %5))",
                        kOutputs});
  }

  TEST_CASE("products whose first operand is transposed are not fused") {
    kFuseSiblings.keeps({R"(%3 = matmul(%100, %101) {transpose_a=true}
                            %4 = matmul(%100, %100) {transpose_a=true})",
                         kOutputs});
  }

  TEST_CASE("large products are not fused, because each of them uses all workers") {
    kFuseSiblings.keeps({R"(%0 = variable() {name="v"} : f32[3,20000]
                            %1 = variable() {name="w"} : f32[3,20000]
                            %3 = matmul(%100, %0)
                            %4 = matmul(%100, %1))",
                         kOutputs});
  }
}
