// SPDX-License-Identifier: Apache-2.0
// Each pass on graphs written as text: what it rewrites and what it must not touch. The parser
// ignores indentation and empty lines.
#include <doctest/doctest.h>

#include "gpu/base/error.h"
#include "gpu/base/log.h"
#include "gpu/graph/text.h"
#include "gpu/ops/build.h"
#include "gpu/passes/pass.h"
#include "gpu/passes/standard_passes.h"
#include "tests/support/pass_options.h"

using namespace strata;

namespace {

PipelineOptions onlyPass(std::string_view name) {
  PipelineOptions options = allPasses();
  options.verifyAfterEach = true;
  bool isKnown = false;
  for (const Pass& pass : standardPasses()) {
    isKnown = isKnown || pass.name == name;
    if (pass.name != name) options.disabled.insert(pass.name);
  }
  REQUIRE(isKnown);
  return options;
}

/// A graph whose inputs %100 and %101 are x and y.
std::string declared(const std::string& lines) {
  return R"(strata-graph 1
            %100 = input() {name="x"} : f32[2,3]
            %101 = input() {name="y"} : f32[2,3]
         )" +
         lines;
}

void checkPass(std::string_view pass, const std::string& before, const std::string& after) {
  Graph graph = parseGraph(declared(before));
  const std::vector<PassReport> reports = runPasses(graph, onlyPass(pass));
  for (const PassReport& report : reports)
    CHECK(report.failure == "");
  CHECK(printGraph(graph) == printGraph(parseGraph(declared(after))));
}

void checkUnchanged(std::string_view pass, const std::string& lines) {
  checkPass(pass, lines, lines);
  Graph graph = parseGraph(declared(lines));
  for (const PassReport& report : runPasses(graph, onlyPass(pass)))
    CHECK(report.rewrites == 0);
}

}  // namespace

TEST_SUITE("passes") {
  TEST_CASE("remove_dead") {
    checkPass("remove_dead", R"(%0 = exp(%100)
                                %1 = log(%100)
                                %2 = negate(%1)
                                output "o" = %0)",
              R"(%0 = exp(%100)
                 output "o" = %0)");
    checkPass("remove_dead",
              R"(%0 = constant() splat 2 : f32[3]
                 %1, %2, %3 = batch_norm(%100, %0, %0)
                 output "o" = %100)",
              R"(output "o" = %100)");
  }

  TEST_CASE("remove_dead keeps updates, inputs and variables") {
    checkUnchanged("remove_dead",
                   R"(%0 = variable() {name="w"} : f32[2,3]
                      %1 = variable() {name="unused"} : f32[2,3]
                      %2 = assign(%0, %100) update
                      next "w" = %2)");
  }

  TEST_CASE("merge_common") {
    checkPass("merge_common",
              R"(%0 = add(%100, %101)
                 %1 = add(%101, %100)
                 %2 = multiply(%0, %1)
                 output "o" = %2)",
              R"(%0 = add(%100, %101)
                 %2 = multiply(%0, %0)
                 output "o" = %2)");
    checkPass("merge_common",
              R"(%0 = constant() splat 2 : f32[]
                 %1 = constant() splat 2 : f32[]
                 %2 = add(%100, %0)
                 %3 = add(%100, %1)
                 %4 = subtract(%2, %3)
                 output "o" = %4)",
              R"(%0 = constant() splat 2 : f32[]
                 %2 = add(%100, %0)
                 %4 = subtract(%2, %2)
                 output "o" = %4)");
  }

  TEST_CASE(
      "merge_common keeps nodes with different operands, order, attributes or bits, and updates") {
    checkUnchanged("merge_common",
                   R"(%0 = subtract(%100, %101)
                      %1 = subtract(%101, %100)
                      %2 = add(%0, %1)
                      output "o" = %2)");
    checkUnchanged("merge_common",
                   R"(%0 = affine(%100) {scale=2}
                      %1 = affine(%100) {scale=3}
                      %2 = add(%0, %1)
                      output "o" = %2)");
    checkUnchanged("merge_common",
                   R"(%0 = constant() splat 0.0 : f32[]
                      %1 = constant() splat -0.0 : f32[]
                      %2 = constant() splat 0.0 : f64[]
                      %3 = divide(%100, %0)
                      %4 = divide(%100, %1)
                      output "a" = %3
                      output "b" = %4
                      output "c" = %2)");
    checkUnchanged("merge_common",
                   R"(%0 = variable() {name="v"} : f32[2,3]
                      %1 = variable() {name="w"} : f32[2,3]
                      %2 = assign(%0, %100) update
                      %3 = assign(%1, %100) update
                      next "v" = %2
                      next "w" = %3)");
  }

  TEST_CASE("fold_constants") {
    checkPass("fold_constants",
              R"(%0 = constant() splat 2 : f32[]
                 %1 = constant() splat 3 : f32[]
                 %2 = add(%0, %1)
                 %3 = broadcast_to(%2) {shape=[3]}
                 %4 = multiply(%100, %3)
                 output "o" = %4)",
              R"(%3 = constant() splat 5 : f32[3] forward
                 %4 = multiply(%100, %3)
                 output "o" = %4)");
    checkPass("fold_constants",
              R"(%0 = constant() data [3, 1, 2] : f32[3]
                 %1 = argmax(%0)
                 output "o" = %1)",
              R"(%1 = constant() splat 0 : i32[]
                 output "o" = %1)");
  }

  TEST_CASE("fold_constants stops at its size cap and at inputs") {
    checkUnchanged("fold_constants",
                   R"(%0 = constant() splat 2 : f32[]
                      %1 = broadcast_to(%0) {shape=[1000,1000]}
                      output "o" = %1)");
    checkUnchanged("fold_constants",
                   R"(%0 = constant() splat 2 : f32[]
                      %1 = add(%100, %0)
                      output "o" = %1)");
  }

  TEST_CASE("simplify_arithmetic: operations without effect") {
    const std::string zero = "%0 = constant() splat 0 : f32[]\n",
                      one = "%0 = constant() splat 1 : f32[2,3]\n";
    checkPass("simplify_arithmetic", zero + R"(%1 = add(%100, %0)
                                               %2 = exp(%1)
                                               output "o" = %2)",
              R"(%2 = exp(%100)
                 output "o" = %2)");
    checkPass("simplify_arithmetic", zero + R"(%1 = add(%0, %100)
                                               %2 = exp(%1)
                                               output "o" = %2)",
              R"(%2 = exp(%100)
                 output "o" = %2)");
    checkPass("simplify_arithmetic", zero + R"(%1 = subtract(%100, %0)
                                               %2 = exp(%1)
                                               output "o" = %2)",
              R"(%2 = exp(%100)
                 output "o" = %2)");
    checkPass("simplify_arithmetic", one + R"(%1 = multiply(%0, %100)
                                              %2 = exp(%1)
                                              output "o" = %2)",
              R"(%2 = exp(%100)
                 output "o" = %2)");
    checkPass("simplify_arithmetic", one + R"(%1 = divide(%100, %0)
                                              %2 = exp(%1)
                                              output "o" = %2)",
              R"(%2 = exp(%100)
                 output "o" = %2)");
    checkPass("canonicalize",
              R"(%1 = activation(%100) {kind="linear"}
                 %2 = exp(%1)
                 output "o" = %2)",
              R"(%2 = exp(%100)
                 output "o" = %2)");
    checkPass("canonicalize", R"(%1 = cast(%100) {dtype="f32"}
                                 %2 = exp(%1)
                                 output "o" = %2)",
              R"(%2 = exp(%100)
                 output "o" = %2)");
    checkPass("canonicalize",
              R"(%1 = slice(%100) {begin=[0,0], size=[2,3]}
                 %2 = concatenate(%1)
                 %3 = exp(%2)
                 output "o" = %3)",
              R"(%3 = exp(%100)
                 output "o" = %3)");
  }

  TEST_CASE("simplify_arithmetic: pairs and chains") {
    checkPass("canonicalize",
              R"(%0 = negate(%100)
                 %1 = negate(%0)
                 %2 = exp(%1)
                 output "o" = %2)",
              R"(%2 = exp(%100)
                 output "o" = %2)");
    checkPass("canonicalize",
              R"(%0 = reshape(%100) {shape=[6]}
                 %1 = reshape(%0) {shape=[3,2]}
                 %2 = exp(%1)
                 output "o" = %2)",
              R"(%1 = reshape(%100) {shape=[3,2]}
                 %2 = exp(%1)
                 output "o" = %2)");
    checkPass("canonicalize",
              R"(%0 = reshape(%100) {shape=[6]}
                 %1 = reshape(%0) {shape=[2,3]}
                 %2 = exp(%1)
                 output "o" = %2)",
              R"(%2 = exp(%100)
                 output "o" = %2)");
    checkPass("canonicalize",
              R"(%0 = transpose(%100) {permutation=[1,0]}
                 %1 = transpose(%0) {permutation=[1,0]}
                 %2 = exp(%1)
                 output "o" = %2)",
              R"(%2 = exp(%100)
                 output "o" = %2)");
    checkPass("simplify_arithmetic",
              R"(%0 = affine(%100) {scale=2, offset=1}
                 %1 = affine(%0) {scale=3, offset=5}
                 output "o" = %1)",
              R"(%1 = affine(%100) {scale=6, offset=8}
                 output "o" = %1)");
    checkPass("simplify_arithmetic",
              R"(%0 = constant() splat 2 : f32[]
                 %1 = multiply(%100, %0)
                 %2 = add(%1, %0)
                 %3 = divide(%2, %0)
                 %4 = subtract(%0, %3)
                 %5 = negate(%4)
                 output "o" = %5)",
              R"(%5 = affine(%100) {offset=-1}
                 output "o" = %5)");
    checkPass("simplify_arithmetic",
              R"(%0 = constant() splat 2 : f32[]
                 %1 = power(%100, %0)
                 output "o" = %1)",
              R"(%1 = square(%100)
                 output "o" = %1)");
    checkPass("simplify_arithmetic",
              R"(%0 = input() {name="b"} : f32[3]
                 %1 = broadcast_to(%0) {shape=[2,3]}
                 %2 = add(%100, %1)
                 output "o" = %2)",
              R"(%0 = input() {name="b"} : f32[3]
                 %2 = add(%100, %0)
                 output "o" = %2)");
    checkPass("simplify_arithmetic",
              R"(%0 = reduce_sum(%100) {axes=[]}
                 %1 = exp(%0)
                 output "o" = %1)",
              R"(%1 = exp(%100)
                 output "o" = %1)");
  }

  TEST_CASE("simplify_arithmetic: the gradient of dropout after relu reads the output of both") {
    const std::string head =
        R"(%0 = input() {name="seed"} : i64[]
           %1 = input() {name="step"} : i64[]
           %2 = input() {name="first"} : i64[]
           %3 = activation(%100) {kind="relu"}
           %4 = dropout(%3, %0, %1, %2) {rate=0.75, stream="a"}
        )";
    const std::string tail = R"(output "o" = %4
                                output "dx" = %6
                             )",
                      gradient = "%6 = activation_backward(%5, %3) {kind=\"relu\"}\n";
    checkPass("simplify_arithmetic",
              head + "%5 = dropout(%101, %0, %1, %2) {rate=0.75, stream=\"a\"}\n" + gradient + tail,
              head + R"(%5 = activation_backward(%101, %4) {kind="relu"}
                        %6 = affine(%5) {scale=4}
                     )" +
                  tail);
    checkUnchanged(
        "simplify_arithmetic",
        head + "%5 = dropout(%101, %0, %1, %2) {rate=0.75, stream=\"b\"}\n" + gradient + tail);
    checkUnchanged(
        "simplify_arithmetic",
        head + "%5 = dropout(%101, %0, %2, %2) {rate=0.75, stream=\"a\"}\n" + gradient + tail);
  }

  TEST_CASE("canonicalize: one form") {
    const std::string two = "%0 = constant() splat 2 : f32[]\n";
    checkPass("canonicalize", two + R"(%1 = multiply(%0, %100)
                                       output "o" = %1)",
              two + R"(%1 = multiply(%100, %0)
                       output "o" = %1)");
    checkPass("canonicalize",
              R"(%0 = variable() {name="w"} : f32[3]
                 %1 = add(%0, %100)
                 output "o" = %1)",
              R"(%0 = variable() {name="w"} : f32[3]
                 %1 = add(%100, %0)
                 output "o" = %1)");
    checkPass("canonicalize",
              R"(%0 = greater(%100, %101)
                 %1 = greater_equal(%100, %101)
                 %2 = add(%0, %1)
                 output "o" = %2)",
              R"(%0 = less(%101, %100)
                 %1 = less_equal(%101, %100)
                 %2 = add(%0, %1)
                 output "o" = %2)");
    checkPass("canonicalize", R"(%0 = negate(%101)
                                 %1 = add(%100, %0)
                                 output "o" = %1)",
              R"(%1 = subtract(%100, %101)
                 output "o" = %1)");
    checkPass("canonicalize", R"(%0 = negate(%101)
                                 %1 = add(%0, %100)
                                 output "o" = %1)",
              R"(%1 = subtract(%100, %101)
                 output "o" = %1)");
    checkPass("canonicalize", R"(%0 = negate(%101)
                                 %1 = subtract(%100, %0)
                                 output "o" = %1)",
              R"(%1 = add(%100, %101)
                 output "o" = %1)");
    checkPass("canonicalize", R"(%0 = multiply(%100, %100)
                                 output "o" = %0)",
              R"(%0 = square(%100)
                 output "o" = %0)");
    checkPass("canonicalize", R"(%0 = negate(%100)
                                 %1 = abs(%0)
                                 output "o" = %1)",
              R"(%1 = abs(%100)
                 output "o" = %1)");
    checkPass("canonicalize",
              R"(%0 = reshape(%100) {shape=[2,1,3]}
                 %1 = transpose(%0) {permutation=[1,0,2]}
                 output "o" = %1)",
              R"(%1 = reshape(%100) {shape=[1,2,3]}
                 output "o" = %1)");
    checkPass("canonicalize",
              R"(%0 = broadcast_to(%100) {shape=[4,2,3]}
                 %1 = broadcast_to(%0) {shape=[5,4,2,3]}
                 output "o" = %1)",
              R"(%1 = broadcast_to(%100) {shape=[5,4,2,3]}
                 output "o" = %1)");
    checkPass("canonicalize", R"(%0 = broadcast_to(%100) {shape=[1,2,3]}
                                 output "o" = %0)",
              R"(%0 = reshape(%100) {shape=[1,2,3]}
                 output "o" = %0)");
  }

  TEST_CASE("canonicalize keeps values that others read, and orders that change the result") {
    checkUnchanged("canonicalize",
                   R"(%0 = constant() splat 2 : f32[]
                      %1 = subtract(%0, %100)
                      output "o" = %1)");
    // The sign of a zero would change.
    checkUnchanged("canonicalize",
                   R"(%0 = constant() splat 0 : f32[]
                      %1 = maximum(%0, %100)
                      output "o" = %1)");
    checkUnchanged("canonicalize",
                   R"(%0 = negate(%101)
                      %1 = add(%100, %0)
                      output "o" = %1
                      output "p" = %0)");
    checkUnchanged("canonicalize", R"(%0 = transpose(%100) {permutation=[1,0]}
                                      output "o" = %0)");
    checkUnchanged("canonicalize",
                   R"(%0 = reshape(%100) {shape=[3,1,2]}
                      %1 = transpose(%0) {permutation=[2,1,0]}
                      output "o" = %1)");
    // This turns -0 into +0.
    checkUnchanged("canonicalize",
                   R"(%0 = affine(%100) {scale=0}
                      %1 = reduce_sum(%0) {axes=[]}
                      output "o" = %1)");
  }

  TEST_CASE("fuse_pooling") {
    const std::string image = "%0 = input() {name=\"i\"} : f32[2,4,4,3]\n";
    checkPass(
        "fuse_pooling", image + R"(%1, %2 = max_pool2d(%0) {pool_size=[2,2], strides=[2,2]}
                                   %3 = activation(%1) {kind="leaky_relu", alpha=0.2}
                                   output "o" = %3)",
        image +
            R"(%1, %2 = max_pool2d(%0) {pool_size=[2,2], strides=[2,2], activation="leaky_relu", alpha=0.2}
               output "o" = %1)");
    checkPass("fuse_pooling", image + R"(%1 = activation(%0) {kind="relu"}
                                         %2, %3 = max_pool2d(%1) {pool_size=[2,2], strides=[2,2]}
                                         output "o" = %2)",
              image + R"(%2, %3 = max_pool2d(%0) {pool_size=[2,2], strides=[2,2], activation="relu"}
                         output "o" = %2)");
    // With the gradient, whose slope moves to the pooled side.
    const std::string gradient = image + "%4 = input() {name=\"d\"} : f32[2,2,2,3]\n";
    const std::string backward = R"(%5 = activation_backward(%4, %2) {kind="relu"} backward
                                    %6 = max_pool2d_backward(%5, %3) {pool_size=[2,2], strides=[2,2], input_shape=[2,4,4,3]} backward
                                    output "o" = %6
                                 )";
    const std::string before = gradient + R"(%1 = activation(%0) {kind="relu"}
                                             %2, %3 = max_pool2d(%1) {pool_size=[2,2], strides=[2,2]}
                                          )";
    const std::string after =
        gradient + R"(%2, %3 = max_pool2d(%0) {pool_size=[2,2], strides=[2,2], activation="relu"}
                   )";
    checkPass("fuse_pooling", before + backward, after + backward);
  }

  TEST_CASE(
      "fuse_pooling keeps values that others read, an index that is read, costly activations, and "
      "relu where it is free") {
    const std::string image = "%0 = input() {name=\"i\"} : f32[2,4,4,3]\n";
    const std::string pooled = "%2, %3 = max_pool2d(%1) {pool_size=[2,2], strides=[2,2]}\n";
    checkUnchanged("fuse_pooling",
                   image + R"(%1, %2 = max_pool2d(%0) {pool_size=[2,2], strides=[2,2]}
                              %3 = activation(%1) {kind="relu"}
                              output "o" = %3
                              output "p" = %1)");
    checkUnchanged("fuse_pooling",
                   image + R"(%1, %2 = max_pool2d(%0) {pool_size=[2,2], strides=[2,2]}
                              %3 = activation(%1) {kind="tanh"}
                              output "o" = %3)");
    checkUnchanged("fuse_pooling",
                   image + "%1 = activation(%0) {kind=\"relu\"}\n" + pooled + R"(output "o" = %2
                                                                                 output "p" = %1)");
    checkUnchanged("fuse_pooling",
                   image + "%1 = activation(%0) {kind=\"relu\"}\n" + pooled + R"(output "o" = %2
                                                                                 output "p" = %3)");
    checkUnchanged("fuse_pooling",
                   image + "%1 = activation(%0) {kind=\"tanh\"}\n" + pooled + R"(output "o" = %2)");
    checkUnchanged("fuse_pooling", image + R"(%4 = add(%0, %0)
                                              %1 = activation(%4) {kind="relu"}
                                           )" +
                                       pooled + R"(output "o" = %2)");
  }

  TEST_CASE("simplify_arithmetic keeps what would change a value") {
    // NaN * 0 is NaN.
    checkUnchanged("simplify_arithmetic", R"(%0 = affine(%100) {scale=0}
                                             output "o" = %0)");
    checkPass("simplify_arithmetic",
              R"(%0 = constant() splat 0 : f32[]
                 %1 = multiply(%100, %0)
                 output "o" = %1)",
              R"(%1 = affine(%100) {scale=0}
                 output "o" = %1)");
    // Adding the zeros broadcasts the row, so the result is not the row itself.
    checkUnchanged("simplify_arithmetic",
                   R"(%2 = reduce_sum(%100) {axes=[0], keepdims=true}
                      %0 = constant() splat 0 : f32[2,3]
                      %3 = add(%2, %0)
                      output "o" = %3)");
    checkUnchanged("canonicalize", R"(%0 = transpose(%100) {permutation=[1,0]}
                                      output "o" = %0)");
    checkUnchanged("simplify_arithmetic",
                   // The inner one is needed anyway.
                   R"(%0 = affine(%100) {scale=2}
                      %1 = affine(%0) {scale=3}
                      output "o" = %1
                      output "p" = %0)");
    // The output must have the weights before the update, although x + 0 equals the weights.
    checkUnchanged("simplify_arithmetic",
                   R"(%0 = variable() {name="w"} : f32[2,3]
                      %1 = constant() splat 0 : f32[]
                      %2 = add(%0, %1)
                      %3 = assign(%0, %100) update
                      next "w" = %3
                      output "old" = %2)");
  }

  TEST_CASE("fuse_bias_activation") {
    const std::string weights =
        R"(%0 = variable() {name="w"} : f32[3,4]
           %1 = variable() {name="b"} : f32[4]
        )";
    checkPass("fuse_bias_activation",
              weights +
                  R"(%2 = matmul(%100, %0) @"d"
                     %3 = add(%2, %1) @"d"
                     %4 = activation(%3) {kind="relu"} @"d"
                     output "o" = %4)",
              weights + R"(%4 = matmul(%100, %0, %1) {activation="relu"} @"d"
                           output "o" = %4)");
    checkPass("fuse_bias_activation", weights + R"(%2 = matmul(%100, %0)
                                                   %3 = add(%1, %2)
                                                   output "o" = %3)",
              weights + R"(%3 = matmul(%100, %0, %1)
                           output "o" = %3)");
    checkPass("fuse_bias_activation",
              weights +
                  R"(%2 = matmul(%100, %0)
                     %4 = activation(%2) {kind="elu", alpha=0.5}
                     output "o" = %4)",
              weights + R"(%4 = matmul(%100, %0) {activation="elu", alpha=0.5}
                           output "o" = %4)");
    const std::string image =
        R"(%0 = input() {name="image"} : f32[1,5,5,2]
           %1 = variable() {name="k"} : f32[3,3,2,4]
           %2 = variable() {name="b"} : f32[4]
        )";
    checkPass("fuse_bias_activation",
              image +
                  R"(%3 = conv2d(%0, %1) {strides=[2,1]}
                     %4 = add(%3, %2)
                     %5 = activation(%4) {kind="tanh"}
                     output "o" = %5)",
              image +
                  R"(%5 = conv2d(%0, %1, %2) {strides=[2,1], activation="tanh"}
                     output "o" = %5)");
    // The fused node belongs to the convolution, even if the activation is a separate layer.
    checkPass("fuse_bias_activation",
              image +
                  R"(%3 = conv2d(%0, %1) @"conv"
                     %5 = activation(%3) {kind="relu"} @"act"
                     output "o" = %5)",
              image + R"(%5 = conv2d(%0, %1) {activation="relu"} @"conv"
                         output "o" = %5)");
    // The backward of relu reads the output, now that of the fused node.
    checkPass("fuse_bias_activation",
              weights +
                  R"(%2 = matmul(%100, %0)
                     %3 = add(%2, %1)
                     %4 = activation(%3) {kind="relu"}
                     %5 = activation_backward(%4, %4) {kind="relu"} backward
                     output "o" = %5)",
              weights +
                  R"(%4 = matmul(%100, %0, %1) {activation="relu"}
                     %5 = activation_backward(%4, %4) {kind="relu"} backward
                     output "o" = %5)");
  }

  TEST_CASE("fuse_bias_activation keeps values that others read") {
    const std::string weights =
        R"(%0 = variable() {name="w"} : f32[3,4]
           %1 = variable() {name="b"} : f32[4]
        )";
    // The backward of gelu reads the value before it.
    checkPass("fuse_bias_activation",
              weights +
                  R"(%2 = matmul(%100, %0)
                     %3 = add(%2, %1)
                     %4 = activation(%3) {kind="gelu"}
                     %5 = activation_backward(%4, %3) {kind="gelu"} backward
                     output "o" = %5)",
              weights +
                  R"(%3 = matmul(%100, %0, %1)
                     %4 = activation(%3) {kind="gelu"}
                     %5 = activation_backward(%4, %3) {kind="gelu"} backward
                     output "o" = %5)");
    checkUnchanged("fuse_bias_activation", weights +
                                               R"(%2 = matmul(%100, %0)
                                                  %3 = add(%2, %1)
                                                  output "o" = %3
                                                  output "p" = %2)");
    checkUnchanged("fuse_bias_activation",
                   R"(%0 = variable() {name="w"} : f32[3,4]
                      %1 = variable() {name="b"} : f32[2,1]
                      %2 = matmul(%100, %0)
                      %3 = add(%2, %1)
                      output "o" = %3)");
  }

  TEST_CASE("fuse_batch_norm") {
    const std::string before =
        R"(%0 = variable() {name="g"} : f32[3]
           %1 = variable() {name="m"} : f32[3]
        )";
    // The statistics are read before relu, so the fused node takes the normalization's position.
    checkPass("fuse_batch_norm",
              before +
                  R"(%2, %3, %4 = batch_norm(%100, %0, %0)
                     %5 = assign(%1, %3) update
                     %6 = activation(%2) {kind="relu"}
                     next "m" = %5
                     output "o" = %6)",
              before +
                  R"(%2, %3, %4 = batch_norm(%100, %0, %0) {activation="relu"}
                     %5 = assign(%1, %3) update
                     next "m" = %5
                     output "o" = %2)");
    checkPass("fuse_batch_norm",
              before +
                  R"(%2, %3, %4 = batch_norm(%100, %0, %0)
                     %5 = add(%101, %2)
                     %6 = activation(%5) {kind="relu"}
                     output "o" = %6)",
              before +
                  R"(%2, %3, %4 = batch_norm(%100, %0, %0, %101) {activation="relu"}
                     output "o" = %2)");
    checkPass("fuse_batch_norm",
              before +
                  R"(%2 = activation_backward(%100, %101) {kind="relu"} backward
                     %3, %4, %5 = batch_norm_backward(%2, %101, %0, %0, %0) backward
                     output "o" = %3)",
              before +
                  R"(%3, %4, %5 = batch_norm_backward(%100, %101, %0, %0, %0, %101) backward
                     output "o" = %3)");
  }

  TEST_CASE("fuse_batch_norm derives relu's mask from x") {
    const std::string before =
        R"(%0 = variable() {name="g"} : f32[3]
           %1 = variable() {name="b"} : f32[3]
        )";
    checkPass("fuse_batch_norm",
              before +
                  R"(%2, %3, %4 = batch_norm(%100, %0, %1)
                     %5 = activation(%2) {kind="relu"}
                     %6 = activation_backward(%101, %5) {kind="relu"} backward
                     %7, %8, %9 = batch_norm_backward(%6, %100, %0, %3, %4) backward
                     output "o" = %7
                     output "y" = %5)",
              before +
                  R"(%2, %3, %4 = batch_norm(%100, %0, %1) {activation="relu"}
                     %7, %8, %9 = batch_norm_backward(%101, %100, %0, %3, %4, %1) backward
                     output "o" = %7
                     output "y" = %2)");
  }

  TEST_CASE("fuse_batch_norm leaves relu's gradient to a pooling after it, where it is cheaper") {
    checkUnchanged("fuse_batch_norm",
                   R"(%0 = variable() {name="g"} : f32[3]
                      %1 = input() {name="i"} : f32[1,4,4,3]
                      %2, %3 = max_pool2d(%1) {pool_size=[2,2], strides=[2,2]}
                      %4 = max_pool2d_backward(%2, %3) {pool_size=[2,2], strides=[2,2], input_shape=[1,4,4,3]} backward
                      %5 = activation_backward(%4, %1) {kind="relu"} backward
                      %6, %7, %8 = batch_norm_backward(%5, %1, %0, %0, %0) backward
                      output "o" = %6)");
  }

  TEST_CASE(
      "fuse_batch_norm keeps values that others read, other activations, and sums that are later "
      "or broadcast") {
    const std::string before =
        R"(%0 = variable() {name="g"} : f32[3]
           %1, %2, %3 = batch_norm(%100, %0, %0)
        )";
    checkUnchanged("fuse_batch_norm", before + R"(%4 = activation(%1) {kind="relu"}
                                                  output "o" = %4
                                                  output "p" = %1)");
    checkUnchanged("fuse_batch_norm", before + R"(%4 = activation(%1) {kind="tanh"}
                                                  output "o" = %4)");
    checkUnchanged("fuse_batch_norm", before + R"(%4 = exp(%101)
                                                  %5 = add(%1, %4)
                                                  output "o" = %5)");
    checkUnchanged("fuse_batch_norm", before + R"(%4 = add(%1, %0)
                                                  output "o" = %4)");
    checkUnchanged("fuse_batch_norm",
                   R"(%0 = variable() {name="g"} : f32[3]
                      %2 = activation_backward(%100, %101) {kind="relu"} backward
                      %3, %4, %5 = batch_norm_backward(%2, %101, %0, %0, %0) backward
                      output "o" = %3
                      output "shortcut" = %2)");
  }

  TEST_CASE("fuse_siblings") {
    // Weights and their views come right before their own product, and the first result is read
    // before the second product.
    checkPass("fuse_siblings", R"(%0 = variable() {name="v"} : f32[3,4]
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
    // With biases and transposed weights; then the products that read the joined results.
    checkPass("fuse_siblings", R"(%8 = variable() {name="b"} : f32[2]
                                  %9 = variable() {name="t"} : f32[2,3]
                                  %0 = variable() {name="p"} : f32[2,2]
                                  %10 = matmul(%100, %9, %8) {transpose_b=true}
                                  %11 = matmul(%100, %9, %8) {transpose_b=true}
                                  %12 = matmul(%10, %0)
                                  %13 = matmul(%10, %0)
                                  %14 = concatenate(%11, %12, %13)
                                  output "o" = %14)",
              R"(%8 = variable() {name="b"} : f32[2]
                 %9 = variable() {name="t"} : f32[2,3]
                 %0 = variable() {name="p"} : f32[2,2]
                 %10, %11 = matmul_siblings(%100, %9, %8, %9, %8) {activations="linear,linear", has_bias=true, transpose_b=true}
                 %12, %13 = matmul_siblings(%10, %0, %0) {activations="linear,linear"}
                 %14 = concatenate(%11, %12, %13)
                 output "o" = %14)");
  }

  TEST_CASE(
      "fuse_siblings keeps single and large products, computed weights, and products with other "
      "operands, biases, transpositions, slopes or phases") {
    const std::string variables = R"(%0 = variable() {name="v"} : f32[3,3]
                                     %1 = variable() {name="w"} : f32[3,3]
                                     %2 = variable() {name="b"} : f32[3]
                                  )";
    const std::string outputs = R"(output "a" = %3
                                   output "b" = %4)";
    for (const char* second :
         {"%4 = matmul(%101, %1)\n", "%4 = matmul(%100, %1, %2)\n",
          "%4 = matmul(%100, %1) {transpose_b=true}\n",
          "%4 = matmul(%100, %1) {activation=\"elu\", alpha=0.5}\n",
          "%4 = matmul(%100, %1) backward\n", "%5 = exp(%1)\n%4 = matmul(%100, %5)\n"})
      checkUnchanged("fuse_siblings", variables + "%3 = matmul(%100, %0)\n" + second + outputs);
    checkUnchanged("fuse_siblings", variables + R"(%3 = matmul(%100, %101) {transpose_a=true}
                                                   %4 = matmul(%100, %100) {transpose_a=true}
                                                )" +
                                        outputs);
    checkUnchanged("fuse_siblings", R"(%0 = variable() {name="v"} : f32[3,20000]
                                       %1 = variable() {name="w"} : f32[3,20000]
                                       %3 = matmul(%100, %0)
                                       %4 = matmul(%100, %1)
                                    )" + outputs);
  }

  TEST_CASE("fuse_update") {
    const std::string before =
        R"(%0 = variable() {name="w"} : f32[3,3]
           %1 = variable() {name="v"} : f32[3,3]
           %2 = input() {name="rate"} : f32[]
        )";
    const std::string product = "%3 = matmul(%100, %101) {transpose_a=true} backward\n";
    checkPass("fuse_update",
              before + product +
                  R"(%4, %5 = sgd_update(%0, %3, %2, %1) {momentum=0.9} update
                     next "w" = %4
                     next "v" = %5)",
              before +
                  R"(%4, %5 = matmul_sgd_update(%0, %100, %101, %2, %1) {momentum=0.9} update
                     next "w" = %4
                     next "v" = %5)");
  }

  TEST_CASE(
      "fuse_update keeps gradients that others read, other products, products of state, and "
      "products that save memory") {
    const std::string before =
        R"(%0 = variable() {name="w"} : f32[3,3]
           %2 = input() {name="rate"} : f32[]
        )";
    const std::string after = R"(%4 = sgd_update(%0, %3, %2) update
                                 next "w" = %4
                              )";
    checkUnchanged("fuse_update", before + "%3 = matmul(%100, %101) {transpose_a=true} backward\n" +
                                      after + R"(output "o" = %3)");
    checkUnchanged(
        "fuse_update",
        before + "%3 = matmul(%100, %101) {transpose_a=true, activation=\"relu\"} backward\n" +
            after);
    checkUnchanged("fuse_update",
                   before + "%3 = matmul(%0, %0) {transpose_a=true} backward\n" + after);
    checkUnchanged("fuse_update", before +
                                      R"(%5 = input() {name="z"} : f32[20000,3]
                                         %3 = matmul(%5, %5) {transpose_a=true} backward
                                      )" +
                                      after);
  }

  TEST_CASE("fuse_pointwise") {
    const std::string inputs =
        R"(%0 = input() {name="a"} : f32[100,90]
           %1 = input() {name="b"} : f32[100,90]
           %2 = input() {name="row"} : f32[90]
        )";
    checkPass(
        "fuse_pointwise",
        inputs +
            R"(%3 = subtract(%0, %2) @"x"
               %4 = affine(%3) {scale=2, offset=0.1} @"x"
               %5 = multiply(%4, %1) @"x"
               %6 = activation(%5) {kind="leaky_relu", alpha=0.2} @"y"
               output "o" = %6)",
        inputs +
            R"(%6 = fused_pointwise(%0, %2, %1) {program="subtract x0 x1; affine 2 0.1 t0; multiply t1 x2; activation leaky_relu 0.2 t2"} @"y"
               output "o" = %6)");
    // A value that is read twice inside the chain, and one read twice from outside.
    checkPass(
        "fuse_pointwise",
        inputs +
            R"(%3 = add(%0, %1)
               %4 = exp(%3)
               %5 = multiply(%3, %4)
               %6 = multiply(%5, %0)
               output "o" = %6)",
        inputs +
            R"(%6 = fused_pointwise(%0, %1) {program="add x0 x1; exp t0; multiply t0 t1; multiply t2 x0"}
               output "o" = %6)");
    // A value that others read stays and starts a new chain.
    checkPass("fuse_pointwise",
              inputs +
                  R"(%3 = add(%0, %1)
                     %4 = exp(%3)
                     %5 = negate(%4)
                     %6 = exp(%5)
                     output "o" = %6
                     output "p" = %4)",
              inputs +
                  R"(%4 = fused_pointwise(%0, %1) {program="add x0 x1; exp t0"}
                     %6 = fused_pointwise(%4) {program="negate x0; exp t0"}
                     output "o" = %6
                     output "p" = %4)");
    // A chain in the backward part.
    checkPass(
        "fuse_pointwise",
        inputs +
            R"(%3 = add(%0, %1) backward
               %4 = activation_backward(%3, %1) {kind="relu"} backward
               output "o" = %4)",
        inputs +
            R"(%4 = fused_pointwise(%0, %1) {program="add x0 x1; activation_backward relu 0 t0 x1"} backward
               output "o" = %4)");
    // Few elements, but a row that is broadcast often.
    checkPass("fuse_pointwise",
              R"(%0 = input() {name="a"} : f32[20,4]
                 %1 = input() {name="b"} : f32[4]
                 %2 = add(%0, %1)
                 %3 = exp(%2)
                 output "o" = %3)",
              R"(%0 = input() {name="a"} : f32[20,4]
                 %1 = input() {name="b"} : f32[4]
                 %3 = fused_pointwise(%0, %1) {program="add x0 x1; exp t0"}
                 output "o" = %3)");
  }

  TEST_CASE(
      "fuse_pointwise keeps small tensors, other types, shapes and phases, and chains that would "
      "keep more values alive") {
    const std::string inputs =
        R"(%0 = input() {name="a"} : f32[100,90]
           %1 = input() {name="b"} : f32[100,90]
        )";
    checkUnchanged("fuse_pointwise", R"(%0 = add(%100, %101)
                                        %1 = exp(%0)
                                        output "o" = %1)");
    checkUnchanged("fuse_pointwise",
                   R"(%0 = input() {name="i"} : i32[100,90]
                      %1 = add(%0, %0)
                      %2 = multiply(%1, %1)
                      output "o" = %2)");
    checkUnchanged("fuse_pointwise", inputs + R"(%2 = exp(%0)
                                                 %3 = negate(%2) backward
                                                 output "o" = %3)");
    checkUnchanged("fuse_pointwise",
                   R"(%0 = input() {name="i"} : f32[90]
                      %1 = exp(%0)
                      %2 = input() {name="a"} : f32[100,90]
                      %3 = add(%2, %1)
                      output "o" = %3)");
    // A row in the middle: no kernel reads it fast.
    checkUnchanged("fuse_pointwise",
                   R"(%0 = input() {name="a"} : f32[10,30,50]
                      %1 = input() {name="b"} : f32[30,1]
                      %2 = add(%0, %1)
                      %3 = exp(%2)
                      output "o" = %3)");
    // %2 and %3 die before the products; fusing their sum would keep them alive.
    const std::string products = R"(%5 = matmul(%0, %1) {transpose_b=true}
                                    %6 = matmul(%5, %0)
                                 )";
    checkUnchanged("fuse_pointwise", inputs +
                                         R"(%2 = softmax(%0)
                                            %3 = softmax(%1)
                                            %4 = add(%2, %3)
                                         )" +
                                         products + R"(%7 = add(%4, %6)
                                                       output "o" = %7)");
    // Values that live longer anyway cost nothing.
    checkPass("fuse_pointwise", inputs + "%4 = add(%0, %1)\n" + products + R"(%7 = add(%4, %6)
                                                                              output "o" = %7)",
              inputs + products +
                  R"(%7 = fused_pointwise(%0, %1, %6) {program="add x0 x1; add t0 x2"}
                     output "o" = %7)");
    // The sum must see the weights before their update.
    checkUnchanged("fuse_pointwise", inputs +
                                         R"(%2 = variable() {name="w"} : f32[100,90]
                                            %3 = add(%2, %0) update
                                            %4 = assign(%2, %1) update
                                            %5 = exp(%3) update
                                            next "w" = %4
                                            output "o" = %5)");
  }

  TEST_CASE("order: updates last, values just before they are read") {
    checkPass("order",
              R"(%0 = variable() {name="w"} : f32[2,3]
                 %1 = assign(%0, %100) update
                 %2 = exp(%101)
                 next "w" = %1
                 output "o" = %2)",
              R"(%0 = variable() {name="w"} : f32[2,3]
                 %2 = exp(%101)
                 %1 = assign(%0, %100) update
                 next "w" = %1
                 output "o" = %2)");
    checkPass("order",
              R"(%0 = reduce_sum(%100) {axes=[0,1]}
                 %1 = broadcast_to(%0) {shape=[50,2,3]}
                 %2 = exp(%101)
                 %3 = negate(%2)
                 %4 = add(%3, %1)
                 output "o" = %4)",
              R"(%2 = exp(%101)
                 %3 = negate(%2)
                 %0 = reduce_sum(%100) {axes=[0,1]}
                 %1 = broadcast_to(%0) {shape=[50,2,3]}
                 %4 = add(%3, %1)
                 output "o" = %4)");
    // Moving the small result would keep the large operand alive.
    checkUnchanged("order",
                   R"(%0 = broadcast_to(%100) {shape=[50,2,3]}
                      %1 = reduce_sum(%0) {axes=[0,1,2]}
                      %2 = exp(%101)
                      %3 = negate(%2)
                      %4 = add(%3, %1)
                      output "o" = %4)");
    // A reader of weights stays before their update, however large its result.
    checkUnchanged("order",
                   R"(%0 = variable() {name="w"} : f32[2,3]
                      %1 = broadcast_to(%0) {shape=[50,2,3]} update
                      %2 = assign(%0, %100) update
                      %3 = add(%1, %2) update
                      next "w" = %2
                      output "o" = %3)");
  }

  TEST_CASE("in_place reports what it saves and does not change the graph") {
    Graph graph = parseGraph(declared(R"(%0 = exp(%100)
                                         %1 = negate(%0)
                                         %2 = sqrt(%1)
                                         output "o" = %2)"));
    const std::string before = printGraph(graph);
    const std::vector<PassReport> reports = runPasses(graph, onlyPass("in_place"));
    CHECK(printGraph(graph) == before);
    CHECK(reports[reports.size() - 2].rewrites == 2);
    CHECK(reports[reports.size() - 2].details.at(0).find("64 fewer bytes (128 -> 64)") !=
          std::string::npos);
  }

  TEST_CASE("a stop ends a pass in the middle of its work and is not a failure of the pass") {
    for (const bool adds : {true, false}) {
      Graph graph = parseGraph(declared(R"(%0 = exp(%100)
                                           output "o" = %0)"));
      std::stop_source stop;
      graph.setStop(stop.get_token());
      int rounds = 0;
      const Pass endless{"endless", {}, [&](Graph& g, PassReport& report) {
                           const ValueId x = g.outputs()[0].value;
                           for (;; ++rounds) {
                             if (rounds == 1000) stop.request_stop();
                             if (adds)
                               exp(g, x);
                             else
                               mergeCommon(g, report);
                           }
                         }};
      int after = 0;
      PipelineOptions options = allPasses();
      options.onPass = [&](const Graph&, const PassReport& report) {
        after += report.pass == "endless";
      };
      try {
        runPasses(graph, options, {endless});
        FAIL("it was not stopped");
      }
      catch (const Error& error) {
        CHECK(error.code() == ErrorCode::Stopped);
      }
      CHECK(rounds == 1000);
      CHECK(after == 0);
    }
  }

  TEST_CASE("pipeline: switches, unknown names, reports, failures") {
    Graph graph = parseGraph(declared(R"(%0 = exp(%100)
                                         %1 = exp(%100)
                                         %2 = add(%0, %1)
                                         output "o" = %2)"));
    PipelineOptions options = allPasses();
    options.disabled = {"merge_comon"};
    try {
      runPasses(graph, options);
      FAIL("no error");
    }
    catch (const Error& error) {
      CHECK(error.code() == ErrorCode::InvalidArgument);
      CHECK(std::string(error.what()).find("\"merge_common\"") != std::string::npos);
    }
    options.disabled = {"merge_common"};
    Graph off = graph;
    const std::vector<PassReport> reports = runPasses(off, options);
    REQUIRE(reports.size() == standardPasses().size());
    for (size_t i = 0; i < reports.size(); ++i)
      CHECK(reports[i].pass == standardPasses()[i].name);
    CHECK(reports[1].line() == "merge_common: off");
    CHECK(off.order().size() == graph.order().size());

    const std::string before = printGraph(graph);
    const Pass throws{"throws", {}, [](Graph& g, PassReport&) {
                        g.addOutput("half done", g.outputs()[0].value);
                        throw Error(ErrorCode::Internal, "x", "out of luck.");
                      }};
    const Pass corrupts{"corrupts", {}, [](Graph& g, PassReport& report) {
                          g.edit().mutableNode(g.order().back()).attributes.set("odd", 1.0);
                          report.rewrites = 1;
                        }};
    PipelineOptions none = allPasses();
    for (const Pass& pass : standardPasses())
      none.disabled.insert(pass.name);
    // Both failures are logged.
    setLogSink([](LogLevel, std::string_view) {});
    const std::vector<PassReport> broken = runPasses(graph, none, {throws, corrupts});
    setLogSink({});
    CHECK(printGraph(graph) == before);
    REQUIRE(broken.size() == standardPasses().size() + 2);
    CHECK(broken[broken.size() - 8].line() == "throws: dropped, out of luck.");
    CHECK(broken[broken.size() - 7].failure.find("unknown attribute \"odd\"") != std::string::npos);
    Graph counted = graph;
    const PassReport merged = runPasses(counted, allPasses())[1];
    CHECK(merged.line() ==
          "merge_common: 1 rewrite, 5 -> 4 nodes; live at most 0.00 -> 0.00 MiB, moved 0.00 -> "
          "0.00 MiB, 0.006 -> 0.004 ms");
    // Six numbers of four bytes: exp twice and their sum, then once; read and written.
    CHECK(merged.before.movedBytes == 24 * (2 + 2 + 3));
    CHECK(merged.after.movedBytes == 24 * (2 + 3));
    CHECK(merged.before.peakBytes == 128 + 2 * 64);
    CHECK(merged.after.peakBytes == 128 + 64);
    CHECK(merged.after.seconds < merged.before.seconds);
  }
}
