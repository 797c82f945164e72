// SPDX-License-Identifier: Apache-2.0
// Tests the pass fuse_batch_norm.
#include <doctest/doctest.h>

#include "tests/gpu/passes/pass_check.h"

using namespace strata;

namespace {

const test::PassCheck kFuseBatchNorm("fuse_batch_norm", R"(%0 = variable() {name="g"} : f32[3])");

}  // namespace

TEST_SUITE("fuse_batch_norm") {
  TEST_CASE("relu is fused at the position of the normalization, whose statistics are read early") {
    test::PassCheck("fuse_batch_norm", R"(%0 = variable() {name="g"} : f32[3]
                                          %1 = variable() {name="m"} : f32[3])")
        .rewrites(R"(%2, %3, %4 = batch_norm(%100, %0, %0)
                     %5 = assign(%1, %3) update
                     %6 = activation(%2) {kind="relu"}
                     next "m" = %5
                     output "o" = %6)",
                  R"(%2, %3, %4 = batch_norm(%100, %0, %0) {activation="relu"}
                     %5 = assign(%1, %3) update
                     next "m" = %5
                     output "o" = %2)");
  }

  TEST_CASE("a normalization includes the shortcut and the relu after it") {
    kFuseBatchNorm.rewrites(R"(%2, %3, %4 = batch_norm(%100, %0, %0)
                               %5 = add(%101, %2)
                               %6 = activation(%5) {kind="relu"}
                               output "o" = %6)",
                            R"(%2, %3, %4 = batch_norm(%100, %0, %0, %101) {activation="relu"}
                               output "o" = %2)");
  }

  TEST_CASE("the gradient of a normalization includes the gradient of relu") {
    kFuseBatchNorm.rewrites(
        R"(%2 = activation_backward(%100, %101) {kind="relu"} backward
           %3, %4, %5 = batch_norm_backward(%2, %101, %0, %0, %0) backward
           output "o" = %3)",
        R"(%3, %4, %5 = batch_norm_backward(%100, %101, %0, %0, %0, %101) backward
           output "o" = %3)");
  }

  TEST_CASE(
      "the gradient computes relu's mask from x and beta if relu follows this normalization") {
    test::PassCheck("fuse_batch_norm", R"(%0 = variable() {name="g"} : f32[3]
                                          %1 = variable() {name="b"} : f32[3])")
        .rewrites(R"(%2, %3, %4 = batch_norm(%100, %0, %1)
                     %5 = activation(%2) {kind="relu"}
                     %6 = activation_backward(%101, %5) {kind="relu"} backward
                     %7, %8, %9 = batch_norm_backward(%6, %100, %0, %3, %4) backward
                     output "o" = %7
                     output "y" = %5)",
                  R"(%2, %3, %4 = batch_norm(%100, %0, %1) {activation="relu"}
                     %7, %8, %9 = batch_norm_backward(%101, %100, %0, %3, %4, %1) backward
                     output "o" = %7
                     output "y" = %2)");
  }

  TEST_CASE("the gradient of relu is left to a pooling, where it is cheaper") {
    kFuseBatchNorm.keeps(
        R"(%1 = input() {name="i"} : f32[1,4,4,3]
           %2, %3 = max_pool2d(%1) {pool_size=[2,2], strides=[2,2]}
           %4 = max_pool2d_backward(%2, %3) {pool_size=[2,2], strides=[2,2], input_shape=[1,4,4,3]} backward
           %5 = activation_backward(%4, %1) {kind="relu"} backward
           %6, %7, %8 = batch_norm_backward(%5, %1, %0, %0, %0) backward
           output "o" = %6)");
  }

  TEST_CASE("relu is not fused if the value before it is an output") {
    kFuseBatchNorm.keeps(R"(%1, %2, %3 = batch_norm(%100, %0, %0)
                            %4 = activation(%1) {kind="relu"}
                            output "o" = %4
                            output "p" = %1)");
  }

  TEST_CASE("the gradient of relu is not fused if a shortcut needs it too") {
    kFuseBatchNorm.keeps(R"(%2 = activation_backward(%100, %101) {kind="relu"} backward
                            %3, %4, %5 = batch_norm_backward(%2, %101, %0, %0, %0) backward
                            output "o" = %3
                            output "shortcut" = %2)");
  }

  TEST_CASE("activations other than relu are not fused") {
    kFuseBatchNorm.keeps(R"(%1, %2, %3 = batch_norm(%100, %0, %0)
                            %4 = activation(%1) {kind="tanh"}
                            output "o" = %4)");
  }

  TEST_CASE("a shortcut that is computed after the normalization is not fused") {
    kFuseBatchNorm.keeps(R"(%1, %2, %3 = batch_norm(%100, %0, %0)
                            %4 = exp(%101)
                            %5 = add(%1, %4)
                            output "o" = %5)");
  }

  TEST_CASE("a sum that broadcasts is not a shortcut") {
    kFuseBatchNorm.keeps(R"(%1, %2, %3 = batch_norm(%100, %0, %0)
                            %4 = add(%1, %0)
                            output "o" = %4)");
  }
}
