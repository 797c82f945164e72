// SPDX-License-Identifier: Apache-2.0
// Tests the pass `recompute`. The pass must keep every bit of the results, estimate memory as the
// planner does, and respect memory limits.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "gpu/autodiff/autodiff.h"
#include "gpu/base/rng.h"
#include "gpu/exec/program.h"
#include "gpu/graph/op.h"
#include "gpu/graph/text.h"
#include "gpu/graph/verify.h"
#include "gpu/memory/liveness.h"
#include "gpu/ops/build.h"
#include "gpu/passes/standard_passes.h"
#include "gpu/reference/evaluate.h"
#include "tests/support/random_graph.h"
#include "tests/support/sample_graphs.h"
#include "tests/support/test_devices.h"

using namespace strata;

namespace {

/// Returns a training step of layers. Each layer has a product, batch normalization, relu and
/// optionally dropout, and its moving mean is state.
Graph deepStep(int layers, int64_t batch, int64_t width, bool hasDropout = true) {
  Graph g;
  const ValueId rate = g.addInput("rate", {DType::F32, {}});
  ValueId seed, step, first;
  if (hasDropout) {
    seed = g.addInput("seed", {DType::I64, {}});
    step = g.addInput("step", {DType::I64, {}});
    first = g.addInput("first_sample", {DType::I64, {}});
  }
  ValueId x = g.addInput("x", {DType::F32, {batch, width}});
  std::vector<ValueId> parameters;
  std::vector<std::pair<std::string, ValueId>> next;
  for (int i = 0; i < layers; ++i) {
    const std::string layer = "layer" + std::to_string(i);
    const Scope scope(g, layer, Phase::Forward, Category::Activation);
    const ValueId w =
        g.addVariable(layer + "/w", {DType::F32, {width, width}}, Category::Parameter, true);
    const ValueId gamma =
        g.addVariable(layer + "/gamma", {DType::F32, {width}}, Category::Parameter, true);
    const ValueId beta =
        g.addVariable(layer + "/beta", {DType::F32, {width}}, Category::Parameter, true);
    const ValueId moving =
        g.addVariable(layer + "/moving", {DType::F32, {width}}, Category::Parameter, false);
    const BatchNormResult normal = batchNorm(g, matmul(g, x, w), gamma, beta, 1e-3);
    next.emplace_back(layer + "/moving",
                      add(g, multiplyScalar(g, moving, 0.9), multiplyScalar(g, normal.mean, 0.1)));
    x = activation(g, normal.y, "relu");
    if (hasDropout) x = dropout(g, x, seed, step, first, 0.25, layer);
    for (const ValueId parameter : {w, gamma, beta})
      parameters.push_back(parameter);
  }
  ValueId loss;
  {
    const Scope scope(g, "loss", Phase::Forward, Category::Temporary);
    loss = meanAll(g, square(g, x));
  }
  g.addOutput("loss", loss);
  const GradientSeed gradientSeed{loss, {}};
  const auto gradients = differentiate(g, std::span(&gradientSeed, 1), parameters);
  const std::vector<Variable> variables = g.variables();
  for (size_t i = 0; i < parameters.size(); ++i) {
    const auto variable = std::find_if(variables.begin(), variables.end(),
                                       [&](const Variable& v) { return v.value == parameters[i]; });
    const Scope scope(g, variable->name.substr(0, variable->name.find('/')), Phase::Update,
                      Category::Parameter);
    g.setNext(variable->name, update(g, "sgd_update", {parameters[i], gradients[i], rate}, {})[0]);
  }
  for (const auto& [name, value] : next) {
    const Scope scope(g, name.substr(0, name.find('/')), Phase::Update, Category::Parameter);
    g.setNext(name, assign(g, g.findVariable(name)->value, value));
  }
  PassReport report;
  orderNodes(g, report);
  verify(g);
  return g;
}

size_t peakOf(const Graph& graph) { return planMemory(graph, {}).peakBytes(); }

PassReport run(Graph& graph, Recompute how, size_t limit = 0) {
  RecomputeOptions options;
  options.how = how;
  if (limit > 0) options.limitBytes = limit;
  PassReport report;
  recompute(graph, report, options);
  verify(graph);
  return report;
}

int count(const Graph& g, std::string_view op, Phase phase) {
  return static_cast<int>(std::count_if(g.order().begin(), g.order().end(), [&](NodeId id) {
    return g.node(id).op->name == op && g.node(id).phase == phase;
  }));
}

/// Chooses half of the nodes that can be recomputed, regardless of the effect.
RecomputeChoice anyChoice(const Graph& graph, uint64_t seed, bool updatesEarly) {
  RecomputeChoice choice;
  choice.updatesEarly = updatesEarly;
  RandomStream random(seed, streamOf("recompute"));
  bool isUpdating = false;
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    isUpdating = isUpdating || node.op->kind == OpKind::Update;
    const bool mayRepeat = node.phase == Phase::Forward && node.op->kind != OpKind::Source &&
                           node.op->kind != OpKind::View && !isUpdating;
    if (mayRepeat && random.below(2) == 0) choice.repeated.push_back(id);
  }
  return choice;
}

/// Runs the graph on the executor. After each op, canaries overwrite all memory that is not live.
Evaluation executed(const Graph& graph) {
  test::HookedDevice device(2);
  State state(device);
  auto program = Program::build(graph, device, state);
  program->bind();
  program->setCanaries(true);
  for (const auto& [name, value] : test::randomInputs(graph, 3))
    program->writeInput(name, value);
  for (const auto& [name, value] : test::randomVariables(graph, 3))
    state.write(name, value);
  for (int i = 0; i < 2; ++i)
    program->run();
  Evaluation result;
  for (const NamedValue& output : graph.outputs())
    result.outputs.emplace(output.name, program->readOutput(output.name));
  for (const std::string& name : state.names())
    result.variables.emplace(name, state.read(name));
  CHECK(program->memory().peakBytes() == state.allocatedBytes() + program->ownBytes());
  return result;
}

}  // namespace

TEST_SUITE("recompute") {
  TEST_CASE("a value is recomputed before its reader") {
    const char* const before = R"(strata-graph 1
%0 = input() {name="x"} : f32[64,16] !input
%1 = input() {name="g"} : f32[64,16] !input
%2 = variable() {name="w", trainable=true} : f32[16,16] !parameter
%3 = matmul(%0, %2) : f32[64,16] !activation @"a" forward
%4 = activation(%3) {kind="relu"} : f32[64,16] !activation @"a" forward
%5 = exp(%4) : f32[64,16] !activation @"b" forward
%6 = exp(%5) : f32[64,16] !activation @"b" forward
%7 = reduce_sum(%6) {axes=[0,1]} : f32[] !activation @"b" forward
%8 = multiply(%1, %6) : f32[64,16] !temporary @"b" backward
%9 = multiply(%8, %5) : f32[64,16] !temporary @"b" backward
%10 = activation_backward(%9, %4) {kind="relu"} : f32[64,16] !temporary @"a" backward
%11 = matmul(%0, %10) {transpose_a=true} : f32[16,16] !gradient @"a" backward
%12 = assign(%2, %11) : f32[16,16] !parameter @"a" update
next "w" = %12
output "loss" = %7
)";
    const Graph original = parseGraph(before);
    Graph graph = original;
    const size_t peak = peakOf(graph);
    CHECK(run(graph, Recompute::None).rewrites == 0);
    // The step fits in this limit without recomputation.
    CHECK(run(graph, Recompute::Auto, peak).rewrites == 0);
    CHECK(printGraph(graph) == printGraph(original));
    const PassReport report = run(graph, Recompute::Auto, peak - 4096);
    CAPTURE(printGraph(graph));
    CHECK(report.rewrites >= 1);
    CHECK(peakOf(graph) <= peak - 4096);
    CHECK(count(graph, "activation", Phase::Backward) == 1);
    CHECK(count(graph, "activation", Phase::Forward) == 1);
    CHECK(count(graph, "exp", Phase::Forward) == 2);
    CHECK(report.details.back().find("% more time") != std::string::npos);
    CHECK(firstBitDifference(executed(original), executed(graph)) == "");
  }

  TEST_CASE(
      "a deep step respects each limit, with the same bits and masks, and statistics stored once") {
    const Graph original = deepStep(12, 64, 32);
    const Evaluation expected = executed(original);
    const size_t peak = peakOf(original);
    int kept = 0;
    for (const double share : {0.9, 0.75, 0.6, 0.5}) {
      const auto limit = static_cast<size_t>(share * static_cast<double>(peak));
      Graph graph = original;
      const PassReport report = run(graph, Recompute::Auto, limit);
      CAPTURE(share);
      CAPTURE(report.details.back());
      CHECK(report.rewrites > 0);
      kept += peakOf(graph) <= limit ? 1 : 0;
      CHECK(count(graph, "assign", Phase::Update) == 12);
      CHECK(count(graph, "batch_norm", Phase::Forward) == 12);
      CHECK(firstBitDifference(expected, executed(graph)) == "");
    }
    CHECK(kept == 4);
    Graph smallest = original;
    run(smallest, Recompute::All);
    CHECK(peakOf(smallest) < peak / 2);
    CHECK(count(smallest, "dropout", Phase::Backward) > 12);
    CHECK(firstBitDifference(expected, executed(smallest)) == "");
    // A mask that is recomputed from another random stream is detected.
    for (const NodeId id : smallest.order())
      if (const Node& node = smallest.node(id);
          node.op->name == "dropout" && node.phase == Phase::Backward)
        smallest.edit().mutableNode(id).attributes.set("stream", std::string("other"));
    CHECK(firstBitDifference(expected, executed(smallest)) != "");
  }

  TEST_CASE("early updates release gradients early and cost no time") {
    // The weights need more memory than the activations, so releasing gradients early is enough.
    const Graph original = deepStep(6, 4, 64, false);
    Graph graph = original;
    const PassReport report = run(graph, Recompute::Auto, peakOf(original) * 9 / 10);
    CHECK(report.rewrites == 1);
    CHECK(report.details.front().find("updates run") != std::string::npos);
    CHECK(graph.order().size() == original.order().size());
    CHECK(peakOf(graph) <= peakOf(original) * 9 / 10);
    CHECK(firstBitDifference(executed(original), executed(graph)) == "");
    // The loss is computed before the first update of state.
    int loss = -1, write = -1, position = 0;
    for (const NodeId id : graph.order()) {
      if (id == graph.value(findOutput(graph, "loss")).producer) loss = position;
      if (graph.node(id).op->kind == OpKind::Update && write < 0) write = position;
      ++position;
    }
    CHECK(loss < write);
  }

  TEST_CASE("split guards let an update run early, but apply no gradient after a bad one") {
    Graph graph;
    const ValueId rate = graph.addInput("rate", {DType::F32, {}}),
                  loss = graph.addInput("loss", {DType::F32, {}});
    std::vector<ValueId> gradients, checked;
    for (const char* name : {"last", "middle", "first"})
      gradients.push_back(square(graph, graph.addInput(name, {DType::F32, {2}})));
    // A gradient that is clipped is checked before it is clipped
    const ValueId clipped = minimum(graph, gradients[1], constantScalar(graph, DType::F32, 1));
    graph.edit().mutableNode(graph.value(clipped).producer).phase = Phase::Update;
    checked = {gradients[2], gradients[0], gradients[1], loss};
    const ValueId flag = allFinite(graph, checked);
    graph.addOutput("finite", flag);
    for (const char* name : {"first", "middle", "last"}) {
      const std::string variable = std::string("w_") + name;
      const ValueId w = graph.addVariable(variable, {DType::F32, {2}}, Category::Parameter, true),
                    gradient = name == std::string("first")    ? gradients[2]
                               : name == std::string("middle") ? clipped
                                                               : gradients[0];
      const NodeId update = graph.addNode(opNamed("sgd_update"), {w, gradient, rate, flag});
      graph.setNext(variable, graph.node(update).outputs[0]);
    }
    Graph split = graph;
    REQUIRE(splitGuard(split));
    verify(split);
    CHECK_FALSE(splitGuard(split));
    const auto changed = [&](const Graph& step, const std::string& bad) {
      NamedTensors inputs{{"rate", Tensor::scalar(1.0f)}, {"loss", Tensor::scalar(1.0f)}},
          variables;
      for (const char* name : {"last", "middle", "first"}) {
        Tensor values(DType::F32, Shape{2});
        values.as<float>()[0] = values.as<float>()[1] = name == bad ? 1e30f : 1.0f;
        inputs.emplace(name, values);
        variables.emplace(std::string("w_") + name, Tensor(DType::F32, Shape{2}));
      }
      if (bad == "loss") inputs.at("loss").as<float>()[0] = INFINITY;
      const Evaluation done = evaluateGraph(step, inputs, variables);
      CHECK((done.outputs.at("finite").as<float>()[0] == 0) == !bad.empty());
      std::string result;
      for (const char* name : {"last", "middle", "first"})
        if (done.variables.at(std::string("w_") + name).as<float>()[0] != 0) result += *name;
      return result;
    };
    CHECK(changed(graph, "") == "lmf");
    CHECK(changed(split, "") == "lmf");
    for (const char* bad : {"loss", "last", "middle", "first"})
      CHECK(changed(graph, bad) == "");
    CHECK(changed(split, "loss") == "");
    CHECK(changed(split, "last") == "");
    CHECK(changed(split, "middle") == "l");
    CHECK(changed(split, "first") == "lm");
  }

  TEST_CASE("in random steps no bit changes, and the estimated bytes equal the planned bytes") {
    int repeated = 0;
    for (uint64_t seed = 0; seed < 60; ++seed) {
      Graph original = test::randomStep(seed, 4 + static_cast<int>(seed % 9), 16);
      PassReport ordering;
      orderNodes(original, ordering);
      const Evaluation expected = executed(original);
      CAPTURE(seed);
      for (const bool updatesEarly : {false, true}) {
        const RecomputeChoice choice = anyChoice(original, seed, updatesEarly);
        Graph graph = original;
        applyRecompute(graph, choice);
        verify(graph);
        repeated += graph.order().size() > original.order().size() ? 1 : 0;
        CHECK(boundOfChoice(original, {}, choice) == planMemory(graph, {}).lowerBoundBytes);
        CHECK(firstBitDifference(expected, executed(graph)) == "");
      }
      CHECK(boundOfChoice(original, {}, {}) == planMemory(original, {}).lowerBoundBytes);
    }
    CHECK(repeated > 50);
  }

  TEST_CASE("recomputing keeps the bits of every kind of graph on the reference device") {
    int rewritten = 0, repeated = 0;
    for (uint64_t seed = 1; seed <= 600; ++seed) {
      const Graph before = randomGraph(seed);
      const NamedTensors inputs = randomInputs(before, seed),
                         variables = randomVariables(before, seed);
      const Evaluation expected = evaluateGraph(before, inputs, variables);
      CAPTURE(seed);
      Graph after = before;
      rewritten += run(after, Recompute::All).rewrites > 0 ? 1 : 0;
      CHECK(firstBitDifference(expected, evaluateGraph(after, inputs, variables)) == "");
      Graph forced = before;
      applyRecompute(forced, anyChoice(before, seed, seed % 2 == 0));
      verify(forced);
      repeated += forced.order().size() > before.order().size() ? 1 : 0;
      CHECK(firstBitDifference(expected, evaluateGraph(forced, inputs, variables)) == "");
    }
    CHECK(rewritten >= 50);
    CHECK(repeated >= 50);
  }

  TEST_CASE(
      "smaller limits cost more time, and a limit that is too small is reported with the missing "
      "bytes") {
    const Graph graph = deepStep(10, 64, 32);
    RecomputeOptions options;
    options.how = Recompute::Auto;
    const size_t kept = chooseRecompute(graph, options).lowerBoundBytes;
    std::vector<RecomputeChoice> choices;
    for (int percent = 100; percent > 0; percent -= 10) {
      options.limitBytes = kept / 100 * static_cast<size_t>(percent);
      RecomputeChoice choice = chooseRecompute(graph, options);
      if (choice.lowerBoundBytes <= options.limitBytes) choices.push_back(std::move(choice));
    }
    REQUIRE(choices.size() > 4);
    for (size_t i = 1; i < choices.size(); ++i)
      CHECK(choices[i].extraSeconds >= choices[i - 1].extraSeconds);
    Graph tooSmall = graph;
    const PassReport report = run(tooSmall, Recompute::Auto, 1000);
    CHECK(report.details.back().find("above the limit") != std::string::npos);
  }
}
