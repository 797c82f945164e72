// SPDX-License-Identifier: Apache-2.0
// Tests the passes on networks of projects. A pass that matches only handwritten graphs is
// detected.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "core/train/network.h"
#include "gpu/devices/devices.h"
#include "gpu/graph/op.h"
#include "gpu/passes/standard_passes.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

struct Written {
  std::string name, shape, layers;
  std::string loss = R"("sparse_categorical_crossentropy")";
  std::string recompute = "auto";
};

const std::vector<Written>& networks() {
  static const std::vector<Written> all{
      {"three layers of one input", "[8]",
       R"([{"type": "Input", "name": "x", "shape": [8]},
           {"type": "Dense", "name": "a", "units": 8, "activation": "relu", "inputs": ["x"]},
           {"type": "Dense", "name": "b", "units": 5, "activation": "tanh", "inputs": ["x"]},
           {"type": "Dense", "name": "c", "units": 7, "inputs": ["x"]},
           {"type": "Concatenate", "name": "all", "inputs": ["a", "b", "c"]},
           {"type": "Dense", "name": "d", "units": 4, "activation": "relu", "inputs": ["a"]},
           {"type": "Dense", "name": "e", "units": 4, "activation": "sigmoid", "inputs": ["a"]},
           {"type": "Concatenate", "name": "both", "inputs": ["all", "d", "e"]},
           {"type": "Dense", "name": "out", "units": 3, "activation": "log_softmax"}])",
       R"({"type": "sparse_categorical_crossentropy", "from_logits": true})"},
      {"attention", "[4, 8]",
       R"([{"type": "Input", "name": "x", "shape": [4, 8]},
           {"type": "MultiHeadAttention", "name": "attention", "num_heads": 2, "key_dim": 4, "inputs": ["x", "x"]},
           {"type": "Flatten", "name": "flat"},
           {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"}])"},
      {"grouped attention", "[4, 8]",
       R"([{"type": "Input", "name": "x", "shape": [4, 8]},
           {"type": "GroupQueryAttention", "name": "attention", "num_query_heads": 4, "num_key_value_heads": 2, "head_dim": 4, "inputs": ["x", "x"]},
           {"type": "Flatten", "name": "flat"},
           {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"}])"},
      {"images", "[12, 12, 1]",
       R"([{"type": "Input", "name": "x", "shape": [12, 12, 1]},
           {"type": "Rescaling", "name": "once", "scale": 2.0}, {"type": "Rescaling", "name": "twice", "scale": 0.5, "offset": 1.0},
           {"type": "Conv2D", "name": "c1", "filters": 16, "kernel_size": 3, "padding": "same"},
           {"type": "BatchNormalization", "name": "norm"}, {"type": "Activation", "name": "cut", "activation": "relu"},
           {"type": "Conv2D", "name": "c2", "filters": 16, "kernel_size": 3, "padding": "same"},
           {"type": "MaxPooling2D", "name": "pool", "pool_size": 2}, {"type": "Activation", "name": "behind", "activation": "relu"},
           {"type": "Multiply", "name": "squared", "inputs": ["behind", "behind"]},
           {"type": "Rescaling", "name": "scaled", "scale": 3.0}, {"type": "Activation", "name": "bent", "activation": "silu"},
           {"type": "Flatten", "name": "flat"},
           {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"}])",
       R"("sparse_categorical_crossentropy")", "all"}};
  return all;
}

Project projectOf(const Written& written, const std::set<std::string, std::less<>>& disabled = {}) {
  Json document = smallProject().document();
  document["data"]["source"] = {{"type", "random"},
                                {"samples", 96},
                                {"shape", Json::parse(written.shape)},
                                {"classes", 3},
                                {"seed", 4}};
  document["model"]["layers"] = Json::parse(written.layers);
  document["training"]["loss"] = Json::parse(written.loss);
  document["training"]["epochs"] = 2;
  document["execution"] = {
      {"recompute", written.recompute}, {"kernel_choice", "rule"}, {"disabled_passes", disabled}};
  return Project(std::move(document));
}

NetworkOptions onCpu() {
  NetworkOptions options;
  options.device = "cpu";
  options.threads = 2;
  return options;
}

StepGraph stepOf(const Written& written, const NetworkOptions& options) {
  return StepBuilder(projectOf(written), options).stepGraph(StepMode::Train, 16);
}

/// Returns the names of the passes that changed something.
std::set<std::string, std::less<>> firedIn(const StepGraph& step) {
  std::set<std::string, std::less<>> fired;
  for (const PassReport& report : step.reports) {
    CHECK(report.failure == "");
    if (report.rewrites > 0) fired.insert(report.pass);
  }
  return fired;
}

/// Returns options that choose another variant for the first kernel that has one.
NetworkOptions withAnotherVariant(const Written& written) {
  NetworkOptions options = onCpu();
  const auto device = openDevice("cpu", {2, 0});
  const Graph graph = stepOf(written, options).graph;
  for (const NodeId id : graph.order()) {
    if (graph.node(id).op->kind == OpKind::Source || graph.node(id).op->kind == OpKind::View)
      continue;
    if (const std::vector<OtherVariant> ways = device->otherVariants(graph, id); !ways.empty()) {
      options.variants = KernelVariants{{kernelKey(graph, id), ways.front().name}};
      break;
    }
  }
  return options;
}

struct Trained {
  std::vector<double> losses;
  std::string weights;
};

Trained trained(const Written& written, const std::set<std::string, std::less<>>& disabled) {
  SessionOptions options = optionsFor(projectOf(written, disabled));
  options.device = "cpu";
  Recorder recorder;
  const RunOutcome outcome = trainAll(options, recorder);
  CHECK(messageOf(outcome) == "no error");
  Trained result{{}, outcome.weightsHash};
  for (const StepMetrics& step : recorder.steps)
    result.losses.push_back(step.loss);
  return result;
}

}  // namespace

/// Returns whether a pass needs a card (tst_fused_losses.cpp, tst_card_steps.cpp,
/// tst_card_layouts.cpp, tst_joined_projections.cpp, tests/gpu/passes/tst_fuse_lookups.cpp).
static bool needsCard(std::string_view pass) {
  static const std::set<std::string_view> all{
      "fuse_loss",        "fuse_norm_gradients", "store_filters", "widen_gradients",
      "keep_low_weights", "fuse_into_products",  "join_updates",  "choose_layouts",
      "join_projections", "fuse_lookups",        "start_sums",    "join_gradient_norm"};
  return all.contains(pass);
}

TEST_SUITE("passes of projects") {
  TEST_CASE("every pass rewrites a network of a project, which trains equally without the pass") {
    std::map<std::string, std::string, std::less<>> firedWhere;
    for (const Written& written : networks()) {
      CAPTURE(written.name);
      const Trained all = trained(written, {});
      REQUIRE(all.losses.size() > 5);
      for (const std::string& pass : firedIn(stepOf(written, withAnotherVariant(written)))) {
        if (!firedWhere[pass].empty()) firedWhere[pass] += ", ";
        firedWhere[pass] += written.name;
        CAPTURE(pass);
        const Trained without = trained(written, {pass});
        REQUIRE(without.losses.size() == all.losses.size());
        double worst = 0;
        for (size_t i = 0; i < all.losses.size(); ++i)
          worst = std::max(worst, std::abs(all.losses[i] - without.losses[i]));
        CHECK(worst < 1e-4);
      }
    }
    for (const std::string& pass : passNames()) {
      if (needsCard(pass) || pass == "mixed_precision") continue;
      CAPTURE(pass);
      CHECK(!firedWhere[pass].empty());
      MESSAGE(pass << ": " << firedWhere[pass]);
    }
  }

  TEST_CASE("products of one input are computed together in every project, with the same bits") {
    const auto siblings = [](const Written& written) {
      std::vector<size_t> results;
      const StepGraph step = stepOf(written, onCpu());
      for (const NodeId id : step.graph.order())
        if (step.graph.node(id).op->name == "matmul_siblings")
          results.push_back(step.graph.node(id).outputs.size());
      return results;
    };
    using Sizes = std::vector<size_t>;
    CHECK(siblings(networks()[0]) == Sizes{3, 2});
    CHECK(siblings(networks()[1]) == Sizes{3});
    CHECK(siblings(networks()[2]) == Sizes{3});
    CHECK(siblings(networks()[3]) == Sizes{});
    // The bytes of each product belong to its own layer.
    const Graph graph = stepOf(networks()[0], onCpu()).graph;
    const MemoryPlan plan = planMemory(graph, {}, true);
    std::vector<std::string> layers;
    for (const NodeId id : graph.order())
      if (graph.node(id).op->name == "matmul_siblings")
        for (const ValueId y : graph.node(id).outputs)
          layers.push_back(
              plan.storages[static_cast<size_t>(plan.storageOf[static_cast<size_t>(y.index)])]
                  .layer);
    CHECK(layers == std::vector<std::string>{"a", "b", "c", "d", "e"});
    for (const Written& written : networks()) {
      CAPTURE(written.name);
      const Trained joined = trained(written, {}), apart = trained(written, {"fuse_siblings"});
      CHECK(joined.losses == apart.losses);
      CHECK(joined.weights == apart.weights);
    }
  }
}
