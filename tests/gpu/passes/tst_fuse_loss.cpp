// SPDX-License-Identifier: Apache-2.0
// Tests the pass fuse_loss.
#include <doctest/doctest.h>

#include "gpu/autodiff/autodiff.h"
#include "gpu/ops/build.h"
#include "gpu/passes/standard_passes.h"
#include "tests/gpu/passes/pass_check.h"
#include "tests/support/pass_options.h"
#include "tests/support/random_graph.h"

using namespace strata;

namespace {

const test::PassCheck kFuseLoss("fuse_loss", R"(%0 = input() {name="labels"} : i32[2]
                                                %1 = input() {name="target"} : f32[2,3])");

/// A step of a classifier whose last layer computes logits of this type.
std::string lowStep(const std::string& dtype) {
  return R"(%2 = cast(%100) {dtype=")" + dtype + R"("} @"out"
            %3 = input() {name="w"} : )" +
         dtype + R"([2,3]
            )";
}

}  // namespace

TEST_SUITE("fuse_loss") {
  TEST_CASE("the loss, the accuracy and the gradient of the logits become one op") {
    kFuseLoss.rewrites(
        R"(%2, %3 = softmax_cross_entropy(%100, %0)
                          %4 = reduce_sum(%2) {axes=[0]}
                          %5 = affine(%4) {scale=0.5}
                          %6 = argmax(%3)
                          %7 = equal(%6, %0)
                          %8 = cast(%7) {dtype="f32"}
                          %9 = reduce_sum(%8) {axes=[0]}
                          %10 = constant() splat 0.25 : f32[2] backward
                          %11 = softmax_cross_entropy_backward(%10, %3, %0) backward
                          output "loss" = %5
                          output "accuracy" = %9
                          output "gradient" = %11)",
        R"(%2, %3, %4 = classification_loss(%100, %0) {gradient=true, gradient_scale=0.25, loss_scale=0.5, ranks="probabilities"}
                          output "loss" = %2
                          output "accuracy" = %3
                          output "gradient" = %4)");
  }

  TEST_CASE("a graph without a gradient is fused, too, and keeps its probabilities") {
    kFuseLoss.rewrites(
        R"(%2, %3 = softmax_cross_entropy(%100, %0)
                          %4 = reduce_sum(%2) {axes=[0]}
                          %5 = argmax(%3)
                          %6 = equal(%5, %0)
                          %7 = cast(%6) {dtype="f32"}
                          %8 = reduce_sum(%7) {axes=[0]}
                          %9 = affine(%8) {scale=0.125}
                          output "loss" = %4
                          output "accuracy" = %9
                          output "prediction" = %3)",
        R"(%2, %3, %4 = classification_loss(%100, %0) {correct_scale=0.125, probabilities=true, ranks="probabilities"}
                          output "loss" = %2
                          output "accuracy" = %3
                          output "prediction" = %4)");
  }

  TEST_CASE("answers from logits are compared by their logits, with the target's largest value") {
    kFuseLoss.rewrites(R"(%2, %3 = softmax_cross_entropy(%100, %1)
                          %4 = reduce_sum(%2) {axes=[0]}
                          %5 = argmax(%100)
                          %6 = argmax(%1)
                          %7 = equal(%5, %6)
                          %8 = cast(%7) {dtype="f32"}
                          %9 = reduce_sum(%8) {axes=[0]}
                          output "loss" = %4
                          output "accuracy" = %9)",
                       R"(%2, %3 = classification_loss(%100, %1) {ranks="logits"}
                          output "loss" = %2
                          output "accuracy" = %3)");
  }

  TEST_CASE("a scale of the loss that the step knows is read by the op") {
    kFuseLoss.rewrites(R"(%2, %3 = softmax_cross_entropy(%100, %0) {ignore_class=1}
                          %4 = reduce_sum(%2) {axes=[0]}
                          %5 = variable() {name="later"} : f32[]
                          %6 = affine(%5) {scale=0.5} backward
                          %7 = reshape(%6) {shape=[1]} backward
                          %8 = broadcast_to(%7) {shape=[2]} backward
                          %9 = softmax_cross_entropy_backward(%8, %3, %0) {ignore_class=1} backward
                          output "loss" = %4
                          output "gradient" = %9)",
                       R"(%5 = variable() {name="later"} : f32[]
                          %2, %3, %4 = classification_loss(%100, %0, %5) {gradient=true, gradient_scale=0.5, ignore_class=1}
                          output "loss" = %2
                          output "gradient" = %4)");
  }

  TEST_CASE("16-bit logits are read without a cast, and their gradient is written without one") {
    for (const std::string dtype : {"bf16", "f16"}) {
      CAPTURE(dtype);
      kFuseLoss.rewrites({lowStep(dtype), R"(
                          %4 = cast(%2) {dtype="f32"} @"out"
                          %5, %6 = softmax_cross_entropy(%4, %0)
                          %7 = reduce_sum(%5) {axes=[0]}
                          %8 = constant() splat 0.5 : f32[2] backward
                          %9 = softmax_cross_entropy_backward(%8, %6, %0) backward
                          %10 = reduce_sum(%9) {axes=[0]} @"out" backward
                          %11 = cast(%9) {dtype=")" +
                                              dtype + R"("} @"out" backward
                          %12 = matmul(%11, %3) {transpose_b=true} @"out" backward
                          output "loss" = %7
                          output "bias" = %10
                          output "gradient" = %12)"},
                         {lowStep(dtype), R"(
                          %5, %6, %9 = classification_loss(%2, %0) {gradient=true, gradient_scale=0.5}
                          %10 = reduce_sum(%9) {axes=[0]} @"out" backward
                          %12 = matmul(%9, %3) {transpose_b=true} @"out" backward
                          output "loss" = %5
                          output "bias" = %10
                          output "gradient" = %12)"});
    }
  }

  TEST_CASE("a gradient that something reads in f32 stays f32, and so do the logits") {
    kFuseLoss.rewrites({lowStep("bf16"), R"(
                        %4 = cast(%2) {dtype="f32"} @"out"
                        %5, %6 = softmax_cross_entropy(%4, %0)
                        %7 = reduce_sum(%5) {axes=[0]}
                        %8 = constant() splat 0.5 : f32[2] backward
                        %9 = softmax_cross_entropy_backward(%8, %6, %0) backward
                        %10 = cast(%9) {dtype="bf16"} @"out" backward
                        %11 = square(%9) @"out" backward
                        output "loss" = %7
                        output "low" = %10
                        output "gradient" = %11)"},
                       {lowStep("bf16"), R"(
                        %4 = cast(%2) {dtype="f32"} @"out"
                        %5, %6, %9 = classification_loss(%4, %0) {gradient=true, gradient_scale=0.5}
                        %10 = cast(%9) {dtype="bf16"} @"out" backward
                        %11 = square(%9) @"out" backward
                        output "loss" = %5
                        output "low" = %10
                        output "gradient" = %11)"});
  }

  TEST_CASE("a metric or gradient of another form stays, and reads the probabilities") {
    // The answers are compared with other labels, and the rows have different upstream gradients
    const std::string others = R"(%20 = input() {name="other"} : i32[2]
                                  %21 = input() {name="rows"} : f32[2]
                                  )";
    const std::string rest = R"(%6 = equal(%5, %20)
                                %7 = cast(%6) {dtype="f32"}
                                %8 = reduce_sum(%7) {axes=[0]}
                                %9 = softmax_cross_entropy_backward(%21, %3, %0) backward
                                output "loss" = %4
                                output "accuracy" = %8
                                output "gradient" = %9)";
    kFuseLoss.rewrites({others, R"(%2, %3 = softmax_cross_entropy(%100, %0)
                                   %4 = reduce_sum(%2) {axes=[0]}
                                   %5 = argmax(%3))",
                        rest},
                       {others, R"(%4, %2, %3 = classification_loss(%100, %0) {probabilities=true}
                                   %5 = argmax(%3))",
                        rest});
  }

  TEST_CASE("a loss whose rows are weighted is not fused") {
    kFuseLoss.keeps(R"(%2, %3 = softmax_cross_entropy(%100, %0)
                       %4 = input() {name="weights"} : f32[2]
                       %5 = multiply(%2, %4)
                       %6 = reduce_sum(%5) {axes=[0]}
                       output "loss" = %6)");
  }

  TEST_CASE("a loss whose rows are an output is not fused") {
    kFuseLoss.keeps(R"(%2, %3 = softmax_cross_entropy(%100, %0)
                       %4 = reduce_sum(%2) {axes=[0]}
                       output "loss" = %4
                       output "rows" = %2)");
  }

  TEST_CASE("a loss with an offset is fused without it") {
    kFuseLoss.rewrites(R"(%2, %3 = softmax_cross_entropy(%100, %0)
                          %4 = reduce_sum(%2) {axes=[0]}
                          %5 = affine(%4) {offset=1, scale=0.5}
                          output "loss" = %5)",
                       R"(%4, %2 = classification_loss(%100, %0)
                          %5 = affine(%4) {offset=1, scale=0.5}
                          output "loss" = %5)");
  }

  TEST_CASE("fused losses of sequences have the same values and gradients") {
    for (const bool isDense : {false, true}) {
      CAPTURE(isDense);
      Graph before;
      const ValueId x = before.addInput("x", {DType::F64, {4, 3, 5}});
      const ValueId w = before.addVariable("w", {DType::F64, {5, 6}}, Category::Parameter, true);
      const ValueId target = isDense ? before.addInput("target", {DType::F64, {4, 3, 6}})
                                     : before.addInput("target", {DType::I32, {4, 3}});
      const ValueId logits =
          reshape(before, matmul(before, reshape(before, x, {12, 5}), w), {4, 3, 6});
      const ValueId rows = softmaxCrossEntropy(before, logits, target);
      const ValueId loss = meanAll(before, rows);
      const ValueId answers = argmax(before, before.node(before.value(rows).producer).outputs[1]);
      const ValueId right = equal(before, answers, isDense ? argmax(before, target) : target);
      before.addOutput("loss", loss);
      before.addOutput("accuracy", affine(before, sumAll(before, cast(before, right, DType::F64)),
                                          1.0 / 3, 0, DType::F64));
      const GradientSeed seed{loss, {}};
      before.addOutput("gradient", differentiate(before, std::span(&seed, 1), std::span(&w, 1))[0]);
      Graph after = before;
      PassReport report;
      fuseLoss(after, allPasses().device, report);
      CHECK(report.rewrites == 1);
      CHECK(after.order().size() < before.order().size() - 6);
      CHECK(differenceOnRandomValues(before, after, 3) <= 1e-12);
    }
  }
}
