// SPDX-License-Identifier: Apache-2.0
// Tests the pass fuse_bias_activation.
#include <doctest/doctest.h>

#include "tests/gpu/passes/pass_check.h"

using namespace strata;

namespace {

const test::PassCheck kFuseDense("fuse_bias_activation", R"(%0 = variable() {name="w"} : f32[3,4]
                                                            %1 = variable() {name="b"} : f32[4])");
const test::PassCheck kFuseConvolution("fuse_bias_activation",
                                       R"(%0 = input() {name="image"} : f32[1,5,5,2]
                                          %1 = variable() {name="k"} : f32[3,3,2,4]
                                          %2 = variable() {name="b"} : f32[4])");

}  // namespace

TEST_SUITE("fuse_bias_activation") {
  TEST_CASE("a product includes the bias and the activation after it") {
    kFuseDense.rewrites(R"(%2 = matmul(%100, %0) @"d"
                           %3 = add(%2, %1) @"d"
                           %4 = activation(%3) {kind="relu"} @"d"
                           output "o" = %4)",
                        R"(%4 = matmul(%100, %0, %1) {activation="relu"} @"d"
                           output "o" = %4)");
  }

  TEST_CASE("the bias may be the first operand of the sum") {
    kFuseDense.rewrites(R"(%2 = matmul(%100, %0)
                           %3 = add(%1, %2)
                           output "o" = %3)",
                        R"(%3 = matmul(%100, %0, %1)
                           output "o" = %3)");
  }

  TEST_CASE("a product without bias includes the activation and its parameter") {
    kFuseDense.rewrites(R"(%2 = matmul(%100, %0)
                           %4 = activation(%2) {kind="elu", alpha=0.5}
                           output "o" = %4)",
                        R"(%4 = matmul(%100, %0) {activation="elu", alpha=0.5}
                           output "o" = %4)");
  }

  TEST_CASE("a convolution includes the bias and the activation after it") {
    kFuseConvolution.rewrites(R"(%3 = conv2d(%0, %1) {strides=[2,1]}
                                 %4 = add(%3, %2)
                                 %5 = activation(%4) {kind="tanh"}
                                 output "o" = %5)",
                              R"(%5 = conv2d(%0, %1, %2) {strides=[2,1], activation="tanh"}
                                 output "o" = %5)");
  }

  TEST_CASE("a product of another type than its operands includes neither") {
    const std::string product = R"(%2 = cast(%100) {dtype="bf16"}
                                   %3 = cast(%0) {dtype="bf16"}
                                   %4 = matmul(%2, %3) {result="f32"})";
    kFuseDense.keeps({product, R"(%5 = add(%4, %1)
                                  output "o" = %5)"});
    kFuseDense.keeps({product, R"(%5 = activation(%4) {kind="relu"}
                                  output "o" = %5)"});
  }

  TEST_CASE("the fused node belongs to the layer of the convolution") {
    kFuseConvolution.rewrites(R"(%3 = conv2d(%0, %1) @"conv"
                                 %5 = activation(%3) {kind="relu"} @"act"
                                 output "o" = %5)",
                              R"(%5 = conv2d(%0, %1) {activation="relu"} @"conv"
                                 output "o" = %5)");
  }

  TEST_CASE("the gradient of relu reads the output of the fused node") {
    kFuseDense.rewrites(R"(%2 = matmul(%100, %0)
                           %3 = add(%2, %1)
                           %4 = activation(%3) {kind="relu"}
                           %5 = activation_backward(%4, %4) {kind="relu"} backward
                           output "o" = %5)",
                        R"(%4 = matmul(%100, %0, %1) {activation="relu"}
                           %5 = activation_backward(%4, %4) {kind="relu"} backward
                           output "o" = %5)");
  }

  TEST_CASE("gelu is not fused if its gradient reads the value before it") {
    kFuseDense.rewrites(R"(%2 = matmul(%100, %0)
                           %3 = add(%2, %1)
                           %4 = activation(%3) {kind="gelu"}
                           %5 = activation_backward(%4, %3) {kind="gelu"} backward
                           output "o" = %5)",
                        R"(%3 = matmul(%100, %0, %1)
                           %4 = activation(%3) {kind="gelu"}
                           %5 = activation_backward(%4, %3) {kind="gelu"} backward
                           output "o" = %5)");
  }

  TEST_CASE("a bias is not fused if the product is an output") {
    kFuseDense.keeps(R"(%2 = matmul(%100, %0)
                        %3 = add(%2, %1)
                        output "o" = %3
                        output "p" = %2)");
  }

  TEST_CASE("a column that is added to a product is not a bias") {
    test::PassCheck("fuse_bias_activation").keeps(R"(%0 = variable() {name="w"} : f32[3,4]
                                                     %1 = variable() {name="b"} : f32[2,1]
                                                     %2 = matmul(%100, %0)
                                                     %3 = add(%2, %1)
                                                     output "o" = %3)");
  }
}
