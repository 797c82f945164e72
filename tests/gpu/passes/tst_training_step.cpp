// SPDX-License-Identifier: Apache-2.0
// Tests the pipeline of passes on the training step of a small convolution network, lowered as core
// lowers it. The expected nodes must remain, and the results must stay the same.
#include <doctest/doctest.h>

#include <algorithm>

#include "gpu/autodiff/autodiff.h"
#include "gpu/graph/op.h"
#include "gpu/graph/text.h"
#include "gpu/graph/verify.h"
#include "gpu/memory/liveness.h"
#include "gpu/ops/build.h"
#include "gpu/passes/pass.h"
#include "tests/support/pass_options.h"
#include "tests/support/random_graph.h"

using namespace strata;

namespace {

Graph convolutionStep(DType dtype) {
  Graph g;
  std::vector<ValueId> parameters;
  std::vector<std::string> names;
  const auto parameter = [&](const std::string& name, Shape shape) {
    names.push_back(name);
    return parameters.emplace_back(g.addVariable(name, {dtype, shape}, Category::Parameter, true));
  };
  const ValueId image = g.addInput("image", {DType::U8, {4, 10, 10, 1}});
  ValueId x;
  {
    const Scope scope(g, "rescaling", Phase::Forward, Category::Activation);
    x = affine(g, image, 1.0 / 255, 0, dtype);
  }
  for (int i = 0; i < 2; ++i) {
    const std::string layer = "conv_" + std::to_string(i);
    const Scope scope(g, layer, Phase::Forward, Category::Activation);
    const ValueId w = parameter(layer + "/kernel", {3, 3, g.shape(x)[3], 6}),
                  b = parameter(layer + "/bias", {6});
    x = activation(g, add(g, conv2d(g, x, w, {}), b), "relu");
    if (i == 0) x = maxPool2d(g, x, {2, 2}, {.strides = {2, 2}});
  }
  const ValueId labels = g.addInput("target", {DType::I32, {4}});
  const Scope scope(g, "dense", Phase::Forward, Category::Activation);
  const ValueId flat = reshape(g, x, {4, 24}), w = parameter("dense/kernel", {24, 3}),
                b = parameter("dense/bias", {3});
  const ValueId rows = softmaxCrossEntropy(g, add(g, matmul(g, flat, w), b), labels);
  const ValueId loss = meanAll(g, rows);
  g.addOutput("loss", loss);
  const ValueId guesses = argmax(g, g.node(g.value(rows).producer).outputs[1]);
  g.addOutput("accuracy", sumAll(g, cast(g, equal(g, guesses, labels), dtype)));
  const GradientSeed seed{loss, {}};
  const std::vector<ValueId> gradients = differentiate(g, std::span(&seed, 1), parameters);
  const ValueId rate = g.addInput("rate", {dtype, {}}), step = g.addInput("step", {DType::I64, {}});
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Scope updating(g, names[i], Phase::Update, Category::Optimizer);
    const ValueId m = g.addVariable(names[i] + ":m", g.type(parameters[i]), Category::Optimizer,
                                    false),
                  v = g.addVariable(names[i] + ":v", g.type(parameters[i]), Category::Optimizer,
                                    false);
    const std::vector<ValueId> next =
        update(g, "adam_update", {parameters[i], gradients[i], m, v, rate, step}, {});
    g.setNext(names[i], next[0]);
    g.setNext(names[i] + ":m", next[1]);
    g.setNext(names[i] + ":v", next[2]);
  }
  verify(g);
  return g;
}

int count(const Graph& g, std::string_view op, std::optional<Phase> phase = {}) {
  return static_cast<int>(std::count_if(g.order().begin(), g.order().end(), [&](NodeId id) {
    return g.node(id).op->name == op && (!phase || g.node(id).phase == *phase);
  }));
}

NamedTensors variablesFor(const Graph& g) {
  NamedTensors variables = randomVariables(g, 3);
  for (auto& [name, tensor] : variables)
    if (name.ends_with(":v"))
      for (double& value : tensor.as<double>())
        value *= value;
  return variables;
}

}  // namespace

TEST_SUITE("pass pipeline on a training step") {
  TEST_CASE("the step of a convolution network has the expected nodes") {
    const Graph before = convolutionStep(DType::F32);
    Graph after = before;
    for (const PassReport& report : runPasses(after, allPasses()))
      CHECK(report.failure == "");
    CAPTURE(printGraph(after));
    CHECK(count(after, "add") == 0);
    CHECK(count(after, "activation") == 0);
    CHECK(count(after, "broadcast_to") == 0);
    CHECK(count(after, "conv2d", Phase::Forward) == 2);
    // The image needs no gradient, so only the second convolution has one with respect to its
    // input.
    CHECK(count(after, "conv2d_backward_data") == 1);
    CHECK(count(after, "classification_loss") == 1);
    CHECK(count(after, "softmax_cross_entropy_backward") == 0);
    // The gradients of the biases are the only sums in the backward pass.
    CHECK(count(after, "reduce_sum", Phase::Backward) == 3);
    // Every node belongs to a layer, so that its time can be attributed.
    for (NodeId id : after.order())
      if (after.node(id).op->kind != OpKind::Source) CHECK(after.node(id).layer != "");
    // Updates come last.
    bool isUpdating = false;
    for (NodeId id : after.order()) {
      if (isUpdating) CHECK(after.node(id).op->kind == OpKind::Update);
      isUpdating = isUpdating || after.node(id).op->kind == OpKind::Update;
    }
    const std::vector<size_t> none;
    // The operands of a product that is fused with an update live slightly longer.
    CHECK(planMemory(after, none).transientBytes <= planMemory(before, none).transientBytes + 256);
    // The passes must reduce the bytes of all values, regardless of their lifetimes, by more than a
    // fifth.
    size_t bytesBefore = 0, bytesAfter = 0;
    for (NodeId id : before.order())
      for (ValueId output : before.node(id).outputs)
        bytesBefore += before.type(output).bytes();
    for (NodeId id : after.order())
      for (ValueId output : after.node(id).outputs)
        bytesAfter += after.type(output).bytes();
    CHECK(bytesAfter * 5 < bytesBefore * 4);
    // The update of the dense weights contains their gradient. The other gradients are separate
    // values.
    int gradients = 0;
    for (NodeId id : after.order())
      for (ValueId output : after.node(id).outputs)
        gradients += after.value(output).category == Category::Gradient ? 1 : 0;
    CHECK(gradients >= 5);
  }

  TEST_CASE("each report starts where the previous one ended, and the last one predicts the plan") {
    const Graph before = convolutionStep(DType::F32);
    for (const bool inPlace : {true, false}) {
      Graph after = before;
      PipelineOptions options = allPasses();
      if (!inPlace) options.disabled = {"in_place"};
      const std::vector<PassReport> reports = runPasses(after, options);
      CHECK(reports.front().before.peakBytes == planMemory(before, {}, inPlace).lowerBoundBytes);
      CHECK(reports.back().after.peakBytes == planMemory(after, {}, inPlace).lowerBoundBytes);
      for (size_t i = 1; i < reports.size(); ++i) {
        CAPTURE(reports[i].pass);
        // The other reports assume that results overwrite operands where possible. Only the report
        // of in_place starts with the peak without this.
        if (!inPlace || reports[i].pass != "in_place") {
          CHECK(reports[i].before.peakBytes == reports[i - 1].after.peakBytes);
        }
        else {
          CHECK(reports[i].before.peakBytes == planMemory(after, {}, false).lowerBoundBytes);
        }
        CHECK(reports[i].before.movedBytes == reports[i - 1].after.movedBytes);
        if (reports[i].pass.starts_with("fuse_") && reports[i].rewrites > 0) {
          CHECK(reports[i].after.seconds < reports[i].before.seconds);
          CHECK(reports[i].after.movedBytes < reports[i].before.movedBytes);
        }
      }
      CHECK(reports.back().after.seconds < 0.8 * reports.front().before.seconds);
    }
  }

  TEST_CASE("any set of passes computes the same step") {
    const Graph before = convolutionStep(DType::F64);
    const NamedTensors inputs = randomInputs(before, 5), variables = variablesFor(before);
    const Evaluation expected = evaluateGraph(before, inputs, variables);
    const size_t count = standardPasses().size();
    for (size_t off = 0; off <= count; ++off) {
      PipelineOptions options = allPasses();
      options.verifyAfterEach = true;
      if (off < count) options.disabled = {standardPasses()[off].name};
      Graph after = before;
      for (const PassReport& report : runPasses(after, options))
        CHECK(report.failure == "");
      CAPTURE(off);
      CHECK(largestDifference(expected, evaluateGraph(after, inputs, variables)) < 1e-11);
    }
  }
}
