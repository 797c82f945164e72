// SPDX-License-Identifier: Apache-2.0
// Tests settings that are changed during training, by hand or by the changes of a project.
#include <algorithm>
#include <filesystem>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/support/small_run.h"

using namespace strata;

namespace {

Project projectOfFourEpochs() { return smallProjectWith({{"/training/epochs", "4"}}); }

/// Trains and requests a change after step 3. The change applies from the step `from` on.
RunOutcome trainWithChange(const std::filesystem::path& run, const char* name, double value,
                           int64_t from, Recorder& recorder) {
  TrainingSession session(optionsFor(projectOfFourEpochs(), run), recorder);
  recorder.onStepDone = [&](int64_t step) {
    if (step == 3) session.change(name, value, from);
  };
  session.start();
  return session.wait();
}

void copyRun(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::filesystem::copy(from, to, std::filesystem::copy_options::recursive);
}

}  // namespace

TEST_SUITE("changed settings") {
  TEST_CASE("a setting changes from the given step on, by hand as by a change of the project") {
    TemporaryFolder folder;
    const Project project = projectOfFourEpochs();
    for (const auto& [name, value] :
         std::vector<std::pair<const char*, double>>{{"clipnorm", 0.1},
                                                     {"clipvalue", 0.001},
                                                     {"global_clipnorm", 0.2},
                                                     {"weight_decay", 0.1},
                                                     {"drop/rate", 0.75},
                                                     {"learning_rate", 0.1}}) {
      CAPTURE(name);
      std::string file = name;
      std::replace(file.begin(), file.end(), '/', '-');
      Recorder recorder, planned, plain;
      const RunOutcome outcome = trainWithChange(folder / file, name, value, 10, recorder);
      REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
      CHECK(recorder.warnings.empty());
      REQUIRE(recorder.settings.size() == 1);
      CHECK(recorder.settings[0].step == 10);
      CHECK(recorder.settings[0].name == name);
      REQUIRE(trainAll(optionsFor(project), plain).outcome == Outcome::Finished);
      for (size_t i = 0; i < 9; ++i)
        CHECK(recorder.steps[i].loss == plain.steps[i].loss);
      CHECK(outcome.weightsHash != plain.outcome.weightsHash);
      Project changed = project;
      changed.document()["training"]["changes"] =
          Json::array({{{"step", 10}, {"name", name}, {"value", value}}});
      REQUIRE(trainAll(optionsFor(changed), planned).outcome == Outcome::Finished);
      CHECK(planned.outcome.weightsHash == outcome.weightsHash);
    }
  }

  TEST_CASE("a change with an unknown name or a value out of range only causes a warning") {
    TemporaryFolder folder;
    Recorder unknown, tooLarge;
    CHECK(trainWithChange(folder / "unknown", "drop/rat", 0.1, 0, unknown).outcome ==
          Outcome::Finished);
    REQUIRE(unknown.warnings.size() == 1);
    CHECK(unknown.warnings[0].find("Did you mean \"drop/rate\"") != std::string::npos);
    CHECK(trainWithChange(folder / "range", "drop/rate", 1.5, 0, tooLarge).outcome ==
          Outcome::Finished);
    CHECK(tooLarge.warnings.size() == 1);
    CHECK(tooLarge.settings.empty());
  }

  TEST_CASE("a resumed run restores changes by hand that are newer than its checkpoint") {
    TemporaryFolder folder;
    const Project project = projectOfFourEpochs();
    std::string expected;
    {
      Recorder recorder;
      TrainingSession session(optionsFor(project, folder / "whole"), recorder);
      recorder.onStepDone = [&](int64_t step) {
        if (step == 10) session.change("drop/rate", 0.6);
        if (step == 12) session.change("learning_rate", 0.002);
        // The copy has the files of a run that is killed at this step.
        if (step == 14) copyRun(folder / "whole", folder / "killed");
      };
      session.start();
      expected = session.wait().weightsHash;
    }
    copyRun(folder / "killed", folder / "resumed");
    {
      Recorder recorder;
      TrainingSession session(resumeOptions(project, folder / "resumed"), recorder);
      recorder.onStepDone = [&](int64_t step) {
        // The copy has the files of a run that is killed again right after it was resumed.
        if (step == 9) copyRun(folder / "resumed", folder / "killed twice");
      };
      session.start();
      session.wait();
    }
    for (const char* run : {"killed", "killed twice"}) {
      CAPTURE(run);
      Recorder recorder;
      const RunOutcome outcome = trainAll(resumeOptions(project, folder / run), recorder);
      REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
      CHECK(recorder.start.firstStep == 8);
      CHECK(recorder.settings.size() == 2);
      CHECK(outcome.weightsHash == expected);
    }
  }
}
