// SPDX-License-Identifier: Apache-2.0
// Tests stages of training: which layers train, the planned memory, and the state of the optimizer
// when a stage starts.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/interchange/safetensors.h"
#include "core/runs/step_memory.h"
#include "core/train/plan.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

using Weights = std::map<std::string, Tensor>;

bool isBitEqual(const Weights& a, const Weights& b, const std::string& name) {
  const Tensor &x = a.at(name), &y = b.at(name);
  return x.bytes() == y.bytes() && std::memcmp(x.data(), y.data(), x.bytes()) == 0;
}

/// Trains to the end, or for `maxSteps` steps if it is set. Returns the final weights.
Weights trainedWeights(const Project& project, const std::filesystem::path& run,
                       int64_t maxSteps = 0) {
  SessionOptions options = optionsFor(project, run);
  if (maxSteps > 0) options.maxSteps = maxSteps;
  Recorder recorder;
  const RunOutcome outcome = trainAll(options, recorder);
  REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
  return weightsIn(run);
}

/// Returns the weights at the start of training. The directory `run` receives the run.
Weights initialWeights(const std::filesystem::path& run) {
  return trainedWeights(
      smallProjectWith({{"/training/optimizer", R"({"type": "sgd", "learning_rate": 0.0})"}}), run);
}

std::string choicesIn(const std::filesystem::path& run) {
  std::ifstream file(run / "choices.json");
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace

TEST_SUITE("stages") {
  TEST_CASE("a frozen layer keeps its bits during its stage") {
    TemporaryFolder folder;
    const Project project = smallProjectWith(
        {{"/training/stages",
          R"([{"name": "head", "epochs": 2, "trainable": ["out"]}, {"frozen": ["out"]}])"}});
    const Weights head = trainedWeights(project, folder / "run", 16);
    const Weights initial = initialWeights(folder / "initial");
    CHECK(isBitEqual(head, initial, "conv/kernel"));
    CHECK(isBitEqual(head, initial, "norm/gamma"));
    CHECK_FALSE(isBitEqual(head, initial, "out/kernel"));
    Recorder recorder;
    REQUIRE(trainAll(optionsFor(project, folder / "both"), recorder).outcome == Outcome::Finished);
    const Weights both = weightsIn(folder / "both");
    CHECK(isBitEqual(both, head, "out/kernel"));
    CHECK_FALSE(isBitEqual(both, head, "conv/kernel"));
    REQUIRE(recorder.settings.size() == 2);
    CHECK(recorder.settings[1].name == "stage");
    CHECK(recorder.settings[1].step == 17);
    CHECK(recorder.settings[1].value == 2);
  }

  TEST_CASE("the gradient of a frozen layer is not computed") {
    TemporaryFolder folder;
    trainedWeights(smallProjectWith({{"/training/stages", R"([{"trainable": ["out"]}])"}}),
                   folder / "head");
    trainedWeights(smallProject(), folder / "all");
    for (const char* op : {"conv2d_backward_weights", "batch_norm_backward"}) {
      CHECK(choicesIn(folder / "head").find(op) == std::string::npos);
      CHECK(choicesIn(folder / "all").find(op) != std::string::npos);
    }
  }

  TEST_CASE("the saved memory of a step is that of the current stage") {
    TemporaryFolder folder;
    trainedWeights(
        smallProjectWith({{"/training/stages", R"([{"epochs": 1, "trainable": ["out"]}, {}])"}}),
        folder / "run");
    std::string problem;
    const auto memory = readStepMemory((folder / "run").string(), problem);
    REQUIRE_MESSAGE(memory, problem);
    CHECK(std::ranges::any_of(memory->instructions, [](const StepMemory::Instruction& each) {
      return each.op == "conv2d_backward_weights";
    }));
  }

  TEST_CASE("a stage that exceeds the memory limit is reported before the first step") {
    const auto bytesOf = [](const Project& project) {
      Recorder recorder;
      REQUIRE(trainAll(optionsFor(project), recorder).outcome == Outcome::Finished);
      return recorder.outcome.peakBytes;
    };
    const Project project =
        smallProjectWith({{"/training/stages", R"([{"epochs": 1, "trainable": ["out"]}, {}])"},
                          {"/execution", R"({"recompute": "none"})"}});
    const size_t head = bytesOf(
                     smallProjectWith({{"/training/stages", R"([{"trainable": ["out"]}])"}})),
                 all = bytesOf(project);
    REQUIRE(head < all);
    Recorder recorder;
    SessionOptions options = optionsFor(project);
    options.memoryLimitBytes = (head + all) / 2;
    const RunOutcome outcome = trainAll(options, recorder);
    REQUIRE(outcome.outcome == Outcome::Failed);
    CHECK(outcome.error->code() == ErrorCode::OutOfMemory);
    CHECK(recorder.steps.empty());
    options.memoryLimitBytes = all;
    Recorder fits;
    CHECK(trainAll(options, fits).outcome == Outcome::Finished);
    CHECK(fits.start.plannedPeakBytes == all);
  }

  TEST_CASE("the plan includes the state of layers that an earlier stage trained") {
    TemporaryFolder folder;
    for (const std::string accumulation : {"1", "2"}) {
      const Project project = smallProjectWith(
          {{"/training/stages",
            R"([{"epochs": 1, "trainable": ["out"]}, {"trainable": ["conv", "norm"]}])"},
           {"/training/gradient_accumulation_steps", accumulation}});
      PlanOptions options;
      options.device = "reference";
      options.threads = 2;
      options.measuresStepTime = options.findsLargestBatch = false;
      const size_t planned = planTraining(project, options).peakBytes;
      const auto checkMemory = [&](const SessionOptions& session) {
        Recorder recorder;
        const RunOutcome outcome = trainAll(session, recorder);
        REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
        CHECK(outcome.peakBytes == planned);
        CHECK(recorder.start.plannedPeakBytes == planned);
      };
      checkMemory(optionsFor(project, folder / ("whole" + accumulation)));
      const auto run = folder / ("stopped" + accumulation);
      Recorder recorder;
      REQUIRE(trainUntil(12, optionsFor(project, run), recorder).outcome == Outcome::Stopped);
      checkMemory(resumeOptions(project, run));
    }
  }

  TEST_CASE("a moving average of weights starts in the stage that first trains the layer") {
    TemporaryFolder folder;
    const Weights averaged = trainedWeights(
        smallProjectWith({{"/training/optimizer",
                           R"({"type": "sgd", "learning_rate": 0.0001, "use_ema": true})"},
                          {"/training/stages", R"([{"epochs": 1, "trainable": ["out"]}, {}])"}}),
        folder / "run");
    const Weights initial = initialWeights(folder / "initial");
    const auto a = averaged.at("conv/kernel").as<float>(),
               b = initial.at("conv/kernel").as<float>();
    for (size_t i = 0; i < a.size(); ++i)
      CHECK(a[i] == doctest::Approx(b[i]).epsilon(0.05));
  }

  TEST_CASE("the first step of a layer in a later stage equals Keras's, which counts all steps") {
    struct Row {
      const char* optimizer;
      // The change of the weights, divided by the learning rate. These are values of Keras 3.15 at
      // step 6, and at step 1 of a new optimizer.
      double continued, reset;
    };
    for (const Row& row :
         {Row{"adam", 0.5221, 1}, Row{"nadam", 1.2646, 1.0628}, Row{"adamax", 0.2134, 1}})
      for (const bool isReset : {false, true}) {
        CAPTURE(row.optimizer);
        CAPTURE(isReset);
        TemporaryFolder folder;
        Project project = smallProjectWith(
            {{"/model/layers/4/rate", "0"},
             {"/training/stages",
              R"([{"steps": 5, "trainable": ["out"]}, {"trainable": ["conv"]}])"}});
        Json& training = project.document()["training"];
        training["stages"][1]["reset_optimizer"] = isReset;
        training["optimizer"] = {
            {"type", row.optimizer}, {"learning_rate", 0.01}, {"epsilon", 1e-12}};
        const Tensor before = trainedWeights(project, folder / "5", 5).at("conv/kernel"),
                     after = trainedWeights(project, folder / "6", 6).at("conv/kernel");
        for (size_t i = 0; i < before.as<float>().size(); ++i)
          CHECK(std::abs(after.as<float>()[i] - before.as<float>()[i]) / 0.01f ==
                doctest::Approx(isReset ? row.reset : row.continued).epsilon(2e-3));
      }
  }

  TEST_CASE("Nadam's momentum product covers all steps, also of a layer that was frozen") {
    TemporaryFolder folder;
    Recorder recorder;
    SessionOptions options = optionsFor(
        smallProjectWith(
            {{"/training/optimizer", R"({"type": "nadam"})"},
             {"/training/stages",
              R"([{"steps": 2}, {"steps": 2, "trainable": ["out"]}, {"steps": 2, "frozen": ["out"]}, {}])"}}),
        folder / "run");
    options.maxSteps = 8;
    REQUIRE(trainAll(options, recorder).outcome == Outcome::Finished);
    const Weights state = readSafetensors(recorder.checkpoints.back().path).tensors;
    double product = 1;
    for (int step = 1; step <= 8; ++step)
      product *= 0.9 * (1 - 0.5 * std::pow(0.96, step));
    for (const char* variable : {"conv/kernel", "out/kernel"})
      CHECK(static_cast<double>(state.at(std::string(variable) + ":u_product").as<float>()[0]) ==
            doctest::Approx(product).epsilon(1e-5));
  }

  TEST_CASE("reset_optimizer also resets layers that are frozen in its stage") {
    TemporaryFolder folder;
    const auto weights = [&](const std::string& run, const std::string& resetsAgain) {
      return trainedWeights(smallProjectWith({{"/training/optimizer",
                                               R"({"type": "adagrad", "learning_rate": 0.05})"},
                                              {"/training/stages",
                                               R"([{"epochs": 1, "trainable": ["out"]},
                    {"epochs": 1, "trainable": ["conv"], "reset_optimizer": true},
                    {"trainable": ["out"], "reset_optimizer": )" +
                                                   resetsAgain + "}]"},
                                              {"/model/layers/4/rate", "0"}}),
                            folder / run);
    };
    // Without dropout no operation depends on the number of steps. The result depends only on the
    // state of `out` after the second stage.
    CHECK(isBitEqual(weights("once", "false"), weights("twice", "true"), "out/kernel"));
  }

  TEST_CASE("stages equal consecutive runs that start with the weights of the previous run") {
    for (const char* optimizer : {R"({"type": "adam", "learning_rate": 0.01})",
                                  R"({"type": "sgd", "learning_rate": 0.01, "momentum": 0.9})"}) {
      CAPTURE(optimizer);
      TemporaryFolder folder;
      Project project = smallProjectWith(
          {{"/training/optimizer", optimizer},
           {"/training/shuffle", "false"},
           {"/training/epochs", "3"},
           {"/training/stages", R"([{"epochs": 1, "trainable": ["out"], "reset_optimizer": true},
                                    {"learning_rate": 0.02, "reset_optimizer": true}])"}});
      const Weights staged = trainedWeights(project, folder / "stages");
      Json& training = project.document()["training"];
      Json& layers = project.document()["model"]["layers"];
      training.erase("stages");
      training["epochs"] = 1;
      for (const size_t frozen : {1, 2})
        layers[frozen]["trainable"] = false;
      trainedWeights(project, folder / "first");
      for (const size_t frozen : {1, 2})
        layers[frozen].erase("trainable");
      training["epochs"] = 2;
      training["optimizer"]["learning_rate"] = 0.02;
      training["initial_weights"] = (folder / "first/weights.safetensors").string();
      const Weights consecutive = trainedWeights(project, folder / "second");
      for (const auto& [variable, tensor] : consecutive)
        CHECK_MESSAGE(isBitEqual(staged, consecutive, variable), variable);
    }
  }
}
