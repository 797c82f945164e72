// SPDX-License-Identifier: Apache-2.0
// Frozen layers have only a forward pass: no gradients, updates or saved activations.
#include <doctest/doctest.h>

#include <set>

#include <nlohmann/json.hpp>

#include "core/compile/compile.h"
#include "gpu/graph/op.h"
#include "gpu/graph/text.h"
#include "gpu/graph/verify.h"
#include "gpu/memory/liveness.h"

using namespace strata;

namespace {

constexpr int64_t kBatch = 8;
constexpr size_t kMapBytes = 8 * 16 * 16 * 8 * sizeof(float);

/// Returns the layers of a network: `blocks` convolutions with batch normalization and relu, and a
/// classifier. All feature maps have the same size.
Json layers(int blocks, const std::set<int>& frozen) {
  Json list = Json::array({Json{{"type", "Input"}, {"name", "x"}, {"shape", {16, 16, 8}}}});
  for (int i = 0; i < blocks; ++i) {
    const std::string n = std::to_string(i);
    const bool learns = !frozen.contains(i);
    list.push_back({{"type", "Conv2D"},
                    {"name", "conv" + n},
                    {"filters", 8},
                    {"kernel_size", 3},
                    {"padding", "same"},
                    {"trainable", learns}});
    list.push_back({{"type", "BatchNormalization"}, {"name", "norm" + n}, {"trainable", learns}});
    list.push_back({{"type", "Activation"}, {"name", "act" + n}, {"activation", "relu"}});
  }
  list.push_back({{"type", "Flatten"}, {"name", "flat"}});
  list.push_back({{"type", "Dense"}, {"name", "out"}, {"units", 3}});
  return list;
}

StepGraph build(const Json& list) {
  const Project project(
      Json{{"model", {{"layers", list}}},
           {"training", Json::parse(R"({"loss": "mean_squared_error", "optimizer": "adam"})")}});
  Diagnostics diagnostics;
  const Model model = parseModel(project, diagnostics);
  const TrainingOptions training = parseTraining(project, diagnostics);
  for (const auto& each : diagnostics)
    FAIL(each.line());
  StepOptions options;
  options.batchSize = kBatch;
  options.device = processorTraits();
  StepGraph step = buildStep(model, training, options);
  verify(step.graph);
  return step;
}

int count(const Graph& graph, std::string_view op) {
  int result = 0;
  for (const NodeId id : graph.order())
    result += graph.node(id).op->name == op;
  return result;
}

int countPhase(const Graph& graph, Phase phase) {
  int result = 0;
  for (const NodeId id : graph.order())
    result += graph.node(id).phase == phase && graph.node(id).op->kind != OpKind::Source;
  return result;
}

}  // namespace

TEST_SUITE("frozen layers") {
  TEST_CASE(
      "a frozen first half has no backward pass and no optimizer state, and keeps no activations") {
    const Graph whole = build(layers(6, {})).graph, frozen = build(layers(6, {0, 1, 2})).graph,
                rest = build(layers(3, {})).graph;
    CAPTURE(printGraph(frozen));
    // The backward pass and the updates have as many nodes as those of the trainable half alone.
    // The input of the first trainable layer needs no gradient in either graph.
    CHECK(countPhase(frozen, Phase::Backward) == countPhase(rest, Phase::Backward));
    CHECK(countPhase(frozen, Phase::Update) == countPhase(rest, Phase::Update));
    CHECK(countPhase(frozen, Phase::Backward) < countPhase(whole, Phase::Backward));
    CHECK(count(frozen, "conv2d_backward_data") == 2);
    CHECK(count(frozen, "conv2d_backward_weights") == 3);
    for (const NodeId id : frozen.order()) {
      const Node& node = frozen.node(id);
      if (node.phase == Phase::Forward) continue;
      for (const char* block :
           {"conv0", "norm0", "act0", "conv1", "norm1", "act1", "conv2", "norm2", "act2"})
        CHECK(node.layer != block);
    }
    for (const Variable& variable : frozen.variables()) {
      const bool isFrozen = variable.name.starts_with("conv0") ||
                            variable.name.starts_with("norm1") ||
                            variable.name.starts_with("conv2");
      if (!isFrozen) continue;
      CHECK(variable.name.find(':') == std::string::npos);
      CHECK_FALSE(variable.next.isValid());
      CHECK_FALSE(variable.trainable);
    }
    // The frozen half adds at most two feature maps to the peak: an input and an output.
    const size_t wholeBytes = planMemory(whole, {}).transientBytes,
                 frozenBytes = planMemory(frozen, {}).transientBytes,
                 restBytes = planMemory(rest, {}).transientBytes;
    CHECK(frozenBytes <= restBytes + 2 * kMapBytes);
    CHECK(wholeBytes >= restBytes + 6 * kMapBytes);
  }

  TEST_CASE("frozen normalization uses its moving statistics and does not change them") {
    const Graph frozen = build(layers(2, {0})).graph;
    CHECK(count(frozen, "batch_norm") == 1);
    CHECK(count(frozen, "assign") == 2);
    const Variable* mean = frozen.findVariable("norm0/moving_mean");
    REQUIRE(mean != nullptr);
    CHECK_FALSE(mean->next.isValid());
    CHECK_FALSE(frozen.value(mean->value).uses.empty());
  }

  TEST_CASE(
      "a frozen layer after a trainable one passes the gradient on but computes no weight "
      "gradient") {
    const Graph middle = build(layers(3, {1})).graph;
    CHECK(count(middle, "conv2d_backward_weights") == 2);
    CHECK(count(middle, "conv2d_backward_data") == 2);
    CHECK(count(middle, "batch_norm_backward") == 2);
    for (const NodeId id : middle.order())
      if (middle.node(id).op->name == "conv2d_backward_weights")
        CHECK(middle.node(id).layer != "conv1");
    CHECK(middle.findVariable("conv1/kernel:m") == nullptr);
  }

  TEST_CASE("the first layer computes no gradient for its input") {
    const Graph graph = build(layers(1, {})).graph;
    CHECK(count(graph, "conv2d_backward_data") == 0);
    CHECK(count(graph, "conv2d_backward_weights") == 1);
  }
}
