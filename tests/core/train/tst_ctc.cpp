// SPDX-License-Identifier: Apache-2.0
// Tests training with CTC, whose labels are shorter than the sequences. Data and metrics that
// cannot be used with CTC must be reported. tests/gpu/reference/tst_ctc_values.cpp tests the values
// of the loss.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/check/validate.h"
#include "core/model/model.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

/// Returns a project with sequences that encode their labels.
Project spellingProject(int64_t steps, const Json& changes = Json::object()) {
  Json x = Json::array(), y = Json::array();
  for (int i = 0; i < 12; ++i) {
    Json sample = Json::array(), labels = Json::array();
    for (int64_t t = 0; t < steps; ++t)
      sample.push_back(Json::array({t == i % 3 ? 1.5 : 0.25, t == 3 + i % 2 ? 1.5 : 0.25}));
    labels.push_back(1 + i % 2);
    labels.push_back(i % 4 == 0 ? 0 : 2);
    x.push_back(sample);
    y.push_back(labels);
  }
  Json training{{"loss", "ctc"},
                {"optimizer", {{"type", "adam"}, {"learning_rate", 0.05}}},
                {"metrics", Json::array()},
                {"batch_size", 4},
                {"epochs", 30},
                {"seed", 2}};
  training.update(changes);
  return Project(
      Json{
          {"format", "strata-project"},
          {"version", 1},
          {"name", "spelling"},
          {"data", {{"source", {{"type", "values"}, {"x", x}, {"y", y}}}, {"validation_split", 0}}},
          {"model",
           {{"layers",
             Json::array({{{"type", "Input"}, {"name", "x"}, {"shape", {steps, 2}}},
                          {{"type", "Bidirectional"},
                           {"name", "rnn"},
                           {"layer", {{"type", "GRU"}, {"units", 6}, {"return_sequences", true}}}},
                          {{"type", "Dense"}, {"name", "out"}, {"units", 3}}})}}},
          {"training", training}},
      "");
}

std::string problemsOfSpelling(const Project& project) {
  std::string text;
  for (const Diagnostic& each : validate(project))
    text += each.line() + "\n";
  return text;
}

}  // namespace

TEST_SUITE("ctc") {
  TEST_CASE("a network learns labels with CTC") {
    TemporaryFolder folder;
    const Project project = spellingProject(6);
    CHECK(problemsOfSpelling(project) == "");
    Recorder recorder;
    const RunOutcome outcome = trainAll(optionsFor(project, folder / "run"), recorder);
    REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
    CHECK(recorder.steps.back().loss < 0.3 * recorder.steps.front().loss);
  }

  TEST_CASE("`strata check` reports data and metrics that do not match") {
    CHECK(problemsOfSpelling(spellingProject(1)).find("at most 1 labels") != std::string::npos);
    CHECK(problemsOfSpelling(spellingProject(6, {{"metrics", {"accuracy"}}}))
              .find("have no positions") != std::string::npos);
    Project few = spellingProject(6);
    few.document()["model"]["layers"][2]["units"] = 2;
    CHECK(problemsOfSpelling(few).find("at least 3") != std::string::npos);
    few.document()["model"]["layers"][2] = Json{{"type", "Flatten"}, {"name", "flat"}};
    CHECK(problemsOfSpelling(few).find("Set return_sequences") != std::string::npos);
  }
}
