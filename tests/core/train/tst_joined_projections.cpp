// SPDX-License-Identifier: Apache-2.0
// Tests that cards compute query, key and value of self-attention in one product, whatever else
// reads or changes the weights, and that trainings agree with trainings without the pass.
#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/train/network.h"
#include "gpu/devices/devices.h"
#include "gpu/graph/op.h"
#include "tests/support/skip.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

using Values = std::vector<std::pair<std::string, std::string>>;

constexpr const char* kCard = "simulated:H100";
constexpr const char* kPass = "join_projections";

/// Returns the layers of a network with two attentions; `more` are further fields of the first.
std::string layersWith(const std::string& more) {
  return R"([
  {"type": "Input", "name": "image", "shape": [6, 6, 1]},
  {"type": "Reshape", "name": "steps", "target_shape": [6, 6]},
  {"type": "Dense", "name": "embed", "units": 8},
  {"type": "LayerNormalization", "name": "norm"},
  {"type": "MultiHeadAttention", "name": "first", "num_heads": 2, "key_dim": 8,
   "inputs": ["norm", "norm"])" +
         more + R"(},
  {"type": "Add", "name": "sum", "inputs": ["embed", "first"]},
  {"type": "MultiHeadAttention", "name": "second", "num_heads": 3, "key_dim": 5,
   "use_bias": false, "inputs": ["sum", "sum"]},
  {"type": "Flatten", "name": "flat"},
  {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"}])";
}

Values valuesFor(const std::string& layers, const std::string& precision = "bfloat16") {
  return {{"/model/layers", layers},
          {"/execution/precision", "\"" + precision + "\""},
          {"/execution/kernel_choice", "\"rule\""}};
}

struct CardRun {
  std::vector<double> losses;
  std::string weights;
};

CardRun trained(Values values, const std::string& disabled = "") {
  values.emplace_back("/training/epochs", "3");
  if (!disabled.empty())
    values.emplace_back("/execution/disabled_passes", "[\"" + disabled + "\"]");
  SessionOptions options = optionsFor(smallProjectWith(values));
  options.device = kCard;
  Recorder recorder;
  CHECK(messageOf(trainAll(options, recorder)) == "no error");
  CardRun result;
  for (const StepMetrics& step : recorder.steps)
    result.losses.push_back(step.loss);
  result.weights = recorder.outcome.weightsHash;
  return result;
}

/// Checks that the losses with and without the pass differ only by rounding.
void checkPass(const Values& values) {
  const CardRun joined = trained(values), separate = trained(values, kPass);
  REQUIRE(joined.losses.size() == separate.losses.size());
  REQUIRE(joined.losses.size() > 8);
  for (size_t i = 0; i < joined.losses.size(); ++i)
    CHECK(joined.losses[i] == doctest::Approx(separate.losses[i]).epsilon(0.02));
  // Without join_updates, the same numbers are written by separate ops
  CHECK(joined.weights == trained(values, "join_updates").weights);
}

/// Returns how many attentions have one operand for query, key and value.
int joinedIn(const Graph& graph, std::string_view op = "attention") {
  return static_cast<int>(std::ranges::count_if(graph.order(), [&](NodeId id) {
    const Node& node = graph.node(id);
    return node.op->name == op && node.attributes.get<bool>("joined");
  }));
}

int countOf(const Graph& graph, std::string_view op) {
  return static_cast<int>(std::ranges::count_if(
      graph.order(), [&](NodeId id) { return graph.node(id).op->name == op; }));
}

StepGraph stepOf(const Values& values, int64_t batch = 16) {
  NetworkOptions options;
  options.device = kCard;
  return StepBuilder(smallProjectWith(values), options).stepGraph(StepMode::Train, batch);
}

}  // namespace

TEST_SUITE("joined projections") {
  TEST_CASE("a step has one product for query, key and value, and no copies of gradients") {
    if (!test::canRun(whyNoSimulatedCards())) return;
    const Graph graph = stepOf(valuesFor(layersWith(""))).graph;
    CHECK(joinedIn(graph) == 2);
    CHECK(joinedIn(graph, "attention_backward") == 2);
    CHECK(countOf(graph, "slice") == 0);
    CHECK(countOf(graph, "concatenate") == 0);
    CHECK(countOf(graph, "assign") == 0);
  }

  TEST_CASE("the pass leaves attention to other sequences and other precisions alone") {
    if (!test::canRun(whyNoSimulatedCards())) return;
    std::string layers = layersWith("");
    const std::string own = R"("inputs": ["norm", "norm"])";
    layers.replace(layers.find(own), own.size(), R"("inputs": ["norm", "embed"])");
    CHECK(joinedIn(stepOf(valuesFor(layers)).graph) == 1);
    CHECK(joinedIn(stepOf(valuesFor(layersWith(R"(, "value_dim": 4)"))).graph) == 1);
    CHECK(joinedIn(stepOf(valuesFor(layersWith(""), "float32")).graph) == 0);
  }

  TEST_CASE("losses agree with those of separate products in all forms of attention") {
    if (!test::canRun(whyNoSimulatedCards())) return;
    for (const char* fields : {"", R"(, "dropout": 0.2)", R"(, "causal": true)",
                               R"(, "use_bias": false)", R"(, "kernel_regularizer": "l2")"}) {
      CAPTURE(fields);
      checkPass(valuesFor(layersWith(fields)));
    }
    checkPass(valuesFor(layersWith(""), "float16"));
  }

  TEST_CASE("losses agree whatever reads the gradients and changes the weights") {
    if (!test::canRun(whyNoSimulatedCards())) return;
    const Values changes{
        {"/training/gradient_accumulation_steps", "2"},
        {"/training/optimizer", R"({"type": "sgd", "momentum": 0.9, "clipnorm": 0.1})"},
        {"/training/optimizer", R"({"type": "adam", "global_clipnorm": 0.1})"},
        {"/training/optimizer",
         R"({"type": "adamw", "weight_decay": 0.1, "exclude_from_weight_decay": ["query"]})"},
        {"/training/optimizer", R"({"type": "adam", "use_ema": true})"},
        {"/training/optimizer", R"({"type": "lamb"})"},
        {"/execution/recompute", "\"all\""},
        {"/training/stages",
         R"([{"epochs": 1, "trainable": ["embed", "first", "out"]},
             {"epochs": 1, "trainable": ["second", "out"]}, {"trainable": ["out"]}])"}};
    for (const auto& [pointer, value] : changes) {
      CAPTURE(pointer);
      CAPTURE(value);
      Values values = valuesFor(layersWith(""));
      values.emplace_back(pointer, value);
      checkPass(values);
    }
  }

  TEST_CASE("batches with the fewest samples and steps that only read weights agree, too") {
    if (!test::canRun(whyNoSimulatedCards())) return;
    for (const int64_t batch : {1, 2, 7})
      CHECK(joinedIn(stepOf(valuesFor(layersWith("")), batch).graph) == 2);
  }
}
