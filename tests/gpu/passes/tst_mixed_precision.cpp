// SPDX-License-Identifier: Apache-2.0
// Tests the pass mixed_precision: types in written graphs, and results of random steps.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "gpu/devices/devices.h"
#include "gpu/exec/program.h"
#include "gpu/graph/op.h"
#include "gpu/graph/text.h"
#include "gpu/graph/verify.h"
#include "gpu/passes/rewrite.h"
#include "gpu/passes/standard_passes.h"
#include "tests/gpu/passes/pass_check.h"
#include "tests/support/pass_options.h"
#include "tests/support/random_graph.h"

using namespace strata;

namespace {

Graph lowered(const char* lines, Precision precision = Precision::BFloat16) {
  Graph graph = test::graphOf(lines);
  PassReport report;
  mixedPrecision(graph, precision, {}, report);
  verify(graph);
  return graph;
}

/// Checks that the pass turns the graph `before` into the graph `after`.
void rewrites(const char* before, const char* after) {
  CHECK(printGraph(lowered(before)) == printGraph(test::graphOf(after)));
}

/// Returns the ops of the graph in their order with the types of their results, without sources.
std::string opsOf(const Graph& graph) {
  std::string text;
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (node.op->kind == OpKind::Source) continue;
    text += (text.empty() ? "" : ", ") + node.op->name + " " +
            std::string(dtypeName(graph.type(node.outputs[0]).dtype));
  }
  return text;
}

}  // namespace

TEST_SUITE("mixed_precision") {
  TEST_CASE("products and the ops after them compute in 16 bits, sums and losses in f32") {
    const char* const step = R"(%1 = variable() {name="w"} : f32[3,4]
        %2 = variable() {name="b"} : f32[4]
        %3 = matmul(%100, %1) @"dense"
        %4 = add(%3, %2) @"dense"
        %5 = activation(%4) {kind="relu"} @"dense"
        %6 = reduce_sum(%5) {axes=[0]} @"pool"
        %7 = square(%6)
        output "loss" = %7)";
    CHECK(opsOf(lowered(step)) ==
          "cast bf16, cast bf16, matmul bf16, cast bf16, add bf16, activation bf16, "
          "reduce_sum f32, square f32");
    CHECK(opsOf(lowered(step, Precision::Float16)) ==
          "cast f16, cast f16, matmul f16, cast f16, add f16, activation f16, reduce_sum f32, "
          "square f32");
    CHECK(opsOf(lowered(step, Precision::Float32)) ==
          "matmul f32, add f32, activation f32, reduce_sum f32, square f32");
  }

  TEST_CASE("the graph before and after") {
    rewrites(R"(%1 = variable() {name="w"} : f32[3,3]
        %2 = matmul(%100, %1) @"dense"
        %3 = matmul(%100, %1) {transpose_b=true} @"other"
        %4 = multiply(%2, %3) @"product"
        output "o" = %4)",
             R"(%1 = variable() {name="w"} : f32[3,3]
        %5 = cast(%100) {dtype="bf16"} : bf16[2,3] !activation @"dense"
        %6 = cast(%1) {dtype="bf16"} : bf16[3,3] !temporary @"dense"
        %2 = matmul(%5, %6) @"dense"
        %3 = matmul(%5, %6) {transpose_b=true} @"other"
        %4 = multiply(%2, %3) @"product"
        %7 = cast(%4) {dtype="f32"} : f32[2,3] !activation @"product"
        output "o" = %7)");
  }

  TEST_CASE("an op keeps f32 if it repeats a computed f32 operand") {
    // The scale of a normalization is computed. A variable is not.
    CHECK(opsOf(lowered(R"(%1 = variable() {name="w"} : f32[3,4]
        %2 = variable() {name="v"} : f32[4]
        %3 = matmul(%100, %1) @"dense"
        %4 = rsqrt(%2) @"norm"
        %5 = multiply(%3, %4) @"norm"
        %6 = add(%5, %2) @"norm"
        %7 = matmul(%6, %1) {transpose_b=true} @"next"
        output "o" = %7)")) ==
          "cast bf16, cast bf16, matmul bf16, rsqrt f32, cast f32, multiply f32, add f32, "
          "cast bf16, matmul bf16, cast f32");
  }

  TEST_CASE("movement before a product moves 16-bit elements") {
    CHECK(opsOf(lowered(R"(%1 = variable() {name="w"} : f32[3,4]
        %2 = transpose(%100) {permutation=[1,0]} @"turn"
        %3 = reshape(%2) {shape=[2,3]} @"flat"
        %4 = matmul(%3, %1) @"dense"
        output "o" = %4)")) ==
          "cast bf16, transpose bf16, reshape bf16, cast bf16, matmul bf16, cast f32");
  }

  TEST_CASE("statistics and parameters of normalizations are f32") {
    const Graph graph = lowered(R"(%1 = variable() {name="w"} : f32[3,4]
        %2 = variable() {name="gamma"} : f32[4]
        %3 = matmul(%100, %1) @"dense"
        %4, %5, %6 = batch_norm(%3, %2, %2) @"norm"
        %7 = activation(%4) {kind="relu"} @"norm"
        output "mean" = %5
        output "o" = %7)");
    CHECK(opsOf(graph) ==
          "cast bf16, cast bf16, matmul bf16, batch_norm bf16, activation bf16, cast f32");
    CHECK(graph.type(findOutput(graph, "mean")).dtype == DType::F32);
  }

  TEST_CASE("ops without a layer, updates and sums of weight gradients stay f32") {
    CHECK(opsOf(lowered(R"(%1 = variable() {name="w"} : f32[3,3]
        %2 = matmul(%100, %1)
        %3 = matmul(%100, %1) @"dense"
        %4 = subtract(%3, %101)
        %5 = matmul(%101, %4) {transpose_a=true} !gradient @"dense" backward
        %6 = matmul(%100, %4) {transpose_a=true} !gradient @"dense" backward
        %7 = add(%5, %6) !gradient @"dense" backward
        %8 = negate(%7) @"dense" update
        output "a" = %2
        output "o" = %8)")) ==
          "matmul f32, cast bf16, cast bf16, matmul bf16, cast f32, subtract f32, cast bf16, "
          "cast bf16, matmul bf16, matmul bf16, cast f32, cast f32, add f32, negate f32");
  }

  TEST_CASE("chains of elementwise ops contain the casts") {
    Graph graph = test::graphOf(R"(%1 = input() {name="large"} : f32[8192,4]
        %2 = variable() {name="w"} : f32[4,4]
        %3 = affine(%1) {scale=2.0} @"scale"
        %4 = matmul(%3, %2) @"dense"
        %5 = activation(%4) {kind="tanh"} @"act"
        %6 = negate(%5) @"act"
        %7 = exp(%6) @"exp"
        output "o" = %7)");
    PipelineOptions options = allPasses();
    options.precision = Precision::BFloat16;
    options.disabled = {"fuse_bias_activation"};
    for (const PassReport& report : runPasses(graph, options))
      CHECK(report.failure == "");
    CHECK(opsOf(graph) == "cast bf16, fused_pointwise bf16, matmul bf16, fused_pointwise f32");
    for (const NodeId id : graph.order())
      if (graph.node(id).op->work == WorkKind::FusedSteps &&
          graph.type(graph.node(id).outputs[0]).dtype == DType::F32)
        CHECK(graph.node(id).attributes.get<std::string>("program") ==
              "activation tanh 0 x0; negate t0; exp t1");
  }

  TEST_CASE("results of random steps stay close to f32, on the reference and on the CPU") {
    const auto backend = openDevice("cpu", {.threads = 2});
    for (const auto& [precision, tolerance] :
         {std::pair{Precision::BFloat16, 0.05}, std::pair{Precision::Float16, 0.01}}) {
      int changed = 0, close = 0, same = 0, total = 0;
      for (uint64_t seed = 1; seed <= 100; ++seed) {
        CAPTURE(seed);
        const Graph before = randomGraph(seed, DType::F32);
        const NamedTensors inputs = randomInputs(before, seed),
                           variables = randomVariables(before, seed);
        Graph after = before;
        PipelineOptions options = allPasses();
        options.precision = precision;
        options.verifyAfterEach = true;
        for (const PassReport& report : runPasses(after, options)) {
          CHECK(report.failure == "");
          if (report.pass == "mixed_precision") changed += report.rewrites > 0;
        }
        const Evaluation expected = evaluateGraph(before, inputs, variables),
                         got = evaluateGraph(after, inputs, variables);
        // A maximum or a comparison of nearly equal numbers may change, so a few graphs differ more
        ++total;
        close += largestDifference(got, expected) <= tolerance;
        // The CPU adds in another order, so it may round a few results differently
        State state(*backend);
        state.ensureVariables(after);
        const auto program = Program::build(after, *backend, state);
        program->bind();
        for (const auto& [name, tensor] : variables)
          state.write(name, tensor);
        for (const auto& [name, tensor] : inputs)
          program->writeInput(name, tensor);
        REQUIRE(program->run() == Program::Outcome::Done);
        Evaluation ran = got;
        for (auto& [name, tensor] : ran.outputs)
          tensor = program->readOutput(name);
        for (auto& [name, tensor] : ran.variables)
          tensor = state.read(name);
        same += largestDifference(ran, got) <= tolerance;
      }
      CHECK(changed > total / 4);
      CHECK(close > total * 8 / 10);
      CHECK(same > total * 8 / 10);
      MESSAGE(precisionName(precision)
              << ": " << close << " of " << total << " steps within " << tolerance);
    }
  }
}
