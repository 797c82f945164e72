// SPDX-License-Identifier: Apache-2.0
// Tests the problems of stages and of planned changes in a project.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/check/validate.h"
#include "tests/support/has.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

std::string firstProblem(const Project& project) {
  const Diagnostics diagnostics = validate(project);
  return diagnostics.empty() ? "" : diagnostics[0].line();
}

std::string problemOfStages(const char* stages) {
  return firstProblem(smallProjectWith({{"/training/stages", stages}}));
}

std::string problemOfChanges(const char* changes) {
  return firstProblem(smallProjectWith({{"/training/changes", changes}}));
}

}  // namespace

TEST_SUITE("stage problems") {
  TEST_CASE("stages are a list of objects with known fields") {
    CHECK(problemOfStages(R"([{"epochs": 1, "trainable": ["out"]}, {}])") == "");
    CHECK(has(problemOfStages("3"), "stages has the wrong type (expected a list, got 3)"));
    CHECK(has(problemOfStages(R"([{"epochs": 1, "frozn": ["out"]}, {}])"), "Did you mean frozen"));
  }

  TEST_CASE("each stage except the last has a length in epochs or steps") {
    CHECK(has(problemOfStages(R"([{"epochs": 1, "steps": 2}, {}])"),
              "epochs and steps are both set"));
    CHECK(has(problemOfStages(R"([{}, {}])"), "neither epochs nor steps"));
    CHECK(has(problemOfStages(R"([{"epochs": 1}, {"epochs": 1}])"),
              "lasts until the end of training"));
    CHECK(has(problemOfStages(R"([{"epochs": 0}, {}])"),
              "epochs is out of range (expected at least 1, got 0)"));
  }

  TEST_CASE("a stage must start before training ends") {
    CHECK(has(problemOfStages(R"([{"epochs": 3}, {}])"),
              "stage 2 never starts: the stages before it last 3 epochs (expected fewer than "
              "the 3 epochs of"));
  }

  TEST_CASE("an unknown layer of a stage is reported with the nearest name") {
    CHECK(has(problemOfStages(R"([{"epochs": 1, "trainable": ["outt"]}, {}])"),
              "Did you mean \"out\""));
  }

  TEST_CASE("a stage that trains no layer is a problem, unless it names an unknown layer") {
    const char* const problem = "this stage trains no layer";
    CHECK(has(problemOfStages(R"([{"epochs": 1, "trainable": []}, {}])"), problem));
    CHECK(problemOfStages(R"([{"epochs": 1, "trainable": ["nope"]}, {}])").find(problem) ==
          std::string::npos);
  }

  TEST_CASE("a change applies from step 1 to the last step of training") {
    CHECK(problemOfChanges(R"([{"step": 1, "name": "clipnorm", "value": 0}])") == "");
    CHECK(problemOfChanges(R"([{"step": 24, "name": "clipnorm", "value": 1}])") == "");
    CHECK(has(problemOfChanges(R"([{"step": 0, "name": "clipnorm", "value": 1}])"),
              "step is out of range (expected at least 1"));
  }

  TEST_CASE("a change after the end of training is a warning") {
    const char* const change = R"([{"step": 25, "name": "clipnorm", "value": 1}])";
    const Diagnostics problems = validate(smallProjectWith({{"/training/changes", change}}));
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].severity == Severity::Warning);
    CHECK(problems[0].code == "unused");
    CHECK(problems[0].line() ==
          "training: the change of clipnorm at step 25 has no effect: training ends at step 24 "
          "(expected at most 24). Lower its step, or increase epochs of training.");
    CHECK(validate(smallProjectWith(
                       {{"/training/steps_per_epoch", "1000"}, {"/training/changes", change}}))
              .empty());
  }

  TEST_CASE("a change has a known name and a value in the range of the setting") {
    CHECK(has(problemOfChanges(R"([{"step": 1, "value": 1}])"), "name is missing"));
    CHECK(has(problemOfChanges(R"([{"step": 1, "name": "clipnrm", "value": 1}])"),
              "Did you mean \"clipnorm\""));
    CHECK(has(problemOfChanges(R"([{"step": 1, "name": "drop/rate", "value": 1}])"),
              "rate is out of range (expected less than 1"));
    CHECK(has(problemOfChanges(R"([{"step": 1, "name": "learning_rate", "value": 1e39}])"),
              "at most"));
  }

  TEST_CASE("a learning rate must be a float32 number") {
    CHECK(has(firstProblem(smallProjectWith({{"/training/optimizer/learning_rate", "1e39"}})),
              "learning_rate is out of range (expected at most 3.4028"));
  }
}
