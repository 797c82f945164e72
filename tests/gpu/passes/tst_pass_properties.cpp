// SPDX-License-Identifier: Apache-2.0
// Rewrites keep results: random steps run with and without each pass on the reference kernels in float64, bit for bit where a pass moves work about, within rounding where
// it changes arithmetic. Each check is tried on a deliberately broken copy of the pass too, and must fail there.
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

using Run = void (*)(Graph&, PassReport&);
constexpr double kRounding = 1e-11;

struct Outcome {
  std::string problem;  // the first; "" where all agree
  int rewrites = 0;
};

std::string compare(const Graph& before, const Graph& after, uint64_t seed, bool isBitExact) {
  const NamedTensors inputs = randomInputs(before, seed), variables = randomVariables(before, seed);
  const Evaluation expected = evaluateGraph(before, inputs, variables), got = evaluateGraph(after, inputs, variables);
  if (isBitExact) return firstBitDifference(expected, got);
  const double difference = largestDifference(expected, got);
  return difference <= kRounding ? "" : "difference " + std::to_string(difference);
}

Outcome tryPass(Run run, bool isBitExact, int graphs = 150) {
  Outcome outcome;
  for (uint64_t seed = 1; seed <= static_cast<uint64_t>(graphs); ++seed) {
    const Graph before = randomGraph(seed);
    Graph after = before;
    PassReport report;
    try {
      run(after, report);
      verify(after);
      outcome.problem = compare(before, after, seed, isBitExact);
    } catch (const std::exception& error) { outcome.problem = error.what(); }
    outcome.rewrites += report.rewrites;
    if (!outcome.problem.empty()) {
      outcome.problem = "seed " + std::to_string(seed) + ": " + outcome.problem;
      return outcome;
    }
  }
  return outcome;
}

// --- broken copies, one mistake each

void dropsUpdates(Graph& graph, PassReport&) {
  for (const Variable& variable : graph.variables()) {
    if (!variable.next.isValid()) continue;
    const NodeId writer = graph.value(variable.next).producer;
    graph.setNext(variable.name, variable.value);
    graph.removeNode(writer);
  }
}

void mergesConstantsByType(Graph& graph, PassReport&) {
  std::vector<ValueId> seen;
  const std::vector<NodeId> order = graph.order();
  for (NodeId id : order) {
    if (graph.node(id).op->name != "constant") continue;
    const ValueId value = graph.node(id).outputs[0];
    const auto same = std::find_if(seen.begin(), seen.end(), [&](ValueId other) { return graph.type(other) == graph.type(value); });
    if (same == seen.end())
      seen.push_back(value);
    else
      graph.replaceAllUses(value, *same);
  }
}

/// Normalization with relu inside, its shortcut forgotten.
void dropsShortcuts(Graph& graph, PassReport& report) {
  const std::vector<NodeId> order = graph.order();
  for (NodeId id : order) {
    const Node node = graph.node(id);
    if (node.op->name == "add" && producerOf(graph, node.inputs[0]).op->name == "batch_norm")
      graph.replaceAllUses(node.outputs[0], node.inputs[0]);
  }
  fuseBatchNorm(graph, report);
}

void foldsToFirstOperand(Graph& graph, PassReport&) {
  const std::vector<NodeId> order = graph.order();
  for (NodeId id : order) {
    const Node node = graph.node(id);
    if (node.inputs.size() != 2 || node.outputs.size() != 1) continue;
    if (producerOf(graph, node.inputs[0]).payload && producerOf(graph, node.inputs[1]).payload &&
        graph.type(node.inputs[0]) == graph.type(node.outputs[0]))
      graph.replaceAllUses(node.outputs[0], node.inputs[0]);
  }
}

void dropsEveryAddition(Graph& graph, PassReport&) {
  const std::vector<NodeId> order = graph.order();
  for (NodeId id : order) {
    const Node node = graph.node(id);
    if (node.op->name == "add" && splatOf(graph, node.inputs[1]) && graph.type(node.inputs[0]) == graph.type(node.outputs[0]))
      graph.replaceAllUses(node.outputs[0], node.inputs[0]);
  }
}

void joinsAffinesWithoutOffset(Graph& graph, PassReport&) {
  const std::vector<NodeId> order = graph.order();
  for (NodeId id : order) {
    const Node node = graph.node(id);
    if (node.op->name != "affine" || producerOf(graph, node.inputs[0]).op->name != "affine") continue;
    const Node inner = producerOf(graph, node.inputs[0]);
    Attributes attributes = node.attributes;
    attributes.set("scale", node.attributes.get<double>("scale") * inner.attributes.get<double>("scale"));
    const ReplacementScope scope(graph, id);
    graph.replaceAllUses(node.outputs[0], graph.add(*node.op, {inner.inputs[0]}, attributes));
  }
}

void fusesActivationWithoutBias(Graph& graph, PassReport&) {
  const std::vector<NodeId> order = graph.order();
  for (NodeId id : order) {
    const Node node = graph.node(id);
    if (node.op->name != "add" || producerOf(graph, node.inputs[0]).op->name != "matmul" ||
        graph.type(node.inputs[0]) != graph.type(node.outputs[0]))
      continue;
    graph.replaceAllUses(node.outputs[0], node.inputs[0]);
  }
}

void fusesOverOtherReaders(Graph& graph, PassReport&) {
  const std::vector<NodeId> order = graph.order();
  for (NodeId id : order) {
    const Node node = graph.node(id);
    if (node.op->name != "activation" || producerOf(graph, node.inputs[0]).op->name != "add") continue;
    graph.replaceAllUses(node.inputs[0], node.outputs[0]);  // readers of the value before the activation now see the one after
    graph.setInput(id, 0, node.inputs[0]);
  }
}

/// The gradient transposed.
void fusesUpdateTransposed(Graph& graph, PassReport& report) {
  fuseUpdate(graph, report);
  for (NodeId id : graph.order()) {
    const Node node = graph.node(id);
    if (!node.op->name.starts_with("matmul_") || graph.type(node.inputs[1]) != graph.type(node.inputs[2])) continue;
    graph.setInput(id, 1, node.inputs[2]);
    graph.setInput(id, 2, node.inputs[1]);
  }
}

void swapsNeighbours(Graph& graph, PassReport&) {
  std::vector<NodeId> order = graph.order();
  std::swap(order[order.size() - 1], order[order.size() - 3]);
  graph.setOrder(order);
}

void updatesFirst(Graph& graph, PassReport&) {
  for (const Variable& variable : graph.variables()) {
    if (!variable.next.isValid()) continue;
    const std::vector<NodeId> order = graph.order();
    for (NodeId id : order)
      if (const std::vector<ValueId>& inputs = graph.node(id).inputs;
          std::find(inputs.begin(), inputs.end(), variable.value) != inputs.end() && graph.node(id).op->kind != OpKind::Update) {
        graph.addNode(opNamed("exp"), {variable.value});  // a reader behind the update
        return;
      }
  }
}

// --- classification from probabilities, as a graph that was written without the fused ops

enum class Form { SparseClipped, DenseClipped, DenseNormalized, DenseLog, Sigmoid };

Graph classifier(Form form, bool isTrained) {
  Graph g;
  const ValueId x = g.addInput("x", {DType::F64, {5, 3}});
  const ValueId w = g.addVariable("w", {DType::F64, {3, 3}}, Category::Parameter, true);
  const ValueId target = form == Form::SparseClipped ? g.addInput("target", {DType::I32, {5}}) : g.addInput("target", {DType::F64, {5, 3}});
  const auto clip = [&](ValueId p) {
    return maximum(g, minimum(g, p, constantScalar(g, DType::F64, 1 - 1e-7)), constantScalar(g, DType::F64, 1e-7));
  };
  const auto loss = [&] {
    const Scope scope(g, "out", Phase::Forward, Category::Activation);
    const ValueId logits = matmul(g, x, w);
    switch (form) {
      case Form::SparseClipped: return meanAll(g, softmaxCrossEntropy(g, log(g, clip(softmax(g, logits))), target));
      case Form::DenseClipped: return meanAll(g, negate(g, reduceSum(g, multiply(g, target, log(g, clip(softmax(g, logits)))), {-1})));
      case Form::DenseNormalized: {
        const ValueId p = softmax(g, logits);
        return meanAll(g, negate(g, reduceSum(g, multiply(g, log(g, clip(divide(g, p, reduceSum(g, p, {-1}, true)))), target), {-1})));
      }
      case Form::DenseLog: return meanAll(g, negate(g, reduceSum(g, multiply(g, target, logSoftmax(g, logits)), {1})));
      case Form::Sigmoid: {
        const ValueId p = clip(activation(g, logits, "sigmoid"));
        return meanAll(
            g, reduceMean(g,
                          negate(g, add(g, multiply(g, target, log(g, p)),
                                        multiply(g, affine(g, target, -1, 1, DType::F64), log(g, affine(g, p, -1, 1, DType::F64))))),
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
    g.setNext("w", update(g, "sgd_update", {w, gradient, g.addInput("rate", {DType::F64, {}})}, {})[0]);
  }
  verify(g);
  return g;
}

int countOps(const Graph& g, std::string_view op) {
  return static_cast<int>(std::count_if(g.order().begin(), g.order().end(), [&](NodeId id) { return g.node(id).op->name == op; }));
}

}  // namespace

TEST_SUITE("pass properties") {
  TEST_CASE("each pass keeps the results of random steps") {
    struct Row {
      const char* name;
      Run run;
      bool isBitExact;
    };
    for (const Row& row :
         {Row{"remove_dead", removeDead, true}, Row{"merge_common", mergeCommon, true}, Row{"fold_constants", foldConstants, true},
          Row{"order", orderNodes, true}, Row{"in_place", reportInPlace, true}, Row{"fuse_bias_activation", fuseBiasActivation, true},
          Row{"fuse_update", fuseUpdate, true}, Row{"fuse_batch_norm", fuseBatchNorm, false},
          Row{"simplify_arithmetic", simplifyArithmetic, false}, Row{"fuse_softmax_cross_entropy", fuseSoftmaxCrossEntropy, false}}) {
      const Outcome outcome = tryPass(row.run, row.isBitExact);
      CAPTURE(row.name);
      CHECK(outcome.problem == "");
      if (std::string_view(row.name) != "fuse_softmax_cross_entropy") CHECK(outcome.rewrites > 15);
    }
  }

  TEST_CASE("the whole pipeline keeps the results, and a second run finds next to nothing") {
    int first = 0, second = 0;
    for (uint64_t seed = 1; seed <= 150; ++seed) {
      const Graph before = randomGraph(seed);
      Graph after = before;
      for (const PassReport& report : runPasses(after, {})) {
        CHECK(report.failure == "");
        if (report.pass != "in_place" && report.pass != "order") first += report.rewrites;
      }
      CAPTURE(seed);
      CHECK(compare(before, after, seed, false) == "");
      CHECK(after.order().size() <= before.order().size());
      for (const PassReport& report : runPasses(after, {}))
        if (report.pass != "in_place" && report.pass != "order") second += report.rewrites;
    }
    CHECK(first > 1000);
    CHECK(second * 50 < first);
  }

  TEST_CASE("broken copies are caught") {
    CHECK(tryPass(dropsUpdates, true).problem != "");
    CHECK(tryPass(dropsShortcuts, false).problem != "");
    CHECK(tryPass(mergesConstantsByType, true).problem != "");
    CHECK(tryPass(foldsToFirstOperand, true).problem != "");
    CHECK(tryPass(dropsEveryAddition, false).problem != "");
    CHECK(tryPass(joinsAffinesWithoutOffset, false).problem != "");
    CHECK(tryPass(fusesActivationWithoutBias, false).problem != "");
    CHECK(tryPass(fusesOverOtherReaders, false).problem != "");
    CHECK(tryPass(fusesUpdateTransposed, true).problem != "");
    CHECK(tryPass(swapsNeighbours, true).problem != "");
    CHECK(tryPass(updatesFirst, true).problem != "");
  }

  TEST_CASE("cross-entropy of probabilities becomes the fused op, forward and backward") {
    for (Form form : {Form::SparseClipped, Form::DenseClipped, Form::DenseNormalized, Form::DenseLog, Form::Sigmoid})
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
        CHECK(countOps(after, form == Form::Sigmoid ? "sigmoid_cross_entropy" : "softmax_cross_entropy") == 1);
        if (isTrained && form != Form::Sigmoid) CHECK(countOps(after, "softmax_cross_entropy_backward") == 1);
        for (uint64_t seed : {1u, 2u, 3u}) {
          // A dense target that is no distribution shows a lost factor.
          CHECK(compare(before, after, seed, false) == "");
        }
        // The fused op goes on where probabilities round to 0 or 1.
        NamedTensors inputs = randomInputs(before, 1), variables = randomVariables(before, 1);
        for (double& value : inputs.at("x").as<double>()) value *= 1000;
        for (const auto& [name, tensor] : evaluateGraph(after, inputs, variables).variables)
          for (double value : tensor.as<double>()) CHECK(std::isfinite(value));
      }
  }

  TEST_CASE("a cross-entropy backward without its factor, or from other logits, is caught") {
    for (Form form : {Form::SparseClipped, Form::DenseLog}) {
      const Graph before = classifier(form, true);
      Graph after = before;
      PassReport report;
      fuseSoftmaxCrossEntropy(after, report);
      for (NodeId id : after.order())
        if (after.node(id).op->name == "softmax_cross_entropy_backward") {
          const ReplacementScope scope(after, id);
          after.setInput(id, 0, constantFill(after, after.type(after.node(id).inputs[0]), 1));
        }
      verify(after);
      CHECK(compare(before, after, 1, false) != "");
    }
  }

  TEST_CASE("cross-entropy of something else is left alone") {
    Graph g;
    const ValueId x = g.addInput("x", {DType::F64, {5, 3}}), target = g.addInput("target", {DType::F64, {5, 3}});
    const ValueId otherAxis = negate(g, reduceSum(g, multiply(g, target, log(g, softmax(g, x, 0))), {-1}));
    const ValueId otherSum = negate(g, reduceSum(g, multiply(g, target, log(g, softmax(g, x))), {0}));
    const ValueId wideClip =
        negate(g, reduceSum(g, multiply(g, target, log(g, maximum(g, softmax(g, x), constantScalar(g, DType::F64, 0.2)))), {-1}));
    for (ValueId value : {otherAxis, otherSum, wideClip}) g.addOutput("o" + std::to_string(value.index), value);
    PassReport report;
    fuseSoftmaxCrossEntropy(g, report);
    CHECK(report.rewrites == 0);
  }

  TEST_CASE("cross-entropy with a target made from the logits keeps the gradient through the target") {
    Graph g;
    const ValueId x = g.addInput("x", {DType::F64, {5, 3}});
    const ValueId p = softmax(g, x);
    const ValueId loss = meanAll(g, negate(g, reduceSum(g, multiply(g, p, log(g, p)), {-1})));  // an entropy
    g.addOutput("loss", loss);
    const GradientSeed seed{loss, {}};
    g.addOutput("dx", differentiate(g, std::span(&seed, 1), std::span(&x, 1))[0]);
    Graph after = g;
    PassReport report;
    fuseSoftmaxCrossEntropy(after, report);
    CHECK(compare(g, after, 1, false) == "");
  }
}
