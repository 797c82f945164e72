// SPDX-License-Identifier: Apache-2.0
// Tests the pass fuse_norm_gradients.
#include <doctest/doctest.h>

#include "tests/gpu/passes/pass_check.h"

using namespace strata;

namespace {

const test::PassCheck kFuseNormGradients("fuse_norm_gradients",
                                         R"(%0 = variable() {name="gamma"} : f32[3]
                                            %1 = input() {name="rows"} : f32[2])");

}  // namespace

TEST_SUITE("fuse_norm_gradients") {
  TEST_CASE("the gradient of a normalization adds the gradient of the residual connection") {
    for (const char* sum : {"%5 = add(%100, %2) backward", "%5 = add(%2, %100) backward"}) {
      CAPTURE(sum);
      kFuseNormGradients.rewrites(
          {R"(%2, %3, %4 = layer_norm_backward(%100, %101, %1, %1, %0) {scale=true} backward)", sum,
           R"(output "o" = %5
              output "gamma" = %3)"},
          R"(%2, %3, %4 = layer_norm_backward(%100, %101, %1, %1, %0, %100) {adds=true, scale=true} backward
             output "o" = %2
             output "gamma" = %3)");
    }
  }

  TEST_CASE("gradients of consecutive normalizations are fused one after the other") {
    kFuseNormGradients.rewrites(
        R"(%2, %3, %4 = layer_norm_backward(%100, %101, %1, %1) backward
           %5 = add(%100, %2) backward
           %6 = exp(%5) backward
           %7, %8, %9 = layer_norm_backward(%6, %101, %1, %1) backward
           %10 = add(%5, %7) backward
           output "o" = %10)",
        R"(%2, %3, %4 = layer_norm_backward(%100, %101, %1, %1, %100) {adds=true} backward
           %6 = exp(%2) backward
           %7, %8, %9 = layer_norm_backward(%6, %101, %1, %1, %2) {adds=true} backward
           output "o" = %7)");
  }

  TEST_CASE("a gradient that something else reads is not fused") {
    kFuseNormGradients.keeps(R"(%2, %3, %4 = layer_norm_backward(%100, %101, %1, %1) backward
                                %5 = add(%100, %2) backward
                                output "o" = %5
                                output "dx" = %2)");
  }

  TEST_CASE("a gradient that is computed after that of the normalization is not fused") {
    kFuseNormGradients.keeps(R"(%2, %3, %4 = layer_norm_backward(%100, %101, %1, %1) backward
                                %5 = exp(%101) backward
                                %6 = add(%5, %2) backward
                                output "o" = %6)");
  }

  TEST_CASE("a sum that broadcasts is not fused") {
    kFuseNormGradients.keeps(R"(%2, %3, %4 = layer_norm_backward(%100, %101, %1, %1) backward
                                %5 = add(%0, %2) backward
                                output "o" = %5)");
  }
}
