// SPDX-License-Identifier: Apache-2.0
// Tests that non-finite values are never saved, even if the loss is finite.
#include <cfloat>
#include <utility>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/interchange/safetensors.h"
#include "core/train/checkpoint.h"
#include "core/train/evaluator.h"
#include "core/train/feeder.h"
#include "core/train/kept_weights.h"
#include "core/train/non_finite.h"
#include "core/train/session.h"
#include "tests/support/has.h"
#include "tests/support/paths.h"
#include "tests/support/small_run.h"

using namespace strata;

TEST_SUITE("non_finite") {
  TEST_CASE(
      "an update that overflows after a finite loss ends the run without writing a checkpoint or "
      "weights") {
    TemporaryFolder folder;
    Project project = smallProject();
    project.document()["model"]["layers"] = Json::parse(
        R"([{"type": "Input", "name": "image", "shape": [6, 6, 1]}, {"type": "Rescaling", "name": "large", "scale": 1e18}, {"type": "Flatten", "name": "flat"},
            {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"}])");
    project.document()["training"]["optimizer"] =
        Json::parse(R"({"type": "sgd", "learning_rate": 1e25})");
    // The batch contains all samples, so an epoch has one step.
    project.document()["training"]["batch_size"] = 117;
    Recorder recorder;
    const RunOutcome outcome = trainAll(optionsFor(project, folder / "run"), recorder);
    REQUIRE(recorder.steps.size() == 1);
    REQUIRE(std::isfinite(recorder.steps[0].loss));
    REQUIRE(outcome.outcome == Outcome::Failed);
    CHECK(outcome.error->code() == ErrorCode::NonFinite);
    CHECK(outcome.error->subject() == "out");
    CHECK(std::string(outcome.error->what()).find("step 1") != std::string::npos);
    CHECK(recorder.checkpoints.empty());
    CHECK_FALSE(std::filesystem::exists(folder / "run/weights.safetensors"));
    std::vector<std::string> warnings;
    CHECK_FALSE(loadCheckpoint((folder / "run").string(), warnings).has_value());

    SessionOptions unsaved = optionsFor(project);
    Recorder other;
    CHECK(trainAll(unsaved, other).outcome == Outcome::Failed);
  }

  TEST_CASE(
      "non-finite weights with a finite loss are found by checking the weights, and the range of "
      "steps is reported") {
    TemporaryFolder folder;
    Project project = smallProject();
    // The network has one weight. If it is infinite, the sigmoid is 0 or 1, so the loss is finite
    // and the gradient is 0.
    project.document()["data"] = Json::parse(
        R"({"source": {"type": "random", "samples": 400, "shape": [1], "classes": 2, "seed": 4}})");
    project.document()["model"]["layers"] = Json::parse(
        R"([{"type": "Input", "name": "x", "shape": [1]}, {"type": "Rescaling", "name": "large", "scale": 1e18},
            {"type": "Dense", "name": "out", "units": 1, "activation": "sigmoid", "kernel_initializer": "zeros"}])");
    Json& training = project.document()["training"];
    training = Json::parse(
        R"({"loss": "mean_squared_error", "optimizer": {"type": "sgd", "learning_rate": 1e25}, "batch_size": 2, "epochs": 5})");
    const auto expectFailure = [&](const char* name, size_t steps, const char* words) {
      Recorder recorder;
      SessionOptions options = optionsFor(project, folder / name);
      options.device = "cpu";
      const RunOutcome outcome = trainAll(options, recorder);
      REQUIRE(outcome.outcome == Outcome::Failed);
      CHECK(outcome.error->code() == ErrorCode::NonFinite);
      CHECK(outcome.error->subject() == "out");
      CHECK(has(outcome.error->what(), words));
      CHECK(recorder.steps.size() == steps);
      for (const StepMetrics& step : recorder.steps)
        CHECK(std::isfinite(step.loss));
      CHECK(recorder.checkpoints.empty());
      CHECK_FALSE(std::filesystem::exists(folder / name / "weights.safetensors"));
    };
    expectFailure("at once", 1, "the update of step 1 overflowed");
    training["optimizer"]["learning_rate"] = 0.0;
    training["changes"] = Json::parse(R"([{"step": 40, "name": "learning_rate", "value": 1e25}])");
    expectFailure("later", 64, "an update between step 33 and 64 overflowed");
    training["changes"][0]["step"] = 130;
    expectFailure("much later", 192, "an update between step 129 and 192 overflowed");
  }

  TEST_CASE(
      "the state is checked after 1, 2, 4, ... and then every 64 updates, counted from the start "
      "of the run") {
    FiniteWatch watch;
    watch.begin(1000);
    std::vector<int64_t> due;
    for (int64_t step = 1000; step <= 1256; ++step)
      if (watch.isDue(step)) due.push_back(step - 1000);
    CHECK(due == std::vector<int64_t>{1, 2, 4, 8, 16, 32, 64, 128, 192, 256});
  }

  TEST_CASE(
      "the layer with the problem is named, also in Blocks and if only its gradient was not "
      "finite") {
    const auto failed = [](const char* layers) {
      Project project = smallProject();
      Json list = Json::parse(
          R"([{"type": "Input", "name": "image", "shape": [6, 6, 1]}, {"type": "Flatten", "name": "flat"}])");
      for (const Json& layer : Json::parse(layers))
        list.push_back(layer);
      list.push_back(
          Json::parse(R"({"type": "Dense", "name": "out", "units": 3, "activation": "softmax"})"));
      project.document()["model"]["layers"] = std::move(list);
      project.document()["training"]["optimizer"] = "sgd";
      project.document()["training"]["epochs"] = 40;
      Recorder recorder;
      const RunOutcome outcome = trainAll(optionsFor(project), recorder);
      REQUIRE(outcome.outcome == Outcome::Failed);
      return *outcome.error;
    };
    const Error inBlock = failed(R"json([{"type": "Block", "name": "body", "repeat": 2, "layers": [
        {"type": "Dense", "name": "fc", "units": 4},
        {"type": "Block", "name": "inner", "layers": [{"type": "Expression", "name": "logx", "formula": "log(x - 100)"}]},
        {"type": "Dense", "name": "fc2", "units": 4}]}])json");
    CHECK(inBlock.subject() == "body/0/inner/0/logx");
    CHECK(has(inBlock.what(), "the output of this layer is the first that is not finite"));
    const Error inGradient =
        failed(R"json([{"type": "Dense", "name": "first", "units": 5, "activation": "relu"},
        {"type": "Expression", "name": "root", "formula": "sqrt(relu(x))"}])json");
    CHECK(inGradient.subject() == "first");
    CHECK(has(inGradient.what(),
              "The gradient became non-finite in the backward pass through root, out."));
  }

  TEST_CASE(
      "a gradient that overflows under a finite loss ends the run, and no variable of the step has "
      "changed") {
    const std::vector<std::pair<const char*, std::vector<std::pair<std::string, std::string>>>>
        settings{
            {"plain", {}},
            {"accumulation", {{"/training/gradient_accumulation_steps", "3"}}},
            {"recomputation", {{"/execution", R"({"recompute": "all"})"}}},
        };
    for (const char* optimizer :
         {R"({"type": "sgd", "learning_rate": 0.01})",
          R"({"type": "sgd", "learning_rate": 0.01, "momentum": 0.9, "clipvalue": 1})",
          R"({"type": "adam", "learning_rate": 0.01})",
          R"({"type": "adam", "learning_rate": 0.01, "clipnorm": 1})",
          R"({"type": "rmsprop", "learning_rate": 0.01, "global_clipnorm": 1})"})
      for (const auto& [name, values] : settings)
        for (const char* device : {"cpu", "reference"}) {
          CAPTURE(optimizer);
          CAPTURE(name);
          CAPTURE(device);
          Project project = smallProjectWith(values);
          Json& document = project.document();
          // All weights of the last layer are zero, so its outputs are. The sum over the batch of
          // products of its inputs with the gradient of its outputs overflows.
          document["model"]["layers"] = Json::parse(R"json([
              {"type": "Input", "name": "image", "shape": [6, 6, 1]},
              {"type": "BatchNormalization", "name": "norm"},
              {"type": "Flatten", "name": "flat"},
              {"type": "Expression", "name": "large", "formula": "1e38 * (1 + sigmoid(x))"},
              {"type": "Dense", "name": "out", "units": 3, "activation": "softmax",
               "kernel_initializer": "zeros"}])json");
          document["training"]["loss"] =
              Json::parse(R"({"type": "sparse_categorical_crossentropy", "reduction": "sum"})");
          document["training"]["optimizer"] = Json::parse(optimizer);
          const auto dataset = loadDataset(project);
          NetworkOptions options;
          options.device = device;
          Network network(CheckedProject(project), options);
          network.prepare({16}, {}, dataset.get());
          network.state().initialize(5);
          std::map<std::string, Tensor> before = network.state().all();
          Feeder batches(network, *dataset, true);
          Program::Outcome outcome = Program::Outcome::Done;
          for (const MicroBatch& piece : batches.microBatchesOf(0)) {
            Program& program = batches.place(5, 1, 0, piece);
            setStep(program, 1, 0.01, 5, piece.offset, static_cast<double>(piece.samples) / 16);
            outcome = program.run();
            CHECK(std::isfinite(program.readOutput("loss").as<float>()[0]));
            if (outcome != Program::Outcome::Done) break;
          }
          CHECK(outcome == Program::Outcome::NonFinite);
          for (const auto& [variable, value] : network.state().all())
            if (!variable.ends_with(":sum")) CHECK(value.isBitEqual(before.at(variable)));
          Recorder recorder;
          SessionOptions session = optionsFor(project);
          session.device = device;
          const RunOutcome run = trainAll(session, recorder);
          REQUIRE(run.outcome == Outcome::Failed);
          CHECK(run.error->code() == ErrorCode::NonFinite);
          CHECK(run.error->subject() == "out");
          CHECK(has(run.error->what(), "a gradient of step 1 is not finite"));
        }
  }

  TEST_CASE("non-finite initial weights are refused") {
    const TemporaryFolder folder;
    Project project = smallProject();
    Recorder recorder;
    REQUIRE(trainAll(optionsFor(project, folder / "run"), recorder).outcome == Outcome::Finished);
    std::string file;
    std::map<std::string, Tensor> weights = readWeights((folder / "run").string(), file);
    weights.at("out/bias").as<float>()[1] = NAN;
    writeSafetensors((folder / "bad.safetensors").string(), viewsOf(weights), {});
    project.document()["training"]["initial_weights"] = (folder / "bad.safetensors").string();
    Recorder other;
    const RunOutcome outcome = trainAll(optionsFor(project, folder / "other"), other);
    REQUIRE(outcome.outcome == Outcome::Failed);
    CHECK(outcome.error->subject() == (folder / "bad.safetensors").string());
    CHECK(
        has(outcome.error->what(), "the weights \"out/bias\" contain values that are not finite"));
  }

  TEST_CASE("the state of the optimizer is also checked") {
    NetworkOptions options;
    options.device = "reference";
    Network network(smallProject(), options);
    network.prepare({16}, {}, nullptr);
    network.state().initialize(1);
    std::map<std::string, Tensor> state = network.state().all();
    CHECK_NOTHROW(requireFinite(network, viewsOf(state), 3));
    for (auto& [name, tensor] : state) {
      if (tensor.dtype() != DType::F32) continue;
      for (const float extreme : {FLT_MAX, -FLT_MAX, 1e-45f, -0.0f}) {
        const float good = std::exchange(tensor.as<float>().front(), extreme);
        CHECK_NOTHROW(requireFinite(network, viewsOf(state), 3));
        tensor.as<float>().front() = good;
      }
    }
    for (const float bad : {NAN, INFINITY, -INFINITY})
      for (auto& [name, tensor] : state) {
        if (tensor.dtype() != DType::F32) continue;
        const float good = tensor.as<float>().back();
        tensor.as<float>().back() = bad;
        CHECK_THROWS_AS(requireFinite(network, viewsOf(state), 3), Error);
        CHECK_THROWS_WITH(requireFinite(network, viewsOf(state), 0),
                          doctest::Contains("the initial weights ("));
        tensor.as<float>().back() = good;
      }
  }

  TEST_CASE("a sample whose values make a layer's output non-finite is named") {
    Project project = smallProject();
    project.document()["data"] = Json::parse(
        R"({"source": {"type": "values", "x": [[1], [2], [0], [3]], "y": [[1], [2], [3], [4]]}})");
    project.document()["model"]["layers"] = Json::parse(
        R"([{"type": "Input", "name": "x", "shape": [1]}, {"type": "Expression", "name": "inverse", "formula": "1 / x"},
            {"type": "Dense", "name": "out", "units": 1}])");
    project.document()["training"] = Json::parse(
        R"({"loss": "mean_squared_error", "optimizer": "sgd", "batch_size": 4, "epochs": 1, "shuffle": false})");
    Recorder recorder;
    const RunOutcome outcome = trainAll(optionsFor(project), recorder);
    REQUIRE(outcome.outcome == Outcome::Failed);
    CHECK(outcome.error->subject() == "inverse");
    CHECK_MESSAGE(has(outcome.error->what(),
                      "It is not finite for 1 of the 4 samples of the batch; the first one is "
                      "sample 2. Check this sample"),
                  outcome.error->what());
  }

  TEST_CASE("an index that a layer computes is named if a table does not have it") {
    const auto projectWith = [](int offset) {
      Project project = smallProjectWith(
          {{"/data/source",
            R"({"type": "values", "x": [[0], [1], [2], [1], [0]], "y": [0, 1, 0, 1, 0]})"},
           {"/data/validation_split", "0.0"},
           {"/model/layers",
            R"([{"type": "Input", "name": "x", "shape": [1]},
                {"type": "Rescaling", "name": "shift", "scale": 1.0},
                {"type": "Embedding", "name": "table", "input_dim": 3, "output_dim": 2},
                {"type": "Flatten", "name": "flat"},
                {"type": "Dense", "name": "out", "units": 2, "activation": "softmax"}])"},
           {"/training/batch_size", "2"}});
      project.document()["model"]["layers"][1]["offset"] = offset;
      return project;
    };
    const TemporaryFolder folder;
    const std::string run = (folder / "run").string();
    Recorder recorder;
    const RunOutcome good = trainAll(optionsFor(projectWith(0), run), recorder);
    REQUIRE_MESSAGE(good.outcome == Outcome::Finished, messageOf(good));
    const RunOutcome bad = trainAll(optionsFor(projectWith(1)), recorder);
    REQUIRE(bad.error);
    const char* const expected =
        "shift gives it the index 3 (expected 0 to 2, because input_dim is 3)";
    CHECK(bad.error->subject() == "table");
    CHECK(std::string(bad.error->what()).find(expected) != std::string::npos);
    Evaluator evaluator(projectWith(1), run, "reference");
    CHECK_THROWS_WITH_AS(evaluator.evaluate("train"), doctest::Contains(expected), Error);
    const Tensor two = Tensor::from<float>({1}, std::vector<float>{2}),
                 one = Tensor::from<float>({1}, std::vector<float>{1});
    CHECK_THROWS_WITH_AS(evaluator.predict({&two, 1}), doctest::Contains(expected), Error);
    CHECK(evaluator.predict({&one, 1})[0].size() == 2);
  }
}
