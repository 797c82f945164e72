// SPDX-License-Identifier: Apache-2.0
// Tests schedules of the learning rate: their values, their errors, and resumed runs.
#include <set>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/layers/objects.h"
#include "core/recipe/options.h"
#include "core/train/session.h"
#include "tests/support/paths.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

Project projectWith(const char* rate, const std::filesystem::path& path = {}) {
  Project project = smallProject(path);
  project.document()["training"]["optimizer"] = {{"type", "sgd"},
                                                 {"learning_rate", Json::parse(rate)}};
  return project;
}

TrainingOptions optionsOf(const char* rate, std::string* problems = nullptr) {
  Diagnostics diagnostics;
  TrainingOptions options = parseTraining(projectWith(rate), diagnostics);
  for (const Diagnostic& each : diagnostics)
    if (problems) *problems += each.line() + "\n";
  return options;
}

}  // namespace

TEST_SUITE("schedules") {
  TEST_CASE("every schedule has a help text, fields, and initial values") {
    CHECK(scheduleSchemas().size() == allSchedules().size());
    std::set<std::string> seen;
    for (const ScheduleDef* definition : allSchedules()) {
      const Schema& schema = definition->schema;
      CAPTURE(schema.type);
      CHECK(seen.insert(schema.type).second);
      CHECK_FALSE(schema.help.isEmpty());
      CHECK_FALSE(schema.formula.empty());
      CHECK_FALSE(schema.source.empty());
      Json object = {{"type", schema.type}};
      for (const FieldSchema& field : schema.fields) {
        CAPTURE(field.name);
        CHECK_FALSE(field.help.isEmpty());
        CHECK_FALSE(field.title.isEmpty());
        CHECK_FALSE((field.defaultJson.empty() && field.exampleJson.empty()));
        if (field.defaultJson.empty()) object[field.name] = Json::parse(field.exampleJson);
      }
      std::string problems;
      const TrainingOptions options = optionsOf(object.dump().c_str(), &problems);
      CHECK(problems == "");
      REQUIRE(options.schedule);
      CHECK(options.learningRate == options.schedule(0));
      for (const int64_t step : {0, 1, 999, 1000, 1001, 50000000}) {
        CHECK(options.schedule(step) >= 0);
        CHECK(options.schedule(step) <= 0.011);
      }
    }
  }

  TEST_CASE("schedules that Keras lacks have the right values") {
    const auto step = optionsOf(
        R"({"type": "StepLR", "initial_learning_rate": 0.5, "step_size": 3, "gamma": 0.5})");
    CHECK(step.learningRateAt(1) == doctest::Approx(0.5));
    CHECK(step.learningRateAt(3) == doctest::Approx(0.5));
    CHECK(step.learningRateAt(4) == doctest::Approx(0.25));
    CHECK(step.learningRateAt(7) == doctest::Approx(0.125));
    // These values are from torch.optim.lr_scheduler.OneCycleLR(max_lr=1, total_steps=10).
    const auto cycle = optionsOf(R"({"type": "OneCycleLR", "max_lr": 1, "total_steps": 10})");
    CHECK(cycle.learningRateAt(1) == doctest::Approx(0.04));
    CHECK(cycle.learningRateAt(2) == doctest::Approx(0.52));
    CHECK(cycle.learningRateAt(3) == doctest::Approx(1));
    CHECK(cycle.learningRateAt(10) == doctest::Approx(4e-6));
    CHECK(cycle.learningRateAt(1000) == doctest::Approx(4e-6));
    const auto line = optionsOf(
        R"({"type": "OneCycleLR", "max_lr": 1, "total_steps": 10, "anneal_strategy": "linear", "three_phase": true})");
    CHECK(line.learningRateAt(5) == doctest::Approx(0.04));
    const auto warm = optionsOf(
        R"({"type": "LinearWarmup", "warmup_steps": 4, "schedule": {"type": "ExponentialDecay", "initial_learning_rate": 0.8, "decay_steps": 1, "decay_rate": 0.5}})");
    for (const auto& [number, rate] :
         std::vector<std::pair<int64_t, double>>{{1, 0}, {2, 0.2}, {4, 0.6}, {5, 0.8}, {6, 0.4}})
      CHECK(warm.learningRateAt(number) == doctest::Approx(rate));
    CHECK(optionsOf(R"({"type": "LinearWarmup", "warmup_steps": 2, "schedule": 0.3})")
              .learningRateAt(9) == doctest::Approx(0.3));
    CHECK(optionsOf("0.3").learningRateAt(9) == 0.3);
  }

  TEST_CASE("wrong schedules are reported with their field") {
    const auto problem = [](const char* rate) {
      std::string problems;
      optionsOf(rate, &problems);
      return problems;
    };
    const auto has = [](const std::string& text, const char* part) {
      INFO(text);
      return text.find(part) != std::string::npos;
    };
    CHECK(has(problem("\"fast\""), "there is no schedule \"fast\""));
    CHECK(has(problem("true"),
              "learning_rate has the wrong type (expected a number or an object with \"type\", got "
              "true)"));
    CHECK(has(problem(R"({"type": "CosineDcay"})"), "Did you mean \"CosineDecay\""));
    CHECK(has(problem(R"({"type": "CosineDecay", "initial_learning_rate": 0.1})"),
              "decay_steps is missing (expected an integer)"));
    CHECK(has(
        problem(
            R"({"type": "ExponentialDecay", "initial_learning_rate": -1, "decay_steps": 0, "decay_rate": 0.5})"),
        "initial_learning_rate is out of range (expected at least 0, got -1)"));
    CHECK(has(
        problem(
            R"({"type": "ExponentialDecay", "initial_learning_rate": 1, "decay_steps": 0, "decay_rate": 0.5})"),
        "decay_steps is out of range (expected at least 1, got 0)"));
    CHECK(has(
        problem(R"({"type": "PiecewiseConstantDecay", "boundaries": [10, 20], "values": [1, 2]})"),
        "values has 2 rates and boundaries has 2 steps"));
    CHECK(has(
        problem(
            R"({"type": "LinearWarmup", "warmup_steps": 5, "schedule": {"type": "PiecewiseConstantDecay", "boundaries": [20, 10], "values": [1, 2, 3]}})"),
        "boundaries has 10 after 20 (expected increasing steps)"));
  }

  TEST_CASE(
      "a run follows its schedule, and resumes with the same bits after a stop or a change by "
      "hand") {
    const char* rate =
        R"({"type": "LinearWarmup", "warmup_steps": 4, "schedule": {"type": "CosineDecay", "initial_learning_rate": 0.1, "decay_steps": 12}})";
    TemporaryFolder folder;
    Recorder whole;
    const RunOutcome expected = trainAll(optionsFor(projectWith(rate), folder / "whole"), whole);
    REQUIRE_MESSAGE(expected.outcome == Outcome::Finished, messageOf(expected));
    const TrainingOptions training = optionsOf(rate);
    for (const StepMetrics& step : whole.steps)
      CHECK(step.learningRate == training.learningRateAt(step.step));
    for (const bool isSet : {false, true}) {
      const auto trained = [&](const std::filesystem::path& run, int64_t stopAt) {
        Recorder recorder;
        TrainingSession session(optionsFor(projectWith(rate), run), recorder);
        recorder.onStepDone = [&](int64_t step) {
          if (isSet && step == 5) session.setLearningRate(0.03);
          if (step == stopAt) session.stop();
        };
        session.start();
        const RunOutcome outcome = session.wait();
        if (isSet && outcome.steps > 6) CHECK(recorder.steps[6].learningRate == 0.03);
        return outcome;
      };
      const std::string name = isSet ? "set" : "plain";
      const RunOutcome uninterrupted = trained(folder / (name + "-whole"), -1);
      REQUIRE(uninterrupted.outcome == Outcome::Finished);
      if (!isSet) CHECK(uninterrupted.weightsHash == expected.weightsHash);
      if (isSet) CHECK(uninterrupted.weightsHash != expected.weightsHash);
      for (const int64_t stopAt : {3, 9}) {
        // The rate is set by hand at step 5, which a run that stops at step 3 does not reach.
        if (isSet && stopAt == 3) continue;
        const auto run = folder / (name + std::to_string(stopAt));
        CHECK(trained(run, stopAt).outcome == Outcome::Stopped);
        Recorder recorder;
        const RunOutcome outcome = trainAll(resumeOptions(projectWith(rate), run), recorder);
        REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
        CHECK(outcome.weightsHash == uninterrupted.weightsHash);
      }
    }
  }

  TEST_CASE("setting the schedule's current value by hand also ends the schedule") {
    Recorder recorder;
    TrainingSession session(
        optionsFor(projectWith(
            R"({"type": "PiecewiseConstantDecay", "boundaries": [10], "values": [0.01, 0.0001]})")),
        recorder);
    recorder.onStepDone = [&](int64_t step) {
      if (step == 5) session.setLearningRate(recorder.steps.back().learningRate);
    };
    session.start();
    REQUIRE(session.wait().outcome == Outcome::Finished);
    REQUIRE(recorder.steps.size() > 12);
    for (const StepMetrics& step : recorder.steps)
      CHECK(step.learningRate == recorder.steps[0].learningRate);
    REQUIRE(recorder.settings.size() == 1);
    CHECK(recorder.settings[0].step == 6);
  }
}
