// SPDX-License-Identifier: Apache-2.0
// Tests the pass fuse_update.
#include <doctest/doctest.h>

#include "tests/gpu/passes/pass_check.h"

using namespace strata;

namespace {

const test::PassCheck kFuseUpdate("fuse_update", R"(%0 = variable() {name="w"} : f32[3,3]
                                                    %2 = input() {name="rate"} : f32[])");
constexpr const char* kUpdate = R"(%4 = sgd_update(%0, %3, %2) update
                                   next "w" = %4)";

}  // namespace

TEST_SUITE("fuse_update") {
  TEST_CASE("an update includes the product that computes its gradient") {
    test::PassCheck("fuse_update", R"(%0 = variable() {name="w"} : f32[3,3]
                                      %1 = variable() {name="v"} : f32[3,3]
                                      %2 = input() {name="rate"} : f32[])")
        .rewrites(R"(%3 = matmul(%100, %101) {transpose_a=true} backward
                     %4, %5 = sgd_update(%0, %3, %2, %1) {momentum=0.9} update
                     next "w" = %4
                     next "v" = %5)",
                  R"(%4, %5 = matmul_sgd_update(%0, %100, %101, %2, %1) {momentum=0.9} update
                     next "w" = %4
                     next "v" = %5)");
  }

  TEST_CASE("all_finite checks the operands of the product instead of the gradient") {
    kFuseUpdate.rewrites(R"(%3 = matmul(%100, %101) {transpose_a=true} backward
                            %5 = all_finite(%3, %2) update
                            %4 = sgd_update(%0, %3, %2, %5) update
                            next "w" = %4)",
                         R"(%5 = all_finite(%2, %100, %101) {pairs=1} update
                            %4 = matmul_sgd_update(%0, %100, %101, %2, %5) update
                            next "w" = %4)");
  }

  TEST_CASE("a gradient that is an output is not fused") {
    kFuseUpdate.keeps(
        {"%3 = matmul(%100, %101) {transpose_a=true} backward", kUpdate, R"(output "o" = %3)"});
  }

  TEST_CASE("a product with an activation is not fused") {
    kFuseUpdate.keeps(
        {R"(%3 = matmul(%100, %101) {transpose_a=true, activation="relu"} backward)", kUpdate});
  }

  TEST_CASE("a product of another type than its operands is not fused") {
    kFuseUpdate.keeps({R"(%5 = cast(%100) {dtype="bf16"}
                          %6 = cast(%101) {dtype="bf16"}
                          %3 = matmul(%5, %6) {transpose_a=true, result="f32"} backward)",
                       kUpdate});
  }

  TEST_CASE("a product of variables is not fused, because updates change its operands") {
    kFuseUpdate.keeps({"%3 = matmul(%0, %0) {transpose_a=true} backward", kUpdate});
  }

  TEST_CASE("a product with operands that need more memory than the gradient is not fused") {
    kFuseUpdate.keeps({R"(%5 = input() {name="z"} : f32[20000,3]
                          %3 = matmul(%5, %5) {transpose_a=true} backward)",
                       kUpdate});
  }
}
