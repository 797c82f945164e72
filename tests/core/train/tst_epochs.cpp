// SPDX-License-Identifier: Apache-2.0
// Tests the length of epochs (steps_per_epoch) and when a run validates (validation_freq,
// validation_freq_steps).
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/support/small_run.h"

using namespace strata;

namespace {

void train(const Project& project, Recorder& recorder) {
  REQUIRE(trainAll(optionsFor(project), recorder).outcome == Outcome::Finished);
}

}  // namespace

TEST_SUITE("epochs") {
  TEST_CASE("with steps_per_epoch an epoch continues in the data where the previous one ended") {
    Recorder usual, shorter;
    train(smallProject(), usual);
    train(smallProjectWith({{"/training/steps_per_epoch", "6"}, {"/training/epochs", "4"}}),
          shorter);
    REQUIRE(usual.steps.size() == 24);
    REQUIRE(shorter.steps.size() == 24);
    for (size_t i = 0; i < 24; ++i)
      CHECK(shorter.steps[i].loss == usual.steps[i].loss);
    CHECK(shorter.steps[6].epoch == 2);
    REQUIRE(shorter.epochs.size() == 4);
    CHECK(shorter.start.stepsPerEpoch == 6);
    CHECK(shorter.epochs[1].step == 12);
  }

  TEST_CASE("validation_freq is a number of epochs between validations") {
    Recorder recorder;
    train(smallProjectWith({{"/training/epochs", "5"}, {"/training/validation_freq", "2"}}),
          recorder);
    for (const EpochMetrics& epoch : recorder.epochs)
      CHECK(epoch.hasValidation == (epoch.epoch % 2 == 0));
  }

  TEST_CASE("validation_freq may list the epochs that end with a validation") {
    Recorder recorder;
    train(smallProjectWith({{"/training/epochs", "5"}, {"/training/validation_freq", "[1, 5]"}}),
          recorder);
    for (const EpochMetrics& epoch : recorder.epochs)
      CHECK(epoch.hasValidation == (epoch.epoch == 1 || epoch.epoch == 5));
  }

  TEST_CASE("validation_freq_steps adds validations within epochs, which change no weight") {
    Recorder plain, recorder;
    train(smallProject(), plain);
    train(smallProjectWith({{"/training/validation_freq_steps", "4"}}), recorder);
    CHECK(recorder.outcome.weightsHash == plain.outcome.weightsHash);
    std::vector<int64_t> steps;
    for (const ValidationMetrics& each : recorder.validations)
      steps.push_back(each.step);
    // The validations at the ends of the epochs, after the steps 8, 16 and 24, are reported with
    // the epochs.
    CHECK(steps == std::vector<int64_t>{4, 12, 20});
  }
}
