// SPDX-License-Identifier: Apache-2.0
// Tests reverse-mode differentiation. tests/gpu/ops compares the gradients of each op with finite
// differences.
#include <doctest/doctest.h>

#include "gpu/autodiff/autodiff.h"
#include "gpu/base/error.h"
#include "gpu/graph/op.h"
#include "gpu/graph/text.h"
#include "gpu/graph/verify.h"
#include "gpu/ops/build.h"
#include "gpu/reference/evaluate.h"

using namespace strata;

namespace {

std::vector<ValueId> gradientsOf(Graph& g, ValueId loss, std::vector<ValueId> targets) {
  const GradientSeed seed{loss, {}};
  return differentiate(g, std::span(&seed, 1), targets);
}

int count(const Graph& g, std::string_view op) {
  int result = 0;
  for (NodeId id : g.order())
    result += g.node(id).op->name == op ? 1 : 0;
  return result;
}

}  // namespace

TEST_SUITE("autodiff") {
  TEST_CASE("no gradient flows through stopGradient") {
    Graph g;
    const ValueId x = g.addInput("x", {DType::F32, {4}});
    const ValueId w = g.addVariable("w", {DType::F32, {4}}, Category::Parameter, true);
    const ValueId doubled = multiplyScalar(g, w, 2),
                  loss = sumAll(g, multiply(g, multiply(g, x, w), stopGradient(g, doubled)));
    const std::vector<ValueId> gradients = gradientsOf(g, loss, {w});
    g.addOutput("gradient", gradients[0]);
    const Tensor three = Tensor::from<float>({4}, std::vector<float>(4, 3)),
                 five = Tensor::from<float>({4}, std::vector<float>(4, 5));
    const auto got = evaluateGraph(g, {{"x", three}}, {{"w", five}}).outputs.at("gradient");
    // The gradient must be x * 2 w. Without stopGradient(), it would be twice this value.
    for (const float value : got.as<float>())
      CHECK(value == 30);
    Graph lone;
    const ValueId v = lone.addVariable("v", {DType::F32, {4}}, Category::Parameter, true);
    CHECK_FALSE(gradientsOf(lone, sumAll(lone, stopGradient(lone, v)), {v})[0].isValid());
  }

  TEST_CASE(
      "a dense layer gets only the gradients of its weights, with layer, phase and category") {
    Graph g;
    const ValueId x = g.addInput("x", {DType::F32, {5, 3}});
    const ValueId w = g.addVariable("dense/kernel", {DType::F32, {3, 2}}, Category::Parameter,
                                    true),
                  b = g.addVariable("dense/bias", {DType::F32, {2}}, Category::Parameter, true);
    ValueId loss;
    {
      Scope scope(g, "dense", Phase::Forward, Category::Activation);
      loss = meanAll(g, activation(g, add(g, matmul(g, x, w), b), "relu"));
    }
    const int before = g.numNodes();
    const std::vector<ValueId> gradients = gradientsOf(g, loss, {w, b});
    verify(g);
    CHECK(g.type(gradients[0]) == g.type(w));
    CHECK(g.type(gradients[1]) == g.type(b));
    for (ValueId gradient : gradients)
      CHECK(g.value(gradient).category == Category::Gradient);
    // One product is in the forward pass, and one computes the gradient of w. There is no product
    // for the gradient of the input.
    CHECK(count(g, "matmul") == 2);
    for (int i = before; i < g.numNodes(); ++i) {
      CHECK(g.node(NodeId{i}).phase == Phase::Backward);
      CHECK(g.node(NodeId{i}).layer == "dense");
    }
    // The derivative of relu uses its output, so that its input may be overwritten.
    for (NodeId id : g.order())
      if (g.node(id).op->name == "activation_backward")
        CHECK(g.node(g.value(g.node(id).inputs[1]).producer).op->name == "activation");
  }

  TEST_CASE("gradients of several uses are added in a fixed order, without zero fills") {
    Graph g;
    const ValueId x = g.addVariable("x", {DType::F32, {4}}, Category::Parameter, true);
    const ValueId loss = sumAll(g, add(g, multiply(g, x, x), exp(g, x)));
    const ValueId gradient = gradientsOf(g, loss, {x})[0];
    CHECK(g.node(g.value(gradient).producer).op->name == "add");
    // The forward pass has one add. The gradient of x needs two more: it sums two uses in x*x and
    // one use in exp.
    CHECK(count(g, "add") == 3);
    Graph again;
    const ValueId x2 = again.addVariable("x", {DType::F32, {4}}, Category::Parameter, true);
    gradientsOf(again, sumAll(again, add(again, multiply(again, x2, x2), exp(again, x2))), {x2});
    CHECK(printGraph(g) == printGraph(again));
  }

  TEST_CASE("a target on which the objective does not depend has no gradient and adds no nodes") {
    Graph g;
    const ValueId x = g.addVariable("x", {DType::F32, {4}}, Category::Parameter, true),
                  y = g.addVariable("y", {DType::F32, {4}}, Category::Parameter, true);
    const ValueId loss = sumAll(g, exp(g, x));
    const int before = g.numNodes();
    CHECK_FALSE(gradientsOf(g, loss, {y})[0].isValid());
    CHECK(g.numNodes() == before);
  }

  TEST_CASE("the gradient of a broadcast operand has the operand's shape") {
    Graph g;
    const ValueId x = g.addInput("x", {DType::F32, {5, 3, 2}}),
                  row = g.addVariable("row", {DType::F32, {3, 1}}, Category::Parameter, true);
    const ValueId scalar = g.addVariable("scalar", {DType::F32, {}}, Category::Parameter, true);
    const ValueId loss = sumAll(g, multiply(g, add(g, x, row), scalar));
    const std::vector<ValueId> gradients = gradientsOf(g, loss, {row, scalar});
    CHECK(g.shape(gradients[0]) == Shape{3, 1});
    CHECK(g.shape(gradients[1]) == Shape{});
    // The reshape to [3,1] is a view, so the value that it views also counts as a gradient.
    const Node& view = g.node(g.value(gradients[0]).producer);
    REQUIRE(view.op->name == "reshape");
    CHECK(g.value(view.inputs[0]).category == Category::Gradient);
  }

  TEST_CASE("comparisons and integer operands end the differentiation without an error") {
    Graph g;
    const ValueId x = g.addVariable("x", {DType::F32, {4}}, Category::Parameter, true);
    const ValueId zero = constantScalar(g, DType::F32, 0);
    const ValueId loss = sumAll(g, select(g, less(g, x, zero), square(g, x), abs(g, x)));
    CHECK(gradientsOf(g, loss, {x})[0].isValid());
    verify(g);
    Graph h;
    const ValueId z = h.addVariable("z", {DType::F32, {4, 3}}, Category::Parameter, true);
    const ValueId labels = argmax(h, z);
    CHECK_FALSE(gradientsOf(h, sumAll(h, oneHot(h, labels, 3)), {z})[0].isValid());
  }

  TEST_CASE("given seeds are used and added, and an intermediate value may be a target") {
    Graph g;
    const ValueId x = g.addInput("x", {DType::F32, {4}});
    const ValueId y = exp(g, x), z = negate(g, y);
    const ValueId dz = g.addInput("dz", {DType::F32, {4}});
    const GradientSeed seeds[] = {{z, dz}, {y, dz}};
    const ValueId targets[] = {y, x};
    const std::vector<ValueId> gradients = differentiate(g, seeds, targets);
    CHECK(g.node(g.value(gradients[0]).producer).op->name == "add");
    CHECK(gradients[1].isValid());
    CHECK(g.value(gradients[1]).category == Category::Temporary);
    verify(g);
  }

  TEST_CASE("the error about an op without a gradient names its layer and the reason") {
    Graph g;
    const ValueId x = g.addVariable("x", {DType::F32, {4}}, Category::Parameter, true);
    ValueId dx;
    {
      Scope scope(g, "odd", Phase::Forward, Category::Activation);
      dx = g.add(opNamed("activation_backward"), {x, x}, {{"kind", std::string("tanh")}});
    }
    try {
      gradientsOf(g, sumAll(g, dx), {x});
      FAIL("no error");
    }
    catch (const Error& error) {
      CHECK(error.code() == ErrorCode::UnsupportedOp);
      CHECK(error.subject() == "odd");
      CHECK(std::string(error.what()).find("second derivatives") != std::string::npos);
    }
  }

  TEST_CASE("a product whose type a pass has changed has no gradient") {
    Graph g;
    const ValueId x = g.addVariable("x", {DType::BF16, {2, 3}}, Category::Parameter, true),
                  w = g.addVariable("w", {DType::BF16, {3, 4}}, Category::Parameter, true);
    const ValueId y = g.add(opNamed("matmul"), {x, w}, {{"result", std::string("f32")}});
    CHECK(g.type(y).dtype == DType::F32);
    try {
      gradientsOf(g, sumAll(g, y), {w});
      FAIL("no error");
    }
    catch (const Error& error) {
      CHECK(error.code() == ErrorCode::UnsupportedOp);
      CHECK(error.line().find("attribute result") != std::string::npos);
    }
  }
}
