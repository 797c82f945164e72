// SPDX-License-Identifier: Apache-2.0
// Tests fused chains of operations on the CPU. They must equal the reference and be bit-identical
// to the separate operations.
#include <doctest/doctest.h>

#include <functional>

#include "gpu/base/error.h"
#include "gpu/devices/devices.h"
#include "gpu/exec/program.h"
#include "gpu/graph/verify.h"
#include "gpu/ops/build.h"
#include "gpu/ops/fused_pointwise.h"
#include "gpu/passes/standard_passes.h"
#include "tests/gpu/cpu/kernel_check.h"

using namespace strata;
using namespace strata::test;

TEST_SUITE_BEGIN("cpu fused_pointwise");

namespace {

void check(const std::string& program, const std::vector<Shape>& shapes) {
  std::vector<Tensor> inputs;
  for (const Shape& shape : shapes)
    inputs.push_back(randomTensor(shape, inputs.size() + 1, 0.3f, 2));
  checkKernel("fused_pointwise", {{"program", program}}, inputs);
}

std::string problemOf(const std::string& program, int inputs) {
  try {
    (void)parsePointwise(program, inputs);
  }
  catch (const Error& error) {
    CHECK(error.code() == ErrorCode::InvalidArgument);
    return error.what();
  }
  return "";
}

/// Runs a graph on the CPU. Returns its outputs.
std::vector<Tensor> runOnCpu(const Graph& graph, int threads, bool inPlace) {
  const auto device = openDevice("cpu", {threads, 0});
  State state(*device);
  auto program = Program::build(graph, *device, state, inPlace);
  program->bind();
  uint64_t seed = 1;
  for (const NamedValue& input : graph.inputs())
    program->writeInput(input.name, randomTensor(graph.shape(input.value), seed++));
  program->run();
  std::vector<Tensor> results;
  for (const NamedValue& output : graph.outputs())
    results.push_back(program->readOutput(output.name));
  return results;
}

}  // namespace

TEST_CASE("programs of any length and with any broadcasting equal the reference") {
  for (const Shape& shape :
       {Shape{3, 5}, Shape{64, 10}, Shape{40, 33, 32}, Shape{7, 1500}, Shape{3, 4001}}) {
    const Shape row{shape.dim(-1)};
    Shape column;
    for (int axis = 0; axis < shape.rank(); ++axis)
      column.append(axis + 1 < shape.rank() ? shape[axis] : 1);
    check("add x0 x1; activation relu 0 t0", {shape, shape});
    check("subtract x0 x1; multiply t0 x2; add t1 x3; activation tanh 0 t2",
          {shape, row, row, row});
    check("multiply x0 x1; subtract x2 t0; maximum t1 x1; divide t2 x0", {shape, column, Shape{}});
    check("exp x1; sqrt x2; log x3; add t0 t1; subtract t3 t2; multiply t4 x0",
          {shape, row, column, Shape{}});
    check("affine 2 -1 x0; square t0; activation_backward sigmoid 0 t1 x1; less t2 x0",
          {shape, shape});
    check("multiply x1 x2; add t0 x0; minimum x1 t1", {shape, column, row});
  }
  check("add x0 x1; abs t0", {Shape{0, 4}, Shape{4}});
  check("add x0 x1; abs t0", {Shape{}, Shape{}});
  check("multiply x0 x1; add t0 x2", {Shape{60, 17, 9}, Shape{17, 9}, Shape{60, 1, 1}});
  check("add x0 x1; add t0 x2; add t1 x3; add t2 x4; add t3 x5; add t4 x6; add t5 x7",
        std::vector<Shape>(8, Shape{2000}));
  // There is no fast kernel for an operand that is broadcast along a middle axis.
  checkKernel("fused_pointwise", {{"program", std::string("add x0 x1; abs t0")}},
              {randomTensor({3, 4, 5}, 1), randomTensor({4, 1}, 2)}, 1e-5, false);
}

TEST_CASE("the error about a wrong program says why it cannot be parsed") {
  CHECK(problemOf("add x0 x1; abs t0", 2) == "");
  for (const char* bad :
       {"", "add", "add x0", "add x0 x2", "add x0 t0", "add x0 x1;", "add x0 x1; ", "add x0 x1 x0",
        "sin x0", "power x0 x1", "add x0 x-1", "affine 1 x0", "affine 1 z x0",
        "activation relux 0 x0", "abs t0; add x0 x1", "abs x0", "add x0 x1  ; abs t0",
        "abs x0; abs x1; abs t7"})
    CHECK(problemOf(bad, 2) != "");
  std::string longest = "add x0 x1";
  for (int i = 0; i < 15; ++i)
    longest += "; abs t" + std::to_string(i);
  CHECK(problemOf(longest, 2) == "");
  CHECK(problemOf(longest + "; abs t15", 2).find("16 steps") != std::string::npos);
  const std::vector<PointwiseStep> steps =
      parsePointwise("affine 0.1 -2e-30 x0; activation_backward elu 0.5 t0 x1", 2);
  CHECK(printPointwise(steps, 2) == "affine 0.1 -2e-30 x0; activation_backward elu 0.5 t0 x1");
}

TEST_CASE("a chain has the bits of its operations, also if it overwrites its operands") {
  using Build = std::function<ValueId(Graph&, ValueId, ValueId, ValueId)>;
  const Build builds[] = {
      [](Graph& g, ValueId x, ValueId y, ValueId row) {
        return activation(g, add(g, multiply(g, subtract(g, x, row), row), y), "gelu");
      },
      // The last operation also reads x, so only that operation may overwrite x.
      [](Graph& g, ValueId x, ValueId y, ValueId row) {
        return multiply(g, exp(g, multiply(g, add(g, x, y), row)), x);
      },
      [](Graph& g, ValueId x, ValueId y, ValueId) {
        const ValueId s = activation(g, add(g, x, y), "sigmoid");
        return subtract(g, multiply(g, s, x), divide(g, y, addScalar(g, square(g, s), 1)));
      },
      [](Graph& g, ValueId x, ValueId y, ValueId row) {
        return g.add(opNamed("activation_backward"), {add(g, add(g, x, y), row), y},
                     {{"kind", std::string("relu")}});
      }};
  for (const Build& build : builds)
    for (int threads : {1, 3})
      for (bool inPlace : {true, false}) {
        Graph plain;
        const Shape shape{120, 101};
        // Inputs of the step are never overwritten, so the chain uses values computed from them.
        const ValueId x = exp(plain, plain.addInput("x", {DType::F32, shape})),
                      y = exp(plain, plain.addInput("y", {DType::F32, shape}));
        const ValueId sum = reduceSum(plain, x, {0});
        plain.addOutput("o", build(plain, x, y, sum));
        plain.addOutput("sum", reduceSum(plain, y, {0}));
        Graph fused = plain;
        PassReport report;
        fusePointwise(fused, processorTraits(), report);
        verify(fused);
        CHECK(report.rewrites == 1);
        const std::vector<Tensor> expected = runOnCpu(plain, threads, inPlace),
                                  got = runOnCpu(fused, threads, inPlace);
        for (size_t i = 0; i < expected.size(); ++i)
          CHECK(expected[i].isBitEqual(got[i]));
      }
}

TEST_SUITE_END();
