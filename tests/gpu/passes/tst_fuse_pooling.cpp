// SPDX-License-Identifier: Apache-2.0
// Tests the pass fuse_pooling.
#include <doctest/doctest.h>

#include "tests/gpu/passes/pass_check.h"

using namespace strata;

namespace {

const test::PassCheck kFusePooling("fuse_pooling", R"(%0 = input() {name="i"} : f32[2,4,4,3])");

constexpr const char* kRelu = R"(%1 = activation(%0) {kind="relu"})";
constexpr const char* kPoolOfActivation =
    "%2, %3 = max_pool2d(%1) {pool_size=[2,2], strides=[2,2]}";

}  // namespace

TEST_SUITE("fuse_pooling") {
  TEST_CASE("an activation after a pooling becomes a part of it") {
    kFusePooling.rewrites(
        R"(%1, %2 = max_pool2d(%0) {pool_size=[2,2], strides=[2,2]}
           %3 = activation(%1) {kind="leaky_relu", alpha=0.2}
           output "o" = %3)",
        R"(%1, %2 = max_pool2d(%0) {pool_size=[2,2], strides=[2,2], activation="leaky_relu", alpha=0.2}
           output "o" = %1)");
  }

  TEST_CASE("relu before a pooling becomes a part of it") {
    kFusePooling.rewrites(
        {kRelu, kPoolOfActivation, R"(output "o" = %2)"},
        R"(%2, %3 = max_pool2d(%0) {pool_size=[2,2], strides=[2,2], activation="relu"}
           output "o" = %2)");
  }

  TEST_CASE("relu before a pooling becomes a part of it if a gradient is computed") {
    const std::string gradient =
        R"(%4 = input() {name="d"} : f32[2,2,2,3]
           %5 = activation_backward(%4, %2) {kind="relu"} backward
           %6 = max_pool2d_backward(%5, %3) {pool_size=[2,2], strides=[2,2], input_shape=[2,4,4,3]} backward
           output "o" = %6)";
    kFusePooling.rewrites(
        {kRelu, kPoolOfActivation, gradient},
        {R"(%2, %3 = max_pool2d(%0) {pool_size=[2,2], strides=[2,2], activation="relu"})",
         gradient});
  }

  TEST_CASE("an activation is not fused if another node reads the value in between") {
    kFusePooling.keeps(R"(%1, %2 = max_pool2d(%0) {pool_size=[2,2], strides=[2,2]}
                          %3 = activation(%1) {kind="relu"}
                          output "o" = %3
                          output "p" = %1)");
    kFusePooling.keeps({kRelu, kPoolOfActivation, R"(output "o" = %2
                                                     output "p" = %1)"});
  }

  TEST_CASE("relu before a pooling is not fused if the index of the maximum is an output") {
    kFusePooling.keeps({kRelu, kPoolOfActivation, R"(output "o" = %2
                                                     output "p" = %3)"});
  }

  TEST_CASE("an activation that needs an exponential is not fused") {
    kFusePooling.keeps(R"(%1, %2 = max_pool2d(%0) {pool_size=[2,2], strides=[2,2]}
                          %3 = activation(%1) {kind="tanh"}
                          output "o" = %3)");
    kFusePooling.keeps(
        {R"(%1 = activation(%0) {kind="tanh"})", kPoolOfActivation, R"(output "o" = %2)"});
  }

  TEST_CASE("relu is not fused with a pooling if the sum before it can include relu") {
    kFusePooling.keeps({R"(%4 = add(%0, %0)
                           %1 = activation(%4) {kind="relu"})",
                        kPoolOfActivation, R"(output "o" = %2)"});
  }
}
