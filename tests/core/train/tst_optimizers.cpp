// SPDX-License-Identifier: Apache-2.0
// Tests optimizers: resumed runs, weight decay with exclusions, moving averages and class weights.
// `strata verify` compares the values with Keras.
#include <cmath>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/interchange/safetensors.h"
#include "core/recipe/optimizers.h"
#include "core/train/checkpoint.h"
#include "core/train/evaluator.h"
#include "core/train/session.h"
#include "gpu/graph/op.h"
#include "tests/support/paths.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

Project projectWith(const Json& optimizer) {
  Project project = smallProject();
  project.document()["training"]["optimizer"] = optimizer;
  project.document()["training"]["epochs"] = 2;
  return project;
}

std::string problemsOf(const Json& training) {
  Diagnostics diagnostics;
  Project project = smallProject();
  for (const auto& [key, value] : training.items())
    project.document()["training"][key] = value;
  parseTraining(project, diagnostics);
  std::string text;
  for (const Diagnostic& each : diagnostics)
    text += each.line() + "\n";
  return text;
}

}  // namespace

TEST_SUITE("optimizers") {
  TEST_CASE("a learning rate of 0 in a schedule changes no weight and causes no division by 0") {
    TemporaryFolder folder;
    for (const OptimizerDef* definition : allOptimizers()) {
      const std::string& type = definition->schema.type;
      CAPTURE(type);
      Recorder recorder, none;
      const auto outcomeOf = [&](const Json& rate, Recorder& to, const char* name) {
        Project project = projectWith({{"type", type}, {"learning_rate", rate}});
        // Batch normalization is removed, because its moving statistics change even if the weights
        // do not.
        project.document()["model"]["layers"].erase(2);
        return trainAll(optionsFor(project, folder / (type + name)), to);
      };
      const RunOutcome still = outcomeOf(0.0, none, "-still");
      REQUIRE_MESSAGE(still.outcome == Outcome::Finished, messageOf(still));
      const Json falling{{"type", "PolynomialDecay"},
                         {"initial_learning_rate", 0.01},
                         {"decay_steps", 6},
                         {"end_learning_rate", 0.0}};
      const RunOutcome outcome = outcomeOf(falling, recorder, "-falling");
      REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
      CHECK(recorder.steps.back().learningRate == 0);
      CHECK(std::isfinite(recorder.steps.back().loss));
      CHECK(outcome.weightsHash != still.weightsHash);
    }
  }

  TEST_CASE("with each optimizer, a stopped and resumed run equals an uninterrupted run") {
    TemporaryFolder folder;
    for (const OptimizerDef* definition : allOptimizers()) {
      const std::string& type = definition->schema.type;
      CAPTURE(type);
      const Project project = projectWith({{"type", type},
                                           {"weight_decay", 0.01},
                                           {"use_ema", true},
                                           {"ema_overwrite_frequency", 5}});
      Recorder whole;
      const RunOutcome expected = trainAll(optionsFor(project, folder / (type + "-whole")), whole);
      REQUIRE_MESSAGE(expected.outcome == Outcome::Finished, messageOf(expected));
      CHECK(whole.steps.size() == 16);
      const auto run = folder / type;
      Recorder first, recorder;
      REQUIRE(trainUntil(7, optionsFor(project, run), first).outcome == Outcome::Stopped);
      const RunOutcome outcome = trainAll(resumeOptions(project, run), recorder);
      REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
      CHECK(outcome.weightsHash == expected.weightsHash);
    }
  }

  TEST_CASE(
      "a finished run is tested and saved with the moving average, but its checkpoint has the "
      "weights") {
    TemporaryFolder folder;
    Recorder plain, averaged;
    REQUIRE(trainAll(optionsFor(projectWith({{"type", "sgd"}}), folder / "plain"), plain).outcome ==
            Outcome::Finished);
    REQUIRE(trainAll(
                optionsFor(projectWith({{"type", "sgd"}, {"use_ema", true}, {"ema_momentum", 0.5}}),
                           folder / "ema"),
                averaged)
                .outcome == Outcome::Finished);
    std::vector<std::string> warnings;
    const auto checkpoint = loadCheckpoint((folder / "ema").string(), warnings),
               without = loadCheckpoint((folder / "plain").string(), warnings);
    REQUIRE((checkpoint && without));
    const TensorFile saved = readSafetensors((folder / "ema/weights.safetensors").string());
    const auto bytesOf = [](const Tensor& tensor) {
      return std::string(reinterpret_cast<const char*>(tensor.data()), tensor.bytes());
    };
    const Tensor& weights = checkpoint->tensors.at("out/kernel");
    CHECK(bytesOf(saved.tensors.at("out/kernel")) ==
          bytesOf(checkpoint->tensors.at(averageName("out/kernel"))));
    CHECK(bytesOf(saved.tensors.at("out/kernel")) != bytesOf(weights));
    // Averaging does not change the trained weights.
    CHECK(bytesOf(without->tensors.at("out/kernel")) == bytesOf(weights));
  }

  TEST_CASE("validation, callbacks and saved weights use the same moving average of the weights") {
    TemporaryFolder folder;
    const Json optimizer{
        {"type", "adam"}, {"learning_rate", 0.1}, {"use_ema", true}, {"ema_momentum", 0.9}};
    Project project = projectWith(optimizer);
    Json& training = project.document()["training"];
    training["epochs"] = 4;
    training["callbacks"] = Json::parse(
        R"([{"type": "ModelCheckpoint"}, {"type": "EarlyStopping", "patience": 9, "restore_best_weights": true}])");
    const auto lossOf = [&](const std::string& weights) {
      Evaluator evaluator(project, weights, "reference", 1);
      return evaluator.evaluate("validation").loss;
    };
    const auto near = [](double value) {
      return doctest::Approx(value).epsilon(1e-6);
    };
    const auto leastOf = [](const Recorder& recorder) {
      double least = 1e9;
      for (const EpochMetrics& epoch : recorder.epochs)
        least = std::min(least, epoch.validationLoss);
      return least;
    };
    for (const bool overwrites : {false, true}) {
      CAPTURE(overwrites);
      const auto run = folder / (overwrites ? "overwriting" : "averaging");
      if (overwrites) training["optimizer"]["ema_overwrite_frequency"] = 3;
      Recorder recorder;
      const RunOutcome outcome = trainAll(optionsFor(project, run), recorder);
      REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
      CHECK(recorder.start.usesAverages);
      // The best weights by validation are those of best.safetensors and the restored ones
      CHECK(lossOf((run / "best.safetensors").string()) == near(leastOf(recorder)));
      CHECK(lossOf(run.string()) == near(leastOf(recorder)));
      CHECK(recorder.epochs.at(static_cast<size_t>(outcome.restoredEpoch) - 1).validationLoss ==
            leastOf(recorder));
    }
    // Without a callback, the last validation is that of the saved weights
    training.erase("callbacks");
    Recorder last, stopped;
    const RunOutcome finished = trainAll(optionsFor(project, folder / "last"), last);
    CHECK(lossOf((folder / "last").string()) == near(last.epochs.back().validationLoss));
    // A run that is stopped after an epoch saves what it validated, and continues unchanged
    const auto run = folder / "stopped";
    const auto steps = static_cast<int64_t>(last.steps.size()) / 2;
    REQUIRE(trainUntil(steps, optionsFor(project, run), stopped).outcome == Outcome::Stopped);
    if (!stopped.epochs.empty() && stopped.epochs.back().step == steps)
      CHECK(lossOf(run.string()) == near(stopped.epochs.back().validationLoss));
    Recorder rest;
    CHECK(trainAll(resumeOptions(project, run), rest).weightsHash == finished.weightsHash);
  }

  TEST_CASE("state of an optimizer is not mistaken for the moving average of the weights") {
    for (const OptimizerDef* definition : allOptimizers()) {
      CAPTURE(definition->schema.type);
      Json fields = Json::object();
      for (const FieldSchema& field : definition->schema.fields) {
        fields[field.name] =
            Json::parse(field.defaultJson.empty() ? field.exampleJson : field.defaultJson);
        if (field.type == FieldType::Boolean) fields[field.name] = true;
        if (field.name == "momentum") fields[field.name] = 0.5;
      }
      for (const OptimizerState& state : definition->state(fields, "w", {3, 4}))
        CHECK("w:" + state.suffix != averageName("w"));
    }
  }

  TEST_CASE("weight decay ignores variables that are excluded by a part of their name") {
    Graph graph;
    std::vector<VariableRequest> state;
    std::vector<ParameterGradient> parameters;
    for (const char* name : {"a/kernel", "a/bias"})
      parameters.push_back({name, "a",
                            graph.addVariable(name, {DType::F32, {3}}, Category::Parameter, true),
                            graph.addInput(std::string("gradient/") + name, {DType::F32, {3}})});
    Json fields = {
        {"type", "adamw"}, {"weight_decay", 0.25}, {"exclude_from_weight_decay", {"bias"}}};
    Diagnostics diagnostics;
    const Schema& schema = findOptimizer("adamw")->schema;
    const Json checked = checkFields(schema, fields, "/o", "", diagnostics, {"type"});
    CHECK(diagnostics.empty());
    appendUpdates(graph, {"adamw", std::make_shared<const Json>(checked)}, parameters, state);
    std::map<std::string, double> decays;
    for (const NodeId id : graph.order())
      if (const Node& node = graph.node(id); node.op->name == "adam_update")
        decays[graph.value(node.inputs[0]).producer == graph.value(parameters[0].variable).producer
                   ? "kernel"
                   : "bias"] = node.attributes.get<double>("weight_decay");
    CHECK(decays == std::map<std::string, double>{{"kernel", 0.25}, {"bias", 0}});
  }

  TEST_CASE("squared gradients of an embedding table are summed over all uses of a row") {
    TemporaryFolder folder;
    Project project = projectWith({{"type", "adam"}});
    project.document()["data"] =
        Json{{"source",
              {{"type", "values"}, {"x", Json{Json{1, 1, 2}}}, {"y", Json{Json{0.5, 0.5, 0.5}}}}},
             {"validation_split", 0}};
    project.document()["model"]["layers"] = Json{{{"type", "Input"}, {"name", "x"}, {"shape", {3}}},
                                                 {{"type", "Embedding"},
                                                  {"name", "table"},
                                                  {"input_dim", 3},
                                                  {"output_dim", 1},
                                                  {"embeddings_initializer", "ones"}},
                                                 {{"type", "Flatten"}, {"name", "flat"}}};
    project.document()["training"].update(Json{{"loss", "mean_squared_error"},
                                               {"metrics", Json::array()},
                                               {"batch_size", 1},
                                               {"epochs", 1}});
    Recorder recorder;
    REQUIRE(trainAll(optionsFor(project, folder / "run"), recorder).outcome == Outcome::Finished);
    std::vector<std::string> warnings;
    const auto checkpoint = loadCheckpoint((folder / "run").string(), warnings);
    REQUIRE(checkpoint);
    // The gradient of the loss is 1/3 at each position.
    const auto v = checkpoint->tensors.at("table/embeddings:v").as<float>();
    CHECK(v[0] == 0);
    CHECK(v[1] == doctest::Approx(0.001 * 2 / 9));
    CHECK(v[2] == doctest::Approx(0.001 / 9));
  }

  TEST_CASE("wrong fields of losses, optimizers and metrics are reported") {
    const auto has = [](const char* training, const char* part) {
      const std::string problems = problemsOf(Json::parse(training));
      INFO(problems);
      CHECK(problems.find(part) != std::string::npos);
    };
    has(R"({"optimizer": {"type": "lion", "beta_1": 1}})",
        "beta_1 is out of range (expected less than 1, got 1)");
    has(R"({"optimizer": {"type": "adam", "exclude_from_weight_decay": "bias"}})",
        "exclude_from_weight_decay has the wrong type (expected a list of strings");
    has(R"({"optimizer": {"type": "ftrl", "learning_rate_power": 0.5}})",
        "learning_rate_power is out of range (expected at most 0, got 0.5)");
    has(R"({"loss": {"type": "tversky", "alpha": -1}})",
        "alpha is out of range (expected at least 0, got -1)");
    has(R"({"loss": {"type": "hinge", "reduction": "total"}})", "reduction has an unknown value");
    has(R"({"metrics": [{"type": "f1_score", "average": "mean"}]})",
        "average has an unknown value");
    has(R"({"metrics": [{"type": "auc", "num_thresholds": 1}]})",
        "num_thresholds is out of range (expected at least 2, got 1)");
    has(R"({"metrics": ["precision", {"type": "precision", "class_id": 1}]})",
        "the metric precision is listed twice");
    CHECK(
        problemsOf(Json::parse(
            R"({"metrics": ["precision", {"type": "precision", "name": "first", "class_id": 1}]})")) ==
        "");
  }
}
