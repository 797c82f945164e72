// SPDX-License-Identifier: Apache-2.0
// Each pass on graphs written as text: what it changes, and what it must leave.
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

/// Runs one pass; the text's declarations of x and y come first.
std::string declared(const std::string& lines) {
  return "strata-graph 1\n%100 = input() {name=\"x\"} : f32[2,3]\n%101 = input() {name=\"y\"} : "
         "f32[2,3]\n" +
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
    checkPass("remove_dead", "%0 = exp(%100)\n%1 = log(%100)\n%2 = negate(%1)\noutput \"o\" = %0\n",
              "%0 = exp(%100)\noutput \"o\" = %0\n");
    checkPass("remove_dead",
              "%0 = constant() splat 2 : f32[3]\n%1, %2, %3 = batch_norm(%100, %0, %0)\noutput "
              "\"o\" = %100\n",
              "output \"o\" = %100\n");
  }

  TEST_CASE("remove_dead keeps updates, inputs and variables") {
    checkUnchanged("remove_dead",
                   "%0 = variable() {name=\"w\"} : f32[2,3]\n%1 = variable() {name=\"unused\"} : "
                   "f32[2,3]\n%2 = assign(%0, %100) "
                   "update\nnext \"w\" = %2\n");
  }

  TEST_CASE("merge_common") {
    checkPass(
        "merge_common",
        "%0 = add(%100, %101)\n%1 = add(%101, %100)\n%2 = multiply(%0, %1)\noutput \"o\" = %2\n",
        "%0 = add(%100, %101)\n%2 = multiply(%0, %0)\noutput \"o\" = %2\n");
    checkPass("merge_common",
              "%0 = constant() splat 2 : f32[]\n%1 = constant() splat 2 : f32[]\n%2 = add(%100, "
              "%0)\n%3 = add(%100, %1)\n%4 = subtract(%2, "
              "%3)\noutput \"o\" = %4\n",
              "%0 = constant() splat 2 : f32[]\n%2 = add(%100, %0)\n%4 = subtract(%2, %2)\noutput "
              "\"o\" = %4\n");
  }

  TEST_CASE("merge_common leaves different operands, order, attributes, bits and updates apart") {
    checkUnchanged("merge_common",
                   "%0 = subtract(%100, %101)\n%1 = subtract(%101, %100)\n%2 = add(%0, %1)\noutput "
                   "\"o\" = %2\n");
    checkUnchanged("merge_common",
                   "%0 = affine(%100) {scale=2}\n%1 = affine(%100) {scale=3}\n%2 = add(%0, "
                   "%1)\noutput \"o\" = %2\n");
    checkUnchanged("merge_common",
                   "%0 = constant() splat 0.0 : f32[]\n%1 = constant() splat -0.0 : f32[]\n%2 = "
                   "constant() splat 0.0 : f64[]\n%3 = "
                   "divide(%100, %0)\n%4 = divide(%100, %1)\n"
                   "output \"a\" = %3\noutput \"b\" = %4\noutput \"c\" = %2\n");
    checkUnchanged("merge_common",
                   "%0 = variable() {name=\"v\"} : f32[2,3]\n%1 = variable() {name=\"w\"} : "
                   "f32[2,3]\n%2 = assign(%0, %100) update\n%3 = "
                   "assign(%1, %100) update\n"
                   "next \"v\" = %2\nnext \"w\" = %3\n");
  }

  TEST_CASE("fold_constants") {
    checkPass(
        "fold_constants",
        "%0 = constant() splat 2 : f32[]\n%1 = constant() splat 3 : f32[]\n%2 = add(%0, %1)\n%3 = "
        "broadcast_to(%2) {shape=[3]}\n%4 = "
        "multiply(%100, %3)\noutput \"o\" = %4\n",
        "%3 = constant() splat 5 : f32[3] forward\n%4 = multiply(%100, %3)\noutput \"o\" = %4\n");
    checkPass("fold_constants",
              "%0 = constant() data [3, 1, 2] : f32[3]\n%1 = argmax(%0)\noutput \"o\" = %1\n",
              "%1 = constant() splat 0 : i32[]\noutput \"o\" = %1\n");
  }

  TEST_CASE("fold_constants stops at its size cap and at inputs") {
    checkUnchanged("fold_constants",
                   "%0 = constant() splat 2 : f32[]\n%1 = broadcast_to(%0) "
                   "{shape=[1000,1000]}\noutput \"o\" = %1\n");
    checkUnchanged("fold_constants",
                   "%0 = constant() splat 2 : f32[]\n%1 = add(%100, %0)\noutput \"o\" = %1\n");
  }

  TEST_CASE("simplify_arithmetic: what does nothing") {
    const std::string zero = "%0 = constant() splat 0 : f32[]\n",
                      one = "%0 = constant() splat 1 : f32[2,3]\n";
    checkPass("simplify_arithmetic", zero + "%1 = add(%100, %0)\n%2 = exp(%1)\noutput \"o\" = %2\n",
              "%2 = exp(%100)\noutput \"o\" = %2\n");
    checkPass("simplify_arithmetic", zero + "%1 = add(%0, %100)\n%2 = exp(%1)\noutput \"o\" = %2\n",
              "%2 = exp(%100)\noutput \"o\" = %2\n");
    checkPass("simplify_arithmetic",
              zero + "%1 = subtract(%100, %0)\n%2 = exp(%1)\noutput \"o\" = %2\n",
              "%2 = exp(%100)\noutput \"o\" = %2\n");
    checkPass("simplify_arithmetic",
              one + "%1 = multiply(%0, %100)\n%2 = exp(%1)\noutput \"o\" = %2\n",
              "%2 = exp(%100)\noutput \"o\" = %2\n");
    checkPass("simplify_arithmetic",
              one + "%1 = divide(%100, %0)\n%2 = exp(%1)\noutput \"o\" = %2\n",
              "%2 = exp(%100)\noutput \"o\" = %2\n");
    checkPass("canonicalize",
              "%1 = activation(%100) {kind=\"linear\"}\n%2 = exp(%1)\noutput \"o\" = %2\n",
              "%2 = exp(%100)\noutput \"o\" = %2\n");
    checkPass("canonicalize", "%1 = cast(%100) {dtype=\"f32\"}\n%2 = exp(%1)\noutput \"o\" = %2\n",
              "%2 = exp(%100)\noutput \"o\" = %2\n");
    checkPass("canonicalize",
              "%1 = slice(%100) {begin=[0,0], size=[2,3]}\n%2 = concatenate(%1)\n%3 = "
              "exp(%2)\noutput \"o\" = %3\n",
              "%3 = exp(%100)\noutput \"o\" = %3\n");
  }

  TEST_CASE("simplify_arithmetic: pairs and chains") {
    checkPass("canonicalize",
              "%0 = negate(%100)\n%1 = negate(%0)\n%2 = exp(%1)\noutput \"o\" = %2\n",
              "%2 = exp(%100)\noutput \"o\" = %2\n");
    checkPass("canonicalize",
              "%0 = reshape(%100) {shape=[6]}\n%1 = reshape(%0) {shape=[3,2]}\n%2 = "
              "exp(%1)\noutput \"o\" = %2\n",
              "%1 = reshape(%100) {shape=[3,2]}\n%2 = exp(%1)\noutput \"o\" = %2\n");
    checkPass("canonicalize",
              "%0 = reshape(%100) {shape=[6]}\n%1 = reshape(%0) {shape=[2,3]}\n%2 = "
              "exp(%1)\noutput \"o\" = %2\n",
              "%2 = exp(%100)\noutput \"o\" = %2\n");
    checkPass("canonicalize",
              "%0 = transpose(%100) {permutation=[1,0]}\n%1 = transpose(%0) "
              "{permutation=[1,0]}\n%2 = exp(%1)\noutput \"o\" = %2\n",
              "%2 = exp(%100)\noutput \"o\" = %2\n");
    checkPass("simplify_arithmetic",
              "%0 = affine(%100) {scale=2, offset=1}\n%1 = affine(%0) {scale=3, offset=5}\noutput "
              "\"o\" = %1\n",
              "%1 = affine(%100) {scale=6, offset=8}\noutput \"o\" = %1\n");
    checkPass("simplify_arithmetic",
              "%0 = constant() splat 2 : f32[]\n%1 = multiply(%100, %0)\n%2 = add(%1, %0)\n%3 = "
              "divide(%2, %0)\n%4 = subtract(%0, %3)\n%5 "
              "= negate(%4)\noutput \"o\" = %5\n",
              "%5 = affine(%100) {offset=-1}\noutput \"o\" = %5\n");
    checkPass("simplify_arithmetic",
              "%0 = constant() splat 2 : f32[]\n%1 = power(%100, %0)\noutput \"o\" = %1\n",
              "%1 = square(%100)\noutput \"o\" = %1\n");
    checkPass("simplify_arithmetic",
              "%0 = input() {name=\"b\"} : f32[3]\n%1 = broadcast_to(%0) {shape=[2,3]}\n%2 = "
              "add(%100, %1)\noutput \"o\" = %2\n",
              "%0 = input() {name=\"b\"} : f32[3]\n%2 = add(%100, %0)\noutput \"o\" = %2\n");
    checkPass("simplify_arithmetic",
              "%0 = reduce_sum(%100) {axes=[]}\n%1 = exp(%0)\noutput \"o\" = %1\n",
              "%1 = exp(%100)\noutput \"o\" = %1\n");
  }

  TEST_CASE("simplify_arithmetic: the gradient of dropout after relu asks what came out of both") {
    const std::string head =
        "%0 = input() {name=\"seed\"} : i64[]\n%1 = input() {name=\"step\"} : i64[]\n%2 = input() "
        "{name=\"first\"} : i64[]\n%3 = "
        "activation(%100) {kind=\"relu\"}\n%4 = dropout(%3, %0, %1, %2) {rate=0.75, "
        "stream=\"a\"}\n";
    const std::string tail = "output \"o\" = %4\noutput \"dx\" = %6\n",
                      gradient = "%6 = activation_backward(%5, %3) {kind=\"relu\"}\n";
    checkPass(
        "simplify_arithmetic",
        head + "%5 = dropout(%101, %0, %1, %2) {rate=0.75, stream=\"a\"}\n" + gradient + tail,
        head + "%5 = activation_backward(%101, %4) {kind=\"relu\"}\n%6 = affine(%5) {scale=4}\n" +
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
    checkPass("canonicalize", two + "%1 = multiply(%0, %100)\noutput \"o\" = %1\n",
              two + "%1 = multiply(%100, %0)\noutput \"o\" = %1\n");
    checkPass("canonicalize",
              "%0 = variable() {name=\"w\"} : f32[3]\n%1 = add(%0, %100)\noutput \"o\" = %1\n",
              "%0 = variable() {name=\"w\"} : f32[3]\n%1 = add(%100, %0)\noutput \"o\" = %1\n");
    checkPass("canonicalize",
              "%0 = greater(%100, %101)\n%1 = greater_equal(%100, %101)\n%2 = add(%0, %1)\noutput "
              "\"o\" = %2\n",
              "%0 = less(%101, %100)\n%1 = less_equal(%101, %100)\n%2 = add(%0, %1)\noutput \"o\" "
              "= %2\n");
    checkPass("canonicalize", "%0 = negate(%101)\n%1 = add(%100, %0)\noutput \"o\" = %1\n",
              "%1 = subtract(%100, %101)\noutput \"o\" = %1\n");
    checkPass("canonicalize", "%0 = negate(%101)\n%1 = add(%0, %100)\noutput \"o\" = %1\n",
              "%1 = subtract(%100, %101)\noutput \"o\" = %1\n");
    checkPass("canonicalize", "%0 = negate(%101)\n%1 = subtract(%100, %0)\noutput \"o\" = %1\n",
              "%1 = add(%100, %101)\noutput \"o\" = %1\n");
    checkPass("canonicalize", "%0 = multiply(%100, %100)\noutput \"o\" = %0\n",
              "%0 = square(%100)\noutput \"o\" = %0\n");
    checkPass("canonicalize", "%0 = negate(%100)\n%1 = abs(%0)\noutput \"o\" = %1\n",
              "%1 = abs(%100)\noutput \"o\" = %1\n");
    checkPass("canonicalize",
              "%0 = reshape(%100) {shape=[2,1,3]}\n%1 = transpose(%0) "
              "{permutation=[1,0,2]}\noutput \"o\" = %1\n",
              "%1 = reshape(%100) {shape=[1,2,3]}\noutput \"o\" = %1\n");
    checkPass("canonicalize",
              "%0 = broadcast_to(%100) {shape=[4,2,3]}\n%1 = broadcast_to(%0) "
              "{shape=[5,4,2,3]}\noutput \"o\" = %1\n",
              "%1 = broadcast_to(%100) {shape=[5,4,2,3]}\noutput \"o\" = %1\n");
    checkPass("canonicalize", "%0 = broadcast_to(%100) {shape=[1,2,3]}\noutput \"o\" = %0\n",
              "%0 = reshape(%100) {shape=[1,2,3]}\noutput \"o\" = %0\n");
  }

  TEST_CASE("canonicalize leaves what others read, and where the order shows") {
    checkUnchanged("canonicalize",
                   "%0 = constant() splat 2 : f32[]\n%1 = subtract(%0, %100)\noutput \"o\" = %1\n");
    // The sign of a zero
    checkUnchanged("canonicalize",
                   "%0 = constant() splat 0 : f32[]\n%1 = maximum(%0, %100)\noutput \"o\" = %1\n");
    checkUnchanged("canonicalize",
                   "%0 = negate(%101)\n%1 = add(%100, %0)\noutput \"o\" = %1\noutput \"p\" = %0\n");
    checkUnchanged("canonicalize", "%0 = transpose(%100) {permutation=[1,0]}\noutput \"o\" = %0\n");
    checkUnchanged("canonicalize",
                   "%0 = reshape(%100) {shape=[3,1,2]}\n%1 = transpose(%0) "
                   "{permutation=[2,1,0]}\noutput \"o\" = %1\n");
    // Makes +0 of -0
    checkUnchanged(
        "canonicalize",
        "%0 = affine(%100) {scale=0}\n%1 = reduce_sum(%0) {axes=[]}\noutput \"o\" = %1\n");
  }

  TEST_CASE("fuse_pooling") {
    const std::string image = "%0 = input() {name=\"i\"} : f32[2,4,4,3]\n",
                      pool = "{pool_size=[2,2], strides=[2,2]";
    checkPass("fuse_pooling",
              image + "%1, %2 = max_pool2d(%0) " + pool +
                  "}\n%3 = activation(%1) {kind=\"leaky_relu\", alpha=0.2}\noutput \"o\" = %3\n",
              image + "%1, %2 = max_pool2d(%0) " + pool +
                  ", activation=\"leaky_relu\", alpha=0.2}\noutput \"o\" = %1\n");
    checkPass(
        "fuse_pooling",
        image + "%1 = activation(%0) {kind=\"relu\"}\n%2, %3 = max_pool2d(%1) " + pool +
            "}\noutput \"o\" = %2\n",
        image + "%2, %3 = max_pool2d(%0) " + pool + ", activation=\"relu\"}\noutput \"o\" = %2\n");
    // With the gradient, its slope on the pooled side.
    const std::string backward =
        "%5 = activation_backward(%4, %2) {kind=\"relu\"} backward\n%6 = max_pool2d_backward(%5, "
        "%3) " +
        pool + ", input_shape=[2,4,4,3]} backward\noutput \"o\" = %6\n";
    const std::string gradient = image + "%4 = input() {name=\"d\"} : f32[2,2,2,3]\n";
    checkPass("fuse_pooling",
              gradient + "%1 = activation(%0) {kind=\"relu\"}\n%2, %3 = max_pool2d(%1) " + pool +
                  "}\n" + backward,
              gradient + "%2, %3 = max_pool2d(%0) " + pool + ", activation=\"relu\"}\n" + backward);
  }

  TEST_CASE(
      "fuse_pooling leaves what others read, an index that shows, costly activations, and relu "
      "where it is free") {
    const std::string image = "%0 = input() {name=\"i\"} : f32[2,4,4,3]\n",
                      pool = "{pool_size=[2,2], strides=[2,2]}";
    const std::string pooled = "%2, %3 = max_pool2d(%1) " + pool + "\n";
    checkUnchanged(
        "fuse_pooling",
        image + "%1, %2 = max_pool2d(%0) " + pool +
            "\n%3 = activation(%1) {kind=\"relu\"}\noutput \"o\" = %3\noutput \"p\" = %1\n");
    checkUnchanged("fuse_pooling",
                   image + "%1, %2 = max_pool2d(%0) " + pool +
                       "\n%3 = activation(%1) {kind=\"tanh\"}\noutput \"o\" = %3\n");
    checkUnchanged("fuse_pooling", image + "%1 = activation(%0) {kind=\"relu\"}\n" + pooled +
                                       "output \"o\" = %2\noutput \"p\" = %1\n");
    checkUnchanged("fuse_pooling", image + "%1 = activation(%0) {kind=\"relu\"}\n" + pooled +
                                       "output \"o\" = %2\noutput \"p\" = %3\n");
    checkUnchanged("fuse_pooling", image + "%1 = activation(%0) {kind=\"tanh\"}\n" + pooled +
                                       "output \"o\" = %2\n");
    checkUnchanged("fuse_pooling", image +
                                       "%4 = add(%0, %0)\n%1 = activation(%4) {kind=\"relu\"}\n" +
                                       pooled + "output \"o\" = %2\n");
  }

  TEST_CASE("simplify_arithmetic leaves what would change a value") {
    // NaN * 0 is NaN
    checkUnchanged("simplify_arithmetic", "%0 = affine(%100) {scale=0}\noutput \"o\" = %0\n");
    checkPass("simplify_arithmetic",
              "%0 = constant() splat 0 : f32[]\n%1 = multiply(%100, %0)\noutput \"o\" = %1\n",
              "%1 = affine(%100) {scale=0}\noutput \"o\" = %1\n");
    // Adding the zeros repeats the row: not the row itself.
    checkUnchanged("simplify_arithmetic",
                   "%2 = reduce_sum(%100) {axes=[0], keepdims=true}\n%0 = constant() splat 0 : "
                   "f32[2,3]\n%3 = add(%2, %0)\noutput \"o\" = %3\n");
    checkUnchanged("canonicalize", "%0 = transpose(%100) {permutation=[1,0]}\noutput \"o\" = %0\n");
    checkUnchanged("simplify_arithmetic",
                   // The inner is needed anyway
                   "%0 = affine(%100) {scale=2}\n%1 = affine(%0) {scale=3}\noutput \"o\" = "
                   "%1\noutput \"p\" = %0\n");
    // The output must show the weights before the update, though x + 0 is the weights themselves.
    checkUnchanged("simplify_arithmetic",
                   "%0 = variable() {name=\"w\"} : f32[2,3]\n%1 = constant() splat 0 : f32[]\n%2 = "
                   "add(%0, %1)\n%3 = assign(%0, %100) "
                   "update\nnext \"w\" = %3\noutput \"old\" = %2\n");
  }

  TEST_CASE("fuse_bias_activation") {
    const std::string weights =
        "%0 = variable() {name=\"w\"} : f32[3,4]\n%1 = variable() {name=\"b\"} : f32[4]\n";
    checkPass(
        "fuse_bias_activation",
        weights +
            "%2 = matmul(%100, %0) @\"d\"\n%3 = add(%2, %1) @\"d\"\n%4 = activation(%3) "
            "{kind=\"relu\"} @\"d\"\noutput \"o\" = %4\n",
        weights + "%4 = matmul(%100, %0, %1) {activation=\"relu\"} @\"d\"\noutput \"o\" = %4\n");
    checkPass("fuse_bias_activation",
              weights + "%2 = matmul(%100, %0)\n%3 = add(%1, %2)\noutput \"o\" = %3\n",
              weights + "%3 = matmul(%100, %0, %1)\noutput \"o\" = %3\n");
    checkPass(
        "fuse_bias_activation",
        weights +
            "%2 = matmul(%100, %0)\n%4 = activation(%2) {kind=\"elu\", alpha=0.5}\noutput \"o\" = "
            "%4\n",
        weights + "%4 = matmul(%100, %0) {activation=\"elu\", alpha=0.5}\noutput \"o\" = %4\n");
    const std::string image =
        "%0 = input() {name=\"image\"} : f32[1,5,5,2]\n%1 = variable() {name=\"k\"} : "
        "f32[3,3,2,4]\n%2 = variable() {name=\"b\"} : "
        "f32[4]\n";
    checkPass(
        "fuse_bias_activation",
        image +
            "%3 = conv2d(%0, %1) {strides=[2,1]}\n%4 = add(%3, %2)\n%5 = activation(%4) "
            "{kind=\"tanh\"}\noutput \"o\" = %5\n",
        image +
            "%5 = conv2d(%0, %1, %2) {strides=[2,1], activation=\"tanh\"}\noutput \"o\" = %5\n");
    // The work is the convolution's, also where the activation is a layer of its own.
    checkPass("fuse_bias_activation",
              image +
                  "%3 = conv2d(%0, %1) @\"conv\"\n%5 = activation(%3) {kind=\"relu\"} "
                  "@\"act\"\noutput \"o\" = %5\n",
              image + "%5 = conv2d(%0, %1) {activation=\"relu\"} @\"conv\"\noutput \"o\" = %5\n");
    // The backward of relu reads the output: it goes on reading the fused node's.
    checkPass("fuse_bias_activation",
              weights +
                  "%2 = matmul(%100, %0)\n%3 = add(%2, %1)\n%4 = activation(%3) "
                  "{kind=\"relu\"}\n%5 = activation_backward(%4, %4) "
                  "{kind=\"relu\"} backward\noutput \"o\" = %5\n",
              weights +
                  "%4 = matmul(%100, %0, %1) {activation=\"relu\"}\n%5 = activation_backward(%4, "
                  "%4) {kind=\"relu\"} backward\noutput "
                  "\"o\" = %5\n");
  }

  TEST_CASE("fuse_bias_activation leaves what others read") {
    const std::string weights =
        "%0 = variable() {name=\"w\"} : f32[3,4]\n%1 = variable() {name=\"b\"} : f32[4]\n";
    // The backward of gelu reads the value before it.
    checkPass("fuse_bias_activation",
              weights +
                  "%2 = matmul(%100, %0)\n%3 = add(%2, %1)\n%4 = activation(%3) "
                  "{kind=\"gelu\"}\n%5 = activation_backward(%4, %3) "
                  "{kind=\"gelu\"} backward\noutput \"o\" = %5\n",
              weights +
                  "%3 = matmul(%100, %0, %1)\n%4 = activation(%3) {kind=\"gelu\"}\n%5 = "
                  "activation_backward(%4, %3) {kind=\"gelu\"} "
                  "backward\noutput \"o\" = %5\n");
    checkUnchanged(
        "fuse_bias_activation",
        weights +
            "%2 = matmul(%100, %0)\n%3 = add(%2, %1)\noutput \"o\" = %3\noutput \"p\" = %2\n");
    checkUnchanged("fuse_bias_activation",
                   "%0 = variable() {name=\"w\"} : f32[3,4]\n%1 = variable() {name=\"b\"} : "
                   "f32[2,1]\n%2 = matmul(%100, %0)\n%3 = add(%2, "
                   "%1)\noutput \"o\" = %3\n");
  }

  TEST_CASE("fuse_batch_norm") {
    const std::string before =
        "%0 = variable() {name=\"g\"} : f32[3]\n%1 = variable() {name=\"m\"} : f32[3]\n";
    // The statistics are read before relu: the whole stands where the normalization stood.
    checkPass("fuse_batch_norm",
              before +
                  "%2, %3, %4 = batch_norm(%100, %0, %0)\n%5 = assign(%1, %3) update\n%6 = "
                  "activation(%2) {kind=\"relu\"}\n"
                  "next \"m\" = %5\noutput \"o\" = %6\n",
              before +
                  "%2, %3, %4 = batch_norm(%100, %0, %0) {activation=\"relu\"}\n%5 = assign(%1, "
                  "%3) update\n"
                  "next \"m\" = %5\noutput \"o\" = %2\n");
    checkPass("fuse_batch_norm",
              before +
                  "%2, %3, %4 = batch_norm(%100, %0, %0)\n%5 = add(%101, %2)\n%6 = activation(%5) "
                  "{kind=\"relu\"}\noutput \"o\" = %6\n",
              before +
                  "%2, %3, %4 = batch_norm(%100, %0, %0, %101) {activation=\"relu\"}\noutput \"o\" "
                  "= %2\n");
    checkPass(
        "fuse_batch_norm",
        before +
            "%2 = activation_backward(%100, %101) {kind=\"relu\"} backward\n"
            "%3, %4, %5 = batch_norm_backward(%2, %101, %0, %0, %0) backward\noutput \"o\" = %3\n",
        before +
            "%3, %4, %5 = batch_norm_backward(%100, %101, %0, %0, %0, %101) backward\noutput \"o\" "
            "= %3\n");
  }

  TEST_CASE("fuse_batch_norm tells by x where its own relu let through") {
    const std::string before =
        "%0 = variable() {name=\"g\"} : f32[3]\n%1 = variable() {name=\"b\"} : f32[3]\n";
    checkPass("fuse_batch_norm",
              before +
                  "%2, %3, %4 = batch_norm(%100, %0, %1)\n%5 = activation(%2) {kind=\"relu\"}\n"
                  "%6 = activation_backward(%101, %5) {kind=\"relu\"} backward\n"
                  "%7, %8, %9 = batch_norm_backward(%6, %100, %0, %3, %4) backward\noutput \"o\" = "
                  "%7\noutput \"y\" = %5\n",
              before +
                  "%2, %3, %4 = batch_norm(%100, %0, %1) {activation=\"relu\"}\n"
                  "%7, %8, %9 = batch_norm_backward(%101, %100, %0, %3, %4, %1) backward\noutput "
                  "\"o\" = %7\noutput \"y\" = %2\n");
  }

  TEST_CASE("fuse_batch_norm leaves the slope behind a pool, which is cheaper on the pooled side") {
    checkUnchanged(
        "fuse_batch_norm",
        "%0 = variable() {name=\"g\"} : f32[3]\n%1 = input() {name=\"i\"} : f32[1,4,4,3]\n"
        "%2, %3 = max_pool2d(%1) {pool_size=[2,2], strides=[2,2]}\n"
        "%4 = max_pool2d_backward(%2, %3) {pool_size=[2,2], strides=[2,2], input_shape=[1,4,4,3]} "
        "backward\n"
        "%5 = activation_backward(%4, %1) {kind=\"relu\"} backward\n"
        "%6, %7, %8 = batch_norm_backward(%5, %1, %0, %0, %0) backward\noutput \"o\" = %6\n");
  }

  TEST_CASE(
      "fuse_batch_norm leaves what others read, other activations, sums that come later or "
      "broadcast") {
    const std::string before =
        "%0 = variable() {name=\"g\"} : f32[3]\n%1, %2, %3 = batch_norm(%100, %0, %0)\n";
    checkUnchanged(
        "fuse_batch_norm",
        before + "%4 = activation(%1) {kind=\"relu\"}\noutput \"o\" = %4\noutput \"p\" = %1\n");
    checkUnchanged("fuse_batch_norm",
                   before + "%4 = activation(%1) {kind=\"tanh\"}\noutput \"o\" = %4\n");
    checkUnchanged("fuse_batch_norm",
                   before + "%4 = exp(%101)\n%5 = add(%1, %4)\noutput \"o\" = %5\n");
    checkUnchanged("fuse_batch_norm", before + "%4 = add(%1, %0)\noutput \"o\" = %4\n");
    checkUnchanged("fuse_batch_norm",
                   "%0 = variable() {name=\"g\"} : f32[3]\n%2 = activation_backward(%100, %101) "
                   "{kind=\"relu\"} backward\n"
                   "%3, %4, %5 = batch_norm_backward(%2, %101, %0, %0, %0) backward\noutput \"o\" "
                   "= %3\noutput \"shortcut\" = %2\n");
  }

  TEST_CASE("fuse_siblings") {
    // Weights, and views of them, are named right before their own product, and the first result is
    // read before the second product.
    const std::string
        v = "%0 = variable() {name=\"v\"} : f32[3,4]\n",
        first = "%3 = matmul(%100, %0) {activation=\"relu\"}\n",
        w = "%1 = variable() {name=\"w\"} : f32[15]\n%2 = reshape(%1) {shape=[3,5]}\n",
        second = "%5 = matmul(%100, %2)\n", reader = "%4 = exp(%3)\n",
        outputs = "output \"a\" = %4\noutput \"b\" = %5\n";
    checkPass("fuse_siblings", v + first + reader + w + second + outputs,
              v + w + "%3, %5 = matmul_siblings(%100, %0, %2) {activations=\"relu,linear\"}\n" +
                  reader + outputs);
    // With biases, the weights turned; then those that read what was joined.
    const std::string
        bias = "%8 = variable() {name=\"b\"} : f32[2]\n%9 = variable() {name=\"t\"} : f32[2,3]\n",
        o = "output \"o\" = %14\n";
    const std::string attributes = " {transpose_b=true}\n";
    checkPass(
        "fuse_siblings",
        bias + "%0 = variable() {name=\"p\"} : f32[2,2]\n%10 = matmul(%100, %9, %8)" + attributes +
            "%11 = matmul(%100, %9, %8)" + attributes +
            "%12 = matmul(%10, %0)\n%13 = matmul(%10, %0)\n%14 = concatenate(%11, %12, %13)\n" + o,
        bias +
            "%0 = variable() {name=\"p\"} : f32[2,2]\n"
            "%10, %11 = matmul_siblings(%100, %9, %8, %9, %8) {activations=\"linear,linear\", "
            "has_bias=true, transpose_b=true}\n"
            "%12, %13 = matmul_siblings(%10, %0, %0) {activations=\"linear,linear\"}\n%14 = "
            "concatenate(%11, %12, %13)\n" +
            o);
  }

  TEST_CASE(
      "fuse_siblings leaves single and large products, weights that are made, other operands, "
      "biases, transpositions, slopes and phases") {
    const std::string v = "%0 = variable() {name=\"v\"} : f32[3,3]\n%1 = variable() {name=\"w\"} : "
                          "f32[3,3]\n%2 = variable() {name=\"b\"} : f32[3]\n",
                      first = "%3 = matmul(%100, %0)\n",
                      outputs = "output \"a\" = %3\noutput \"b\" = %4\n";
    for (const char* second :
         {"%4 = matmul(%101, %1)\n", "%4 = matmul(%100, %1, %2)\n",
          "%4 = matmul(%100, %1) {transpose_b=true}\n",
          "%4 = matmul(%100, %1) {activation=\"elu\", alpha=0.5}\n",
          "%4 = matmul(%100, %1) backward\n", "%5 = exp(%1)\n%4 = matmul(%100, %5)\n"})
      checkUnchanged("fuse_siblings", v + first + second + outputs);
    checkUnchanged("fuse_siblings", v +
                                        "%3 = matmul(%100, %101) {transpose_a=true}\n%4 = "
                                        "matmul(%100, %100) {transpose_a=true}\n" +
                                        outputs);
    checkUnchanged("fuse_siblings",
                   "%0 = variable() {name=\"v\"} : f32[3,20000]\n%1 = variable() {name=\"w\"} : "
                   "f32[3,20000]\n" +
                       first + "%4 = matmul(%100, %1)\n" + outputs);
  }

  TEST_CASE("fuse_update") {
    const std::string before =
        "%0 = variable() {name=\"w\"} : f32[3,3]\n%1 = variable() {name=\"v\"} : f32[3,3]\n%2 = "
        "input() {name=\"rate\"} : f32[]\n";
    const std::string product = "%3 = matmul(%100, %101) {transpose_a=true} backward\n";
    checkPass("fuse_update",
              before + product +
                  "%4, %5 = sgd_update(%0, %3, %2, %1) {momentum=0.9} update\nnext \"w\" = "
                  "%4\nnext \"v\" = %5\n",
              before +
                  "%4, %5 = matmul_sgd_update(%0, %100, %101, %2, %1) {momentum=0.9} update\nnext "
                  "\"w\" = %4\nnext \"v\" = %5\n");
  }

  TEST_CASE(
      "fuse_update leaves gradients that others read, other products, products of state, and those "
      "that save memory") {
    const std::string before =
        "%0 = variable() {name=\"w\"} : f32[3,3]\n%2 = input() {name=\"rate\"} : f32[]\n";
    const std::string after = "%4 = sgd_update(%0, %3, %2) update\nnext \"w\" = %4\n";
    checkUnchanged("fuse_update", before + "%3 = matmul(%100, %101) {transpose_a=true} backward\n" +
                                      after + "output \"o\" = %3\n");
    checkUnchanged(
        "fuse_update",
        before + "%3 = matmul(%100, %101) {transpose_a=true, activation=\"relu\"} backward\n" +
            after);
    checkUnchanged("fuse_update",
                   before + "%3 = matmul(%0, %0) {transpose_a=true} backward\n" + after);
    checkUnchanged("fuse_update", before +
                                      "%5 = input() {name=\"z\"} : f32[20000,3]\n%3 = matmul(%5, "
                                      "%5) {transpose_a=true} backward\n" +
                                      after);
  }

  TEST_CASE("fuse_pointwise") {
    const std::string inputs =
        "%0 = input() {name=\"a\"} : f32[100,90]\n%1 = input() {name=\"b\"} : f32[100,90]\n%2 = "
        "input() {name=\"row\"} : f32[90]\n";
    checkPass(
        "fuse_pointwise",
        inputs +
            "%3 = subtract(%0, %2) @\"x\"\n%4 = affine(%3) {scale=2, offset=0.1} @\"x\"\n%5 = "
            "multiply(%4, %1) @\"x\"\n"
            "%6 = activation(%5) {kind=\"leaky_relu\", alpha=0.2} @\"y\"\noutput \"o\" = %6\n",
        inputs +
            "%6 = fused_pointwise(%0, %2, %1) {program=\"subtract x0 x1; affine 2 0.1 t0; multiply "
            "t1 x2; activation leaky_relu "
            "0.2 t2\"} @\"y\"\noutput \"o\" = %6\n");
    // A value that is read twice inside, and one read twice from outside.
    checkPass("fuse_pointwise",
              inputs +
                  "%3 = add(%0, %1)\n%4 = exp(%3)\n%5 = multiply(%3, %4)\n%6 = multiply(%5, "
                  "%0)\noutput \"o\" = %6\n",
              inputs +
                  "%6 = fused_pointwise(%0, %1) {program=\"add x0 x1; exp t0; multiply t0 t1; "
                  "multiply t2 x0\"}\noutput \"o\" = %6\n");
    // What others read stays, and starts a chain of its own.
    checkPass("fuse_pointwise",
              inputs +
                  "%3 = add(%0, %1)\n%4 = exp(%3)\n%5 = negate(%4)\n%6 = exp(%5)\noutput \"o\" = "
                  "%6\noutput \"p\" = %4\n",
              inputs +
                  "%4 = fused_pointwise(%0, %1) {program=\"add x0 x1; exp t0\"}\n%6 = "
                  "fused_pointwise(%4) {program=\"negate x0; exp "
                  "t0\"}\noutput \"o\" = %6\noutput \"p\" = %4\n");
    // A chain of a gradient.
    checkPass("fuse_pointwise",
              inputs +
                  "%3 = add(%0, %1) backward\n%4 = activation_backward(%3, %1) {kind=\"relu\"} "
                  "backward\noutput \"o\" = %4\n",
              inputs +
                  "%4 = fused_pointwise(%0, %1) {program=\"add x0 x1; activation_backward relu 0 "
                  "t0 x1\"} backward\noutput \"o\" = %4\n");
    // Few elements, but a row that is repeated often.
    checkPass("fuse_pointwise",
              "%0 = input() {name=\"a\"} : f32[20,4]\n%1 = input() {name=\"b\"} : f32[4]\n%2 = "
              "add(%0, %1)\n%3 = exp(%2)\noutput \"o\" = %3\n",
              "%0 = input() {name=\"a\"} : f32[20,4]\n%1 = input() {name=\"b\"} : f32[4]\n%3 = "
              "fused_pointwise(%0, %1) {program=\"add x0 x1; exp "
              "t0\"}\n"
              "output \"o\" = %3\n");
  }

  TEST_CASE(
      "fuse_pointwise leaves few elements, other types, shapes and phases, and what would keep "
      "more alive") {
    const std::string inputs =
        "%0 = input() {name=\"a\"} : f32[100,90]\n%1 = input() {name=\"b\"} : f32[100,90]\n";
    checkUnchanged("fuse_pointwise", "%0 = add(%100, %101)\n%1 = exp(%0)\noutput \"o\" = %1\n");
    checkUnchanged("fuse_pointwise",
                   "%0 = input() {name=\"i\"} : i32[100,90]\n%1 = add(%0, %0)\n%2 = multiply(%1, "
                   "%1)\noutput \"o\" = %2\n");
    checkUnchanged("fuse_pointwise",
                   inputs + "%2 = exp(%0)\n%3 = negate(%2) backward\noutput \"o\" = %3\n");
    checkUnchanged("fuse_pointwise",
                   "%0 = input() {name=\"i\"} : f32[90]\n%1 = exp(%0)\n%2 = input() {name=\"a\"} : "
                   "f32[100,90]\n"
                   "%3 = add(%2, %1)\noutput \"o\" = %3\n");
    // A row in the middle: no kernel reads that fast.
    checkUnchanged("fuse_pointwise",
                   "%0 = input() {name=\"a\"} : f32[10,30,50]\n%1 = input() {name=\"b\"} : "
                   "f32[30,1]\n%2 = add(%0, %1)\n%3 = exp(%2)\n"
                   "output \"o\" = %3\n");
    // %2 and %3 die before the products; their sum would not let them.
    const std::string products = "%5 = matmul(%0, %1) {transpose_b=true}\n%6 = matmul(%5, %0)\n";
    checkUnchanged("fuse_pointwise", inputs +
                                         "%2 = softmax(%0)\n%3 = softmax(%1)\n%4 = add(%2, %3)\n" +
                                         products + "%7 = add(%4, %6)\noutput \"o\" = %7\n");
    // What lives on anyway costs nothing.
    checkPass("fuse_pointwise",
              inputs + "%4 = add(%0, %1)\n" + products + "%7 = add(%4, %6)\noutput \"o\" = %7\n",
              inputs + products +
                  "%7 = fused_pointwise(%0, %1, %6) {program=\"add x0 x1; add t0 x2\"}\noutput "
                  "\"o\" = %7\n");
    // The sum must see the weights before their update.
    checkUnchanged("fuse_pointwise",
                   inputs +
                       "%2 = variable() {name=\"w\"} : f32[100,90]\n%3 = add(%2, %0) update\n%4 = "
                       "assign(%2, %1) update\n"
                       "%5 = exp(%3) update\nnext \"w\" = %4\noutput \"o\" = %5\n");
  }

  TEST_CASE("order: updates last, values just before they are read") {
    checkPass("order",
              "%0 = variable() {name=\"w\"} : f32[2,3]\n%1 = assign(%0, %100) update\n%2 = "
              "exp(%101)\nnext \"w\" = %1\noutput \"o\" = %2\n",
              "%0 = variable() {name=\"w\"} : f32[2,3]\n%2 = exp(%101)\n%1 = assign(%0, %100) "
              "update\nnext \"w\" = %1\noutput \"o\" = %2\n");
    checkPass("order",
              "%0 = reduce_sum(%100) {axes=[0,1]}\n%1 = broadcast_to(%0) {shape=[50,2,3]}\n%2 = "
              "exp(%101)\n%3 = negate(%2)\n%4 = add(%3, "
              "%1)\noutput \"o\" = %4\n",
              "%2 = exp(%101)\n%3 = negate(%2)\n%0 = reduce_sum(%100) {axes=[0,1]}\n%1 = "
              "broadcast_to(%0) {shape=[50,2,3]}\n%4 = add(%3, "
              "%1)\noutput \"o\" = %4\n");
    // Moving the small result would keep the large operand.
    checkUnchanged("order",
                   "%0 = broadcast_to(%100) {shape=[50,2,3]}\n%1 = reduce_sum(%0) "
                   "{axes=[0,1,2]}\n%2 = exp(%101)\n%3 = negate(%2)\n%4 = "
                   "add(%3, %1)\noutput \"o\" = %4\n");
    // A reader of weights stays before their update, however large what it makes.
    checkUnchanged("order",
                   "%0 = variable() {name=\"w\"} : f32[2,3]\n%1 = broadcast_to(%0) "
                   "{shape=[50,2,3]} update\n%2 = assign(%0, %100) "
                   "update\n%3 = add(%1, %2) update\n"
                   "next \"w\" = %2\noutput \"o\" = %3\n");
  }

  TEST_CASE("in_place reports what it saves and leaves the graph") {
    Graph graph =
        parseGraph(declared("%0 = exp(%100)\n%1 = negate(%0)\n%2 = sqrt(%1)\noutput \"o\" = %2\n"));
    const std::string before = printGraph(graph);
    const std::vector<PassReport> reports = runPasses(graph, onlyPass("in_place"));
    CHECK(printGraph(graph) == before);
    CHECK(reports[reports.size() - 2].rewrites == 2);
    CHECK(reports[reports.size() - 2].details.at(0).find("64 fewer bytes (128 -> 64)") !=
          std::string::npos);
  }

  TEST_CASE("a stop ends a pass in the middle of its work, and is no failure of that pass") {
    for (const bool adds : {true, false}) {
      Graph graph = parseGraph(declared("%0 = exp(%100)\noutput \"o\" = %0\n"));
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
    Graph graph = parseGraph(
        declared("%0 = exp(%100)\n%1 = exp(%100)\n%2 = add(%0, %1)\noutput \"o\" = %2\n"));
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
                          g.mutableNode(g.order().back()).attributes.set("odd", 1.0);
                          report.rewrites = 1;
                        }};
    PipelineOptions none = allPasses();
    for (const Pass& pass : standardPasses())
      none.disabled.insert(pass.name);
    // Both are logged
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
