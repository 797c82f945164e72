// SPDX-License-Identifier: Apache-2.0
// The norm of the gradients: it has the right value, and a step with it is otherwise the same.
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "core/compile/compile.h"
#include "core/cost/open_device.h"
#include "core/project/project.h"
#include "gpu/devices/devices.h"
#include "gpu/exec/program.h"
#include "gpu/graph/op.h"
#include "gpu/graph/verify.h"
#include "tests/support/paths.h"
#include "tests/support/replica_runs.h"
#include "tests/support/skip.h"

using namespace strata;

namespace {

StepGraph build(const CheckedProject& project, const DeviceTraits& traits, bool hasNorm,
                const std::set<std::string, std::less<>>& disabled = {}) {
  StepOptions options;
  options.batchSize = 8;
  options.device = traits;
  options.disabledPasses = disabled;
  options.measuresGradients = hasNorm;
  StepGraph step = buildStep(project.model(), project.recipe(), options);
  verify(step.graph);
  return step;
}

/// Returns the names of all ops but those of the norm, in their order.
std::vector<std::string> opsOf(const Graph& graph) {
  std::vector<std::string> ops;
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (node.op->role == OpRole::GradientNorm || node.op->kind == OpKind::Source) continue;
    ops.push_back(node.op->name + " " + node.layer);
  }
  return ops;
}

const Node* findRole(const Graph& graph, OpRole role) {
  for (const NodeId id : graph.order())
    if (graph.node(id).op->role == role) return &graph.node(id);
  return nullptr;
}

const Node* normOf(const Graph& graph) { return findRole(graph, OpRole::GradientNorm); }

float normOf(const StepMetrics& step) {
  return step.measures[static_cast<size_t>(Measure::GradientNorm)];
}

/// Checks that trainings with and without the pass have equal weights and norms, and that every
/// step with it has a norm.
void checkJoined(const std::string& device, const Values& values) {
  CAPTURE(device);
  Values apart = values;
  apart.emplace_back("/execution/disabled_passes", R"(["join_gradient_norm"])");
  const Trained with = trainOn(device, values), again = trainOn(device, values),
                without = trainOn(device, apart);
  CHECK(with.error == "");
  CHECK(without.error == "");
  CHECK(with.weights == without.weights);
  REQUIRE(with.steps.size() == without.steps.size());
  REQUIRE(again.steps.size() == with.steps.size());
  int known = 0;
  for (size_t i = 0; i < with.steps.size(); ++i) {
    CAPTURE(i);
    const float norm = normOf(with.steps[i]), other = normOf(without.steps[i]);
    CHECK(norm > 0);
    CHECK(norm == normOf(again.steps[i]));
    if (std::isnan(other)) continue;
    ++known;
    CHECK(norm == doctest::Approx(other).epsilon(1e-5));
  }
  CHECK(known > 0);
}

Project smallProject(const Json& optimizer) {
  return Project(
      Json{{"data",
            {{"source", {{"type", "random"}, {"samples", 64}, {"shape", {20}}, {"classes", 4}}}}},
           {"model", {{"layers", Json::parse(R"([{"type": "Input", "name": "x", "shape": [20]},
                              {"type": "Dense", "name": "h", "units": 30, "activation": "relu"},
                              {"type": "Dense", "name": "out", "units": 4,
                               "activation": "softmax"}])")}}},
           {"training",
            {{"loss", "sparse_categorical_crossentropy"},
             {"optimizer", optimizer},
             {"batch_size", 8}}}});
}

}  // namespace

TEST_SUITE("gradient norm") {
  TEST_CASE("a step with the norm has the same other ops") {
    int projects = 0, pairs = 0;
    for (const auto& file : std::filesystem::directory_iterator(sourceDir() / "projects")) {
      if (file.path().extension() != ".json") continue;
      const auto loaded = loadProject(file.path().string());
      if (!loaded) continue;
      const CheckedProject project(*loaded);
      if (hasErrors(project.problemsOfModel()) || hasErrors(project.problemsOfTraining())) continue;
      CAPTURE(file.path().filename().string());
      for (const DeviceTraits& traits : {processorTraits(), DeviceTraits()}) {
        const StepGraph with = build(project, traits, true),
                        without = build(project, traits, false);
        CHECK(opsOf(with.graph) == opsOf(without.graph));
        const Node* norm = normOf(with.graph);
        REQUIRE(norm);
        CHECK(!normOf(without.graph));
        pairs += norm->attributes.get<int64_t>("pairs") > 0 ? 1 : 0;
      }
      ++projects;
    }
    CHECK(projects >= 5);
    // Some gradients are never stored
    CHECK(pairs >= 1);
  }

  TEST_CASE("the norm is that of the gradients before clipping, in each form of the step") {
    for (const Json& optimizer :
         {Json{{"type", "sgd"}, {"learning_rate", 0.5}}, Json{{"type", "adam"}},
          Json{{"type", "sgd"}, {"learning_rate", 0.5}, {"global_clipnorm", 0.01}}})
      for (const std::string& disabled :
           {std::string("fuse_lookups"), std::string("fuse_update")}) {
        CAPTURE(optimizer.dump());
        CAPTURE(disabled);
        const CheckedProject project(smallProject(optimizer));
        REQUIRE(!hasErrors(project.problemsOfModel()));
        const auto device = openDevice("cpu", {.threads = 2});
        // One step whose gradients are outputs is the reference
        StepGraph plain = build(project, device->traits(), false, {disabled});
        StepGraph step = build(project, device->traits(), true, {disabled});
        StepOptions options;
        options.batchSize = 8;
        options.stopAfter = Stage::Differentiated;
        StepGraph reference = buildStep(project.model(), project.recipe(), options);
        std::vector<ValueId> gradients;
        for (const NodeId id : reference.graph.order())
          if (const Node& node = reference.graph.node(id); node.op->role == OpRole::AllFinite)
            gradients = node.inputs;
        gradients.pop_back();
        for (size_t i = 0; i < gradients.size(); ++i)
          reference.graph.addOutput("gradient" + std::to_string(i), gradients[i]);
        const auto run = [&](StepGraph& graph, const auto& use) {
          State state(*device);
          initializeState(state, graph, 3);
          const auto program = Program::build(std::move(graph.graph), *device, state);
          program->bind();
          Tensor x(DType::F32, {8, 20}), target(DType::I32, {8});
          for (size_t i = 0; i < 160; ++i)
            x.as<float>()[i] = std::sin(static_cast<float>(i));
          for (size_t i = 0; i < 8; ++i)
            target.as<int32_t>()[i] = static_cast<int32_t>(i % 4);
          program->writeInput("x", x);
          program->writeInput("target", target);
          program->setScalar("learning_rate", 0.5F);
          program->setScalar("step", int64_t{1});
          REQUIRE(program->run() == StepOutcome::Done);
          use(*program, state);
        };
        double sum = 0;
        const size_t count = gradients.size();
        run(reference, [&](Program& program, State&) {
          for (size_t i = 0; i < count; ++i) {
            const Tensor gradient = program.readOutput("gradient" + std::to_string(i));
            for (const float value : gradient.as<float>())
              sum += static_cast<double>(value) * static_cast<double>(value);
          }
          CHECK(sum > 0);
        });
        Tensor before;
        run(plain, [&](Program&, State& state) { before = state.read("h/kernel"); });
        run(step, [&](Program& program, State& state) {
          const float norm = program.readOutput(kGradientNorm).as<float>()[0];
          CHECK(static_cast<double>(norm) == doctest::Approx(std::sqrt(sum)).epsilon(1e-5));
          // Watching never changes the result
          CHECK(state.read("h/kernel").isBitEqual(before));
        });
      }
  }

  TEST_CASE("on cards, the check of the gradients computes their norm in each project") {
    if (!test::canRun(whyNoSimulatedCards())) return;
    const DeviceTraits traits = openNamedDevice("simulated:H100 SXM", {})->traits();
    for (const auto& file : std::filesystem::directory_iterator(sourceDir() / "projects")) {
      if (file.path().extension() != ".json") continue;
      const auto loaded = loadProject(file.path().string());
      if (!loaded) continue;
      const CheckedProject project(*loaded);
      if (hasErrors(project.problemsOfModel()) || hasErrors(project.problemsOfTraining())) continue;
      CAPTURE(file.path().filename().string());
      const Graph joined = build(project, traits, true).graph,
                  apart = build(project, traits, true, {"join_gradient_norm"}).graph;
      CHECK(findRole(joined, OpRole::AllFiniteAndNorm));
      CHECK(!findRole(joined, OpRole::AllFinite));
      CHECK(!normOf(joined));
      CHECK(joined.order().size() + 1 == apart.order().size());
    }
  }

  TEST_CASE("on cards, the joined check changes no weight, and the norm keeps its value") {
    if (!test::canRun(whyNoSimulatedCards())) return;
    for (const char* precision : {"\"float32\"", "\"bfloat16\"", "\"float16\""}) {
      CAPTURE(std::string(precision));
      const Values values = with({{"/execution/precision", precision}});
      checkJoined("simulated:H100 SXM", values);
      checkJoined("simulated:H100 SXM*2", values);
    }
    checkJoined("simulated:H100 SXM",
                with({{"/training/optimizer", R"({"type": "adam", "global_clipnorm": 0.1})"}}));
  }

  TEST_CASE("on cards, the norm of float32 gradients is that of the processor") {
    if (!test::canRun(whyNoSimulatedCards())) return;
    const Trained card = trainOn("simulated:H100 SXM", with({})), cpu = trainOn("cpu", with({}));
    REQUIRE(!card.steps.empty());
    CHECK(normOf(card.steps[0]) == doctest::Approx(normOf(cpu.steps[0])).epsilon(1e-4));
  }
}
