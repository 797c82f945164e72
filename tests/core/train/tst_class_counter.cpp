// SPDX-License-Identifier: Apache-2.0
// Tests that validations tell the classes that an evaluation of the same weights finds.
#include <chrono>
#include <filesystem>
#include <vector>

#include <doctest/doctest.h>

#include "core/check/checked_project.h"
#include "core/evaluation/class_file.h"
#include "core/evaluation/classification.h"
#include "core/train/class_counter.h"
#include "core/train/evaluator.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

class ClassRecorder : public Recorder {
 public:
  void onClasses(const std::shared_ptr<const ClassValidation>& each) override {
    classes.push_back(each);
  }
  std::vector<std::shared_ptr<const ClassValidation>> classes;
};

/// Trains, and checks that the last validation has the classes that an evaluation finds.
void checkAgainstEvaluation(const Project& project, const char* device = "reference") {
  CAPTURE(device);
  const TemporaryFolder folder;
  SessionOptions options = optionsFor(project, folder / "run");
  options.device = device;
  ClassRecorder recorder;
  const RunOutcome outcome = trainAll(options, recorder);
  REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
  REQUIRE(recorder.classes.size() == recorder.epochs.size());
  const ClassValidation& last = *recorder.classes.back();
  CHECK(last.step == outcome.steps);
  CHECK(last.epoch == recorder.epochs.back().epoch);
  Evaluator evaluator(project, (folder / "run").string(), device);
  const EvaluationResult result = evaluator.evaluate("validation", nullptr, Collect::Outputs);
  REQUIRE(last.outputs.size() == result.collected.size());
  for (size_t k = 0; k < last.outputs.size(); ++k) {
    REQUIRE(result.collected[k]);
    const auto expected = classificationFigures(*result.collected[k]).confusion;
    REQUIRE(expected);
    CHECK(last.outputs[k].output == result.collected[k]->output);
    CHECK(last.outputs[k].classNames == result.collected[k]->classNames);
    CHECK(last.outputs[k].confusion.counts == expected->counts);
  }
  // The file of the run has the same
  size_t at = 0;
  readClassFile((folder / "run" / kClassFile).string(), [&](ClassValidation&& read) {
    REQUIRE(at < recorder.classes.size());
    CHECK(read.step == recorder.classes[at]->step);
    for (size_t k = 0; k < read.outputs.size(); ++k)
      CHECK(read.outputs[k].confusion.counts == recorder.classes[at]->outputs[k].confusion.counts);
    ++at;
    return true;
  });
  CHECK(at == recorder.classes.size());
}

}  // namespace

TEST_SUITE("class_counter") {
  TEST_CASE("a validation has the classes of an evaluation of the same weights") {
    for (const char* device : {"reference", "cpu", "detached"})
      checkAgainstEvaluation(smallProject(), device);
  }

  TEST_CASE("averaged weights, logits and binary outputs are read in the same way") {
    checkAgainstEvaluation(smallProjectWith(
        {{"/training/optimizer",
          R"({"type": "adam", "learning_rate": 0.01, "use_ema": true, "ema_momentum": 0.9})"}}));
    checkAgainstEvaluation(smallProjectWith(
        {{"/model/layers/5/activation", R"("linear")"},
         {"/training/loss",
          R"({"type": "sparse_categorical_crossentropy", "from_logits": true})"}}));
    checkAgainstEvaluation(smallProjectWith(
        {{"/training/loss", R"({"type": "sparse_categorical_crossentropy", "ignore_class": 1})"}}));
    checkAgainstEvaluation(smallProjectWith({{"/data/source/classes", "2"},
                                             {"/model/layers/5/units", "1"},
                                             {"/model/layers/5/activation", R"("sigmoid")"},
                                             {"/training/loss", R"("binary_crossentropy")"},
                                             {"/training/metrics", R"(["binary_accuracy"])"}}));
  }

  TEST_CASE("validations within an epoch tell their classes, and a continued run goes on") {
    const TemporaryFolder folder;
    const Project project = smallProjectWith({{"/training/validation_freq_steps", "3"}});
    ClassRecorder whole;
    REQUIRE(trainAll(optionsFor(project, folder / "whole"), whole).outcome == Outcome::Finished);
    CHECK(whole.classes.size() == whole.validations.size() + whole.epochs.size());
    ClassRecorder first;
    trainUntil(13, optionsFor(project, folder / "run"), first);
    ClassRecorder second;
    REQUIRE(trainAll(resumeOptions(project, folder / "run"), second).outcome == Outcome::Finished);
    std::vector<std::vector<int64_t>> expected, got;
    readClassFile((folder / "whole" / kClassFile).string(), [&](ClassValidation&& each) {
      expected.push_back(each.outputs[0].confusion.counts);
      return true;
    });
    readClassFile((folder / "run" / kClassFile).string(), [&](ClassValidation&& each) {
      got.push_back(each.outputs[0].confusion.counts);
      return true;
    });
    CHECK(got == expected);
    CHECK(expected.size() == whole.classes.size());
  }

  TEST_CASE("a regression tells no classes and writes no file") {
    const TemporaryFolder folder;
    ClassRecorder recorder;
    const Project project = smallProjectWith({{"/model/layers/5/units", "1"},
                                              {"/model/layers/5/activation", R"("linear")"},
                                              {"/training/loss", R"("mean_squared_error")"},
                                              {"/training/metrics", R"(["mean_absolute_error"])"}});
    const RunOutcome outcome = trainAll(optionsFor(project, folder / "run"), recorder);
    REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
    CHECK(recorder.classes.empty());
    CHECK_FALSE(std::filesystem::exists(folder / "run" / kClassFile));
  }
}
