// SPDX-License-Identifier: Apache-2.0
// Tests that cross-entropy of probabilities and the softmax or sigmoid before it become one fused
// op, forward and backward, with the same values. Similar graphs must not change.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "gpu/autodiff/autodiff.h"
#include "gpu/graph/op.h"
#include "gpu/graph/text.h"
#include "gpu/graph/verify.h"
#include "gpu/ops/build.h"
#include "gpu/passes/rewrite.h"
#include "gpu/passes/standard_passes.h"
#include "tests/support/random_graph.h"

using namespace strata;

namespace {

constexpr double kRounding = 1e-11;

enum class Form { SparseClipped, DenseClipped, DenseNormalized, DenseLog, Sigmoid };

Graph classifier(Form form, bool isTrained) {
  Graph g;
  const ValueId x = g.addInput("x", {DType::F64, {5, 3}});
  const ValueId w = g.addVariable("w", {DType::F64, {3, 3}}, Category::Parameter, true);
  const ValueId target = form == Form::SparseClipped ? g.addInput("target", {DType::I32, {5}})
                                                     : g.addInput("target", {DType::F64, {5, 3}});
  const auto clip = [&](ValueId p) {
    return maximum(g, minimum(g, p, constantScalar(g, DType::F64, 1 - 1e-7)),
                   constantScalar(g, DType::F64, 1e-7));
  };
  const auto loss = [&] {
    const Scope scope(g, "out", Phase::Forward, Category::Activation);
    const ValueId logits = matmul(g, x, w);
    switch (form) {
      case Form::SparseClipped:
        return meanAll(g, softmaxCrossEntropy(g, log(g, clip(softmax(g, logits))), target));
      case Form::DenseClipped:
        return meanAll(
            g,
            negate(g, reduceSum(g, multiply(g, target, log(g, clip(softmax(g, logits)))), {-1})));
      case Form::DenseNormalized: {
        const ValueId p = softmax(g, logits);
        return meanAll(
            g,
            negate(g, reduceSum(g,
                                multiply(g, log(g, clip(divide(g, p, reduceSum(g, p, {-1}, true)))),
                                         target),
                                {-1})));
      }
      case Form::DenseLog:
        return meanAll(g, negate(g, reduceSum(g, multiply(g, target, logSoftmax(g, logits)), {1})));
      case Form::Sigmoid: {
        const ValueId p = clip(activation(g, logits, "sigmoid"));
        return meanAll(g,
                       reduceMean(g,
                                  negate(g, add(g, multiply(g, target, log(g, p)),
                                                multiply(g, affine(g, target, -1, 1, DType::F64),
                                                         log(g, affine(g, p, -1, 1, DType::F64))))),
                                  {-1}));
      }
    }
    return ValueId{};
  }();
  g.addOutput("loss", loss);
  if (isTrained) {
    const GradientSeed seed{loss, {}};
    const ValueId gradient = differentiate(g, std::span(&seed, 1), std::span(&w, 1))[0];
    const Scope scope(g, "out", Phase::Update, Category::Parameter);
    g.setNext("w",
              update(g, "sgd_update", {w, gradient, g.addInput("rate", {DType::F64, {}})}, {})[0]);
  }
  verify(g);
  return g;
}

int countOps(const Graph& g, std::string_view op) {
  return static_cast<int>(std::count_if(g.order().begin(), g.order().end(),
                                        [&](NodeId id) { return g.node(id).op->name == op; }));
}

}  // namespace

TEST_SUITE("cross-entropy fusion") {
  TEST_CASE("cross-entropy of probabilities becomes the fused op, forward and backward") {
    for (Form form : {Form::SparseClipped, Form::DenseClipped, Form::DenseNormalized,
                      Form::DenseLog, Form::Sigmoid})
      for (bool isTrained : {false, true}) {
        const Graph before = classifier(form, isTrained);
        Graph after = before;
        PassReport report;
        fuseSoftmaxCrossEntropy(after, report);
        CAPTURE(static_cast<int>(form));
        CAPTURE(isTrained);
        CAPTURE(printGraph(after));
        CHECK(report.rewrites == 1);
        verify(after);
        CHECK(countOps(after, "log") == 0);
        CHECK(countOps(after, "softmax") == 0);
        CHECK(countOps(after, form == Form::Sigmoid ? "sigmoid_cross_entropy"
                                                    : "softmax_cross_entropy") == 1);
        if (isTrained && form != Form::Sigmoid)
          CHECK(countOps(after, "softmax_cross_entropy_backward") == 1);
        for (uint64_t seed : {1u, 2u, 3u}) {
          // The dense target is not a probability distribution, so that a missing factor is
          // detected.
          CHECK(differenceOnRandomValues(before, after, seed) <= kRounding);
        }
        // The fused op gives finite gradients even if probabilities are rounded to 0 or 1.
        NamedTensors inputs = randomInputs(before, 1), variables = randomVariables(before, 1);
        for (double& value : inputs.at("x").as<double>())
          value *= 1000;
        for (const auto& [name, tensor] : evaluateGraph(after, inputs, variables).variables)
          for (double value : tensor.as<double>())
            CHECK(std::isfinite(value));
      }
  }

  TEST_CASE("a backward op without its factor, or with other logits, is detected") {
    for (Form form : {Form::SparseClipped, Form::DenseLog}) {
      const Graph before = classifier(form, true);
      Graph after = before;
      PassReport report;
      fuseSoftmaxCrossEntropy(after, report);
      for (NodeId id : after.order())
        if (after.node(id).op->name == "softmax_cross_entropy_backward") {
          const ReplacementScope scope(after, id);
          after.edit().setInput(id, 0,
                                constantFill(after, after.type(after.node(id).inputs[0]), 1));
        }
      verify(after);
      CHECK(differenceOnRandomValues(before, after, 1) > kRounding);
    }
  }

  TEST_CASE("similar graphs that are no cross-entropy of probabilities do not change") {
    Graph g;
    const ValueId x = g.addInput("x", {DType::F64, {5, 3}}),
                  target = g.addInput("target", {DType::F64, {5, 3}});
    const ValueId otherAxis =
        negate(g, reduceSum(g, multiply(g, target, log(g, softmax(g, x, 0))), {-1}));
    const ValueId otherSum =
        negate(g, reduceSum(g, multiply(g, target, log(g, softmax(g, x))), {0}));
    const ValueId wideClip = negate(
        g,
        reduceSum(g,
                  multiply(g, target,
                           log(g, maximum(g, softmax(g, x), constantScalar(g, DType::F64, 0.2)))),
                  {-1}));
    for (ValueId value : {otherAxis, otherSum, wideClip})
      g.addOutput("o" + std::to_string(value.index), value);
    PassReport report;
    fuseSoftmaxCrossEntropy(g, report);
    CHECK(report.rewrites == 0);
  }

  TEST_CASE(
      "cross-entropy with a target computed from the logits keeps the gradient of the target") {
    Graph g;
    const ValueId x = g.addInput("x", {DType::F64, {5, 3}});
    const ValueId p = softmax(g, x);
    // The target is the softmax itself, so the loss is an entropy.
    const ValueId loss = meanAll(g, negate(g, reduceSum(g, multiply(g, p, log(g, p)), {-1})));
    g.addOutput("loss", loss);
    const GradientSeed seed{loss, {}};
    g.addOutput("dx", differentiate(g, std::span(&seed, 1), std::span(&x, 1))[0]);
    Graph after = g;
    PassReport report;
    fuseSoftmaxCrossEntropy(after, report);
    CHECK(differenceOnRandomValues(g, after, 1) <= kRounding);
  }
}
