// SPDX-License-Identifier: Apache-2.0
// Tests the passes that change how cards store weights: store_filters, keep_low_weights,
// widen_gradients and join_updates.
#include <doctest/doctest.h>

#include <algorithm>

#include "gpu/graph/op.h"
#include "gpu/graph/verify.h"
#include "gpu/passes/standard_passes.h"
#include "gpu/tensor/permute.h"
#include "tests/gpu/passes/pass_check.h"
#include "tests/support/pass_options.h"
#include "tests/support/random_graph.h"

using namespace strata;

namespace {

/// A step that trains a convolution by sgd with momentum. `more` are further lines before the
/// update, `weights` is what the convolution reads.
test::GraphText convolutionStep(const std::string& more = "", const std::string& weights = "%0") {
  return {R"(%0 = variable() {name="w", trainable=true} : f32[3,3,2,4]
             %1 = variable() {name="v"} : f32[3,3,2,4] !optimizer
             %2 = input() {name="image"} : f32[2,5,5,2]
             %3 = input() {name="rate"} : f32[]
             %4 = input() {name="apply"} : f32[])",
          more, "%20 = conv2d(%2, " + weights + ")",
          R"(%21 = conv2d_backward_data(%20, %0) {input_shape=[2,5,5,2]} backward
             %22 = conv2d_backward_weights(%2, %20) {weight_shape=[3,3,2,4]} backward
             %23 = add(%22, %0) backward
             %24 = all_finite(%23) update
             %25, %26 = sgd_update(%0, %23, %3, %1, %4) {momentum=0.9} update
             next "w" = %25
             next "v" = %26
             output "y" = %20
             output "dx" = %21
             output "finite" = %24)"};
}

int countOf(const Graph& graph, std::string_view op) {
  return static_cast<int>(std::ranges::count_if(
      graph.order(), [&](NodeId id) { return graph.node(id).op->name == op; }));
}

std::vector<int64_t> axesOf(const Graph& graph, std::string_view variable) {
  const Variable* found = graph.findVariable(variable);
  return graph.node(graph.value(found->value).producer)
      .attributes.get<std::vector<int64_t>>("axes");
}

Tensor permuted(const Tensor& tensor, const std::vector<int64_t>& axes) {
  Tensor result(TensorType{tensor.dtype(), permutedShape(tensor.shape(), axes)});
  permuteElements(tensor.data(), tensor.shape(), axes, dtypeBytes(tensor.dtype()), result.data());
  return result;
}

/// Returns the largest difference of outputs and variables on the same values. Variables of `after`
/// may have their axes in another order, and some may be copies of others.
double differenceOfStored(const Graph& before, const Graph& after) {
  const NamedTensors inputs = randomInputs(before, 3), values = randomVariables(before, 3);
  NamedTensors stored = values;
  for (const Variable& variable : after.variables()) {
    const Attributes& attributes = after.node(after.value(variable.value).producer).attributes;
    const std::string& source = attributes.get<std::string>("copy_of");
    Tensor value = values.at(source.empty() ? variable.name : source);
    if (const auto& axes = attributes.get<std::vector<int64_t>>("axes"); !axes.empty())
      value = permuted(value, axes);
    stored[variable.name] = value.converted(after.type(variable.value).dtype);
  }
  const Evaluation expected = evaluateGraph(before, inputs, values);
  Evaluation got = evaluateGraph(after, inputs, stored);
  for (const Variable& variable : after.variables()) {
    const Attributes& attributes = after.node(after.value(variable.value).producer).attributes;
    Tensor& value = got.variables[variable.name];
    const std::string source = attributes.get<std::string>("copy_of");
    if (!source.empty()) {
      CHECK(value.isBitEqual(got.variables.at(source).converted(value.dtype())));
      got.variables.erase(variable.name);
    }
  }
  for (auto& [name, value] : got.variables)
    if (const auto axes = axesOf(after, name); !axes.empty())
      value = permuted(value, inverseAxes(axes));
  return largestDifference(expected, got);
}

/// Runs one pass with every trait of cards.
Graph after(const std::string& pass, const Graph& before, int* rewrites = nullptr) {
  Graph graph = before;
  PipelineOptions options = test::onlyPass(pass);
  options.device.storesFiltersAsKrsc = options.device.keepsLowWeights =
      options.device.widensProducts = options.device.joinsUpdates =
          options.device.joinsProjections = options.device.sumsBiasGradients =
              options.device.addsToProducts = true;
  for (const PassReport& report : runPasses(graph, options)) {
    CHECK(report.failure == "");
    if (rewrites && report.pass == pass) *rewrites = report.rewrites;
  }
  verify(graph);
  return graph;
}

}  // namespace

TEST_SUITE("stored weights") {
  TEST_CASE("filters, their gradients and states are stored without a transposition") {
    const Graph before = test::graphOf(convolutionStep());
    const Graph stored = after("store_filters", before);
    CHECK(axesOf(stored, "w") == std::vector<int64_t>{3, 0, 1, 2});
    CHECK(axesOf(stored, "v") == std::vector<int64_t>{3, 0, 1, 2});
    CHECK(stored.shape(stored.findVariable("w")->value) == Shape{4, 3, 3, 2});
    CHECK(countOf(stored, "transpose") == 0);
    CHECK(differenceOfStored(before, stored) <= 1e-6);
  }

  TEST_CASE("ops that need the order of files read a transposed copy") {
    const std::vector<std::pair<const char*, int>> users{
        {R"(%10 = reduce_sum(%0) {axes=[0,1,2]}
            output "extra" = %10)",
         1},
        {R"(%10 = square(%0)
            %11 = reduce_sum(%10) {axes=[0,1,2,3]}
            output "extra" = %11)",
         0},
        {R"(%9 = input() {name="mask"} : f32[3,3,2,4]
            %10 = multiply(%0, %9)
            output "extra" = %10)",
         2},
        {R"(%9 = input() {name="scale"} : f32[4]
            %10 = multiply(%0, %9)
            output "extra" = %10)",
         1},
        {R"(%9 = reshape(%0) {shape=[72]}
            %10 = square(%9)
            output "extra" = %10)",
         1},
    };
    for (const auto& [lines, transposes] : users) {
      CAPTURE(lines);
      const Graph before = test::graphOf(convolutionStep(lines));
      const Graph stored = after("store_filters", before);
      CHECK(countOf(stored, "transpose") == transposes);
      CHECK(differenceOfStored(before, stored) <= 1e-6);
    }
  }

  TEST_CASE("variables that no convolution reads keep their order") {
    int rewrites = -1;
    after("store_filters", test::graphOf(R"(%0 = variable() {name="w"} : f32[3,3,2,4]
                                            %1 = square(%0)
                                            output "o" = %1)"),
          &rewrites);
    CHECK(rewrites == 0);
  }

  TEST_CASE("a rounded weight is kept between steps, and follows the weight") {
    const std::string cast = R"(%10 = cast(%0) {dtype="bf16"})";
    const Graph before = test::graphOf({R"(%0 = variable() {name="w", trainable=true} : f32[3,4]
                          %3 = input() {name="rate"} : f32[]
                          %4 = input() {name="apply"} : f32[]
                          %10 = cast(%0) {dtype="bf16"}
                          %11 = cast(%100) {dtype="bf16"}
                          %12 = matmul(%11, %10)
                          %13 = cast(%12) {dtype="f32"}
                          %14 = matmul(%11, %12) {transpose_a=true} backward
                          %15 = cast(%14) {dtype="f32"} backward
                          %16 = sgd_update(%0, %15, %3, %4) update
                          next "w" = %16
                          output "y" = %13)"});
    const Graph kept = after("keep_low_weights", before);
    REQUIRE(kept.findVariable("w:bf16") != nullptr);
    CHECK(kept.value(kept.findVariable("w")->value).uses.size() == 1);
    CHECK(differenceOfStored(before, kept) == 0);
    // The update writes the copy, and reads the gradient as it is
    const Graph joined = after("join_updates", kept);
    CHECK(countOf(joined, "sgd_updates") == 1);
    CHECK(countOf(joined, "assign") == 0);
    CHECK(countOf(joined, "cast") == countOf(kept, "cast") - 2);
    CHECK(differenceOfStored(before, joined) == 0);
    const Graph widened = after("widen_gradients", before);
    CHECK(countOf(widened, "cast") == countOf(before, "cast") - 1);
    CHECK(differenceOfStored(before, widened) <= 1e-2);
  }

  TEST_CASE("a step that does not update a weight only reads its copy") {
    const Graph before = test::graphOf(R"(%0 = variable() {name="w"} : f32[3,4]
                                          %1 = reshape(%0) {shape=[4,3]}
                                          %10 = cast(%1) {dtype="f16"}
                                          %11 = input() {name="z"} : f16[2,4]
                                          %12 = matmul(%11, %10)
                                          %13 = matmul(%12, %10) {transpose_b=true} backward
                                          %14 = cast(%13) {dtype="f32"}
                                          output "y" = %14)");
    const Graph kept = after("keep_low_weights", before);
    CHECK(kept.findVariable("w:f16") != nullptr);
    CHECK_FALSE(kept.findVariable("w:f16")->next.isValid());
    CHECK(differenceOfStored(before, kept) == 0);
  }

  TEST_CASE("updates are joined by kind, attributes and operands, and give the same bits") {
    const Graph before = test::graphOf(R"(%0 = variable() {name="a"} : f32[3,4]
                         %1 = variable() {name="b"} : f32[5]
                         %2 = variable() {name="c"} : f32[2]
                         %3 = variable() {name="d"} : f32[2]
                         %4 = variable() {name="am"} : f32[3,4]
                         %5 = variable() {name="av"} : f32[3,4]
                         %6 = variable() {name="bm"} : f32[5]
                         %7 = variable() {name="bv"} : f32[5]
                         %8 = variable() {name="steps"} : i64[]
                         %10 = input() {name="rate"} : f32[]
                         %11 = input() {name="ga"} : f32[3,4]
                         %12 = input() {name="gb"} : f32[5]
                         %13 = input() {name="gc"} : f32[2]
                         %14 = input() {name="apply"} : f32[]
                         %20, %21, %22 = adam_update(%0, %11, %4, %5, %10, %8, %14) update
                         %23 = sgd_update(%2, %13, %10, %14) update
                         %24, %25, %26 = adam_update(%1, %12, %6, %7, %10, %8, %14) update
                         %27 = sgd_update(%3, %13, %10, %14) {weight_decay=0.1} update
                         next "a" = %20
                         next "am" = %21
                         next "av" = %22
                         next "c" = %23
                         next "b" = %24
                         next "bm" = %25
                         next "bv" = %26
                         next "d" = %27)");
    const Graph joined = after("join_updates", before);
    CHECK(countOf(joined, "adam_updates") == 1);
    CHECK(countOf(joined, "adam_update") == 0);
    CHECK(countOf(joined, "sgd_update") == 2);
    CHECK(differenceOfStored(before, joined) == 0);
  }

  TEST_CASE("updates that depend on each other are not joined") {
    int rewrites = -1;
    after("join_updates", test::graphOf(R"(%0 = variable() {name="a"} : f32[3]
                                           %1 = variable() {name="b"} : f32[3]
                                           %3 = input() {name="g"} : f32[3]
                                           %10 = assign(%0, %3) update
                                           %11 = assign(%1, %10) update
                                           next "a" = %10
                                           next "b" = %11)"),
          &rewrites);
    CHECK(rewrites == 0);
    // Reads a before a is overwritten
    after("join_updates", test::graphOf(R"(%0 = variable() {name="a"} : f32[3]
                                           %1 = variable() {name="b"} : f32[3]
                                           %3 = input() {name="g"} : f32[3]
                                           %10 = assign(%1, %0) update
                                           %11 = assign(%0, %3) update
                                           next "b" = %10
                                           next "a" = %11)"),
          &rewrites);
    CHECK(rewrites == 0);
  }
}
