// SPDX-License-Identifier: Apache-2.0
// Tests training in bfloat16 and float16: results, memory, resumed runs, and the loss scale.
#include <cmath>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/compile/loss_scale.h"
#include "core/train/feeder.h"
#include "core/train/network.h"
#include "core/train/session.h"
#include "gpu/graph/op.h"
#include "tests/support/has.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

Project projectIn(const char* precision,
                  const std::vector<std::pair<std::string, std::string>>& values = {}) {
  Project project = smallProjectWith(values);
  project.document()["execution"]["precision"] = precision;
  return project;
}

/// Multiplies the gradients by this factor, so that they overflow in float16 but not in float32.
std::pair<std::string, std::string> lossWeight(const char* factor) {
  return {"/training/class_weight",
          std::string(R"({"0": )") + factor + R"(, "1": )" + factor + R"(, "2": )" + factor + "}"};
}

RunOutcome trainOn(const char* device, const Project& project, Recorder& recorder,
                   const std::filesystem::path& folder = {}) {
  SessionOptions options = optionsFor(project, folder);
  options.device = device;
  return trainAll(options, recorder);
}

float numberIn(const std::map<std::string, Tensor>& state, const char* name) {
  return state.at(name).as<float>()[0];
}

/// A network with its state, which trains batch after batch.
class Stepper {
 public:
  Stepper(const Project& project, const char* device)
      : m_dataset(loadDataset(project)), m_network(CheckedProject(project), options(device)) {
    m_network.prepare({16}, {}, m_dataset.get());
    m_network.state().initialize(5);
    m_batches = std::make_unique<Feeder>(m_network, *m_dataset, true);
  }
  Program::Outcome step(int64_t number) {
    for (const MicroBatch& piece : m_batches->microBatchesOf(0)) {
      Program& program = m_batches->place(5, 1, 0, piece);
      setStep(program, number, 0.01, 5, piece.offset, static_cast<double>(piece.samples) / 16);
      if (const Program::Outcome outcome = program.run(); outcome != Program::Outcome::Done)
        return outcome;
    }
    return Program::Outcome::Done;
  }
  NetworkState& state() { return m_network.state(); }

 private:
  static NetworkOptions options(const char* device) {
    NetworkOptions result;
    result.device = device;
    result.threads = 2;
    return result;
  }
  std::shared_ptr<const Dataset> m_dataset;
  Network m_network;
  std::unique_ptr<Feeder> m_batches;
};

}  // namespace

TEST_SUITE("precision") {
  TEST_CASE("a network trains in each precision on each device, close to float32") {
    for (const char* device : {"cpu", "reference"}) {
      CAPTURE(device);
      Recorder wide;
      REQUIRE(messageOf(trainOn(device, projectIn("float32"), wide)) == "no error");
      const auto [bfloat16Tolerance, float16Tolerance] = std::pair{0.1, 0.03};
      for (const auto& [precision, tolerance] :
           {std::pair{"bfloat16", bfloat16Tolerance}, std::pair{"float16", float16Tolerance}}) {
        CAPTURE(precision);
        Recorder recorder;
        const RunOutcome outcome = trainOn(device, projectIn(precision), recorder);
        REQUIRE(messageOf(outcome) == "no error");
        REQUIRE(recorder.steps.size() == wide.steps.size());
        // The first steps do not depend on how rounding changes the path of the training
        for (size_t i = 0; i < 3; ++i)
          CHECK(std::abs(recorder.steps[i].loss - wide.steps[i].loss) < tolerance);
        CHECK(std::abs(recorder.epochs.back().loss - wide.epochs.back().loss) < 2 * tolerance);
        CHECK(outcome.lossScale.has_value() == (std::string(precision) == "float16"));
      }
    }
  }

  TEST_CASE("the default precision changes nothing") {
    Project explicitly = projectIn("float32");
    Recorder a, b;
    CHECK(trainOn("cpu", smallProject(), a).weightsHash ==
          trainOn("cpu", explicitly, b).weightsHash);
    const StepBuilder steps(explicitly, {});
    for (const PassReport& report : steps.stepGraph(StepMode::Train, 16).reports)
      if (report.pass == "mixed_precision") CHECK(report.rewrites == 0);
  }

  TEST_CASE("activations take half the bytes, and variables stay float32") {
    const std::vector<std::pair<std::string, std::string>> large{
        {"/model/layers/1/filters", "32"}, {"/execution", R"({"disabled_passes": ["recompute"]})"}};
    const auto bytesOf = [&](const char* precision) {
      NetworkOptions options;
      options.device = "cpu";
      const StepBuilder steps(projectIn(precision, large), options);
      const StepGraph step = steps.stepGraph(StepMode::Train, 64);
      size_t bytes = 0;
      for (const NodeId id : step.graph.order())
        for (const ValueId output : step.graph.node(id).outputs)
          if (step.graph.value(output).category == Category::Activation &&
              step.graph.node(id).layer == "conv")
            bytes += step.graph.type(output).bytes();
      for (const Variable& variable : step.graph.variables())
        CHECK_FALSE(isLowPrecision(step.graph.type(variable.value).dtype));
      for (const NamedValue& output : step.graph.outputs())
        CHECK_FALSE(isLowPrecision(step.graph.type(output.value).dtype));
      return std::pair{bytes, planMemory(step.graph, {}, true)
                                  .byCategoryAtPeak[static_cast<size_t>(Category::Activation)]};
    };
    const auto [wide, widePeak] = bytesOf("float32");
    for (const char* precision : {"bfloat16", "float16"}) {
      const auto [low, lowPeak] = bytesOf(precision);
      // The cast of the input is one more activation
      CHECK(low < 0.6 * static_cast<double>(wide));
      CHECK(lowPeak < 0.75 * static_cast<double>(widePeak));
    }
  }

  TEST_CASE("a resumed run has the bits of an uninterrupted one in each precision") {
    for (const char* device : {"cpu", "reference"})
      for (const char* precision : {"bfloat16", "float16"}) {
        CAPTURE(device);
        CAPTURE(precision);
        const TemporaryFolder folder;
        // Overflows in float16 until the scale is small, also after the run was resumed
        Project project = projectIn(precision, {lossWeight("30000")});
        Recorder whole;
        const RunOutcome expected = trainOn(device, project, whole);
        REQUIRE(messageOf(expected) == "no error");
        SessionOptions first = optionsFor(project, folder / "run");
        first.device = device;
        Recorder start;
        REQUIRE(trainUntil(5, first, start).outcome == Outcome::Stopped);
        SessionOptions second = resumeOptions(project, folder / "run");
        second.device = device;
        Recorder rest;
        const RunOutcome resumed = trainAll(second, rest);
        REQUIRE(messageOf(resumed) == "no error");
        CHECK(resumed.weightsHash == expected.weightsHash);
        if (std::string(precision) != "float16") continue;
        CHECK(resumed.lossScale->skippedSteps == expected.lossScale->skippedSteps);
        CHECK(resumed.lossScale->scale == expected.lossScale->scale);
        CHECK(expected.lossScale->skippedSteps > 5);
      }
  }

  TEST_CASE("a step with a gradient that overflows changes only the loss scale") {
    for (const char* device : {"cpu", "reference"})
      for (const char* pieces : {"1", "3"}) {
        CAPTURE(device);
        CAPTURE(pieces);
        Stepper stepper(projectIn("float16", {lossWeight("30000"),
                                              {"/training/gradient_accumulation_steps", pieces}}),
                        device);
        const std::map<std::string, Tensor> before = stepper.state().all();
        REQUIRE(stepper.step(1) == Program::Outcome::Done);
        std::map<std::string, Tensor> after = stepper.state().all();
        for (const auto& [name, value] : after)
          if (!name.starts_with("loss_scale:") && !name.ends_with(":sum"))
            CHECK(value.isBitEqual(before.at(name)));
        CHECK(numberIn(after, kLossScale) == kInitialLossScale / 2);
        CHECK(numberIn(after, kSkippedSteps) == 1);
        CHECK(numberIn(after, kGoodSteps) == 0);
        int64_t number = 1;
        while (numberIn(stepper.state().all(), kGoodSteps) == 0 && number < 40)
          REQUIRE(stepper.step(++number) == Program::Outcome::Done);
        after = stepper.state().all();
        CHECK(numberIn(after, kGoodSteps) == 1);
        CHECK(numberIn(after, kSkippedSteps) == static_cast<float>(number - 1));
        CHECK_FALSE(after.at("out/kernel").isBitEqual(before.at("out/kernel")));
        CHECK(numberIn(after, kLossScale) < 8);
      }
  }

  TEST_CASE("many good steps in a row double the loss scale") {
    Stepper stepper(projectIn("float16"), "cpu");
    stepper.state().values().write(kGoodSteps,
                                   Tensor::scalar(static_cast<float>(kLossScaleGrowthSteps - 2)));
    stepper.state().values().write(kLossScale, Tensor::scalar(64.0f));
    REQUIRE(stepper.step(1) == Program::Outcome::Done);
    CHECK(numberIn(stepper.state().all(), kLossScale) == 64);
    CHECK(numberIn(stepper.state().all(), kGoodSteps) == kLossScaleGrowthSteps - 1);
    REQUIRE(stepper.step(2) == Program::Outcome::Done);
    CHECK(numberIn(stepper.state().all(), kLossScale) == 128);
    CHECK(numberIn(stepper.state().all(), kGoodSteps) == 0);
    CHECK(numberIn(stepper.state().all(), kSkippedSteps) == 0);
  }

  TEST_CASE("updates after skipped steps are those of a run that never had these steps") {
    for (const char* optimizer : {R"({"type": "adam", "learning_rate": 0.01})",
                                  R"({"type": "nadam", "learning_rate": 0.01})"}) {
      const std::pair<std::string, std::string> field{"/training/optimizer", optimizer},
          noDropout{"/model/layers/4/rate", "0"};
      Stepper skipping(projectIn("float16", {field, noDropout}), "cpu"),
          plain(projectIn("float16", {field, noDropout}), "cpu");
      // The scale overflows at once, and is then that of the other network
      skipping.state().values().write(kLossScale, Tensor::scalar(0x1p100f));
      REQUIRE(skipping.step(1) == Program::Outcome::Done);
      CHECK(numberIn(skipping.state().all(), kSkippedSteps) == 1);
      skipping.state().values().write(kLossScale, Tensor::scalar(32768.0f));
      REQUIRE(skipping.step(2) == Program::Outcome::Done);
      REQUIRE(plain.step(1) == Program::Outcome::Done);
      CHECK(
          skipping.state().all().at("out/kernel").isBitEqual(plain.state().all().at("out/kernel")));
    }
  }

  TEST_CASE("with a fixed loss scale, a gradient that overflows ends the run") {
    for (const char* device : {"cpu", "reference"}) {
      CAPTURE(device);
      const Project project =
          projectIn("float16", {lossWeight("1e6"), {"/execution", R"({"loss_scale": 1})"}});
      const TemporaryFolder folder;
      Recorder recorder;
      const RunOutcome outcome = trainOn(device, project, recorder);
      REQUIRE(outcome.outcome == Outcome::Failed);
      CHECK(outcome.error->code() == ErrorCode::NonFinite);
      CHECK(outcome.error->subject() == "out");
      CHECK(has(outcome.error->what(), "a gradient of step 1 is not finite"));
      CHECK(has(outcome.error->what(), "The weights were not changed."));
      Stepper stepper(project, device);
      const std::map<std::string, Tensor> before = stepper.state().all();
      CHECK(stepper.step(1) == Program::Outcome::NonFinite);
      for (const auto& [name, value] : stepper.state().all())
        CHECK(value.isBitEqual(before.at(name)));
      // A small scale avoids the overflow
      Recorder scaled;
      CHECK(messageOf(trainOn(device,
                              projectIn("float16", {lossWeight("1e6"),
                                                    {"/execution", R"({"loss_scale": 0.001})"}}),
                              scaled)) == "no error");
    }
  }

  TEST_CASE("a run stops if no loss scale prevents the overflow, and names step and layer") {
    Recorder recorder;
    const RunOutcome outcome = trainOn(
        "cpu", projectIn("float16", {lossWeight("1e12"), {"/training/epochs", "9"}}), recorder);
    REQUIRE(outcome.outcome == Outcome::Failed);
    CHECK(outcome.error->code() == ErrorCode::NonFinite);
    CHECK(outcome.error->subject() == "out");
    CHECK(has(outcome.error->what(), "a gradient of step 30 is not finite"));
  }

  TEST_CASE("an output that overflows in float16 ends the run, and its layer is named") {
    Recorder recorder;
    const RunOutcome outcome = trainOn(
        "cpu",
        projectIn("float16", {{"/model/layers/2",
                               R"({"type": "Conv2D", "name": "norm", "filters": 4, "kernel_size": 1,
                        "kernel_initializer": {"type": "constant", "value": 1e5}})"}}),
        recorder);
    REQUIRE(outcome.outcome == Outcome::Failed);
    CHECK(outcome.error->code() == ErrorCode::NonFinite);
    CHECK(outcome.error->subject() == "norm");
    CHECK(has(outcome.error->what(), "at step 1"));
  }
}
