// SPDX-License-Identifier: Apache-2.0
// A run whose step changes is planned in all of its parts: what stages and changes need is known before the first step, and kept to.
#include <numeric>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/train/plan.h"
#include "core/train/run_edits.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

Project projectWith(const std::string& changes, const std::string& stages = "", double rate = 0) {
  Project project = smallProject();
  Json& document = project.document();
  document["model"]["layers"][4]["rate"] = rate;
  document["training"]["changes"] = Json::parse(changes);
  if (!stages.empty()) document["training"]["stages"] = Json::parse(stages);
  return project;
}

std::vector<RunPart> partsOf(const Project& project, const RunSpan& span) {
  Diagnostics none;
  return runParts(project, parseTraining(project, none).changes, span);
}

/// "stage@step" of each.
std::string textOf(const std::vector<RunPart>& parts) {
  std::string text;
  for (const RunPart& part : parts) text += (text.empty() ? "" : " ") + std::to_string(part.stage) + "@" + std::to_string(part.fromStep);
  return text;
}

PlanOptions planOnly() {
  PlanOptions options;
  options.device = "reference";
  options.threads = 2;
  options.measuresStepTime = false;
  return options;
}

constexpr const char* kHeadThenAll = R"([{"epochs": 1, "trainable": ["out"]}, {}])";

}  // namespace

TEST_SUITE("run parts") {
  TEST_CASE("a run has a part for each stage and each change that makes another step, in their order") {
    const RunSpan span{8, 24};
    CHECK(textOf(partsOf(smallProject(), span)) == "0@0");
    CHECK(textOf(partsOf(projectWith(R"([{"step": 3, "name": "learning_rate", "value": 0.1}])"), span)) == "0@0");
    CHECK(textOf(partsOf(projectWith(R"([{"step": 3, "name": "clipnorm", "value": 1.0}])"), span)) == "0@0 0@3");
    CHECK(textOf(partsOf(projectWith(R"([{"step": 1, "name": "clipnorm", "value": 1.0}])"), span)) == "0@0");
    CHECK(textOf(partsOf(projectWith(R"([{"step": 25, "name": "clipnorm", "value": 1.0}])"), span)) == "0@0");
    // Other values of what is on make no other step; off and on again is the first one.
    CHECK(textOf(partsOf(projectWith(R"([{"step": 2, "name": "clipnorm", "value": 2.0}, {"step": 4, "name": "clipnorm", "value": 3.0},
                                         {"step": 6, "name": "clipnorm", "value": 0}, {"step": 7, "name": "clipvalue", "value": 3.0}])"),
                         span)) == "0@0 0@2 0@6 0@7");
    const std::string dropout = R"([{"step": 5, "name": "drop/rate", "value": 0.5}, {"step": 9, "name": "clipnorm", "value": 2.0}])";
    CHECK(textOf(partsOf(projectWith(dropout, kHeadThenAll), span)) == "1@0 1@5 2@0");
    CHECK(textOf(partsOf(projectWith(dropout, kHeadThenAll), {8, 24, 6, 0, 2})) == "1@0 2@0");
    CHECK(textOf(partsOf(projectWith(dropout, kHeadThenAll), {8, 8})) == "1@0 1@5");
  }

  TEST_CASE("what is planned is what the run takes, and a limit below it ends the run before its first step") {
    struct Row {
      const char *changes, *stages;
      double rate = 0;
      int pieces = 1;
    };
    const Row rows[] = {
        {R"([{"step": 3, "name": "global_clipnorm", "value": 1.0}])", ""},
        {R"([{"step": 3, "name": "drop/rate", "value": 0.5}, {"step": 6, "name": "drop/rate", "value": 0}])", ""},
        {R"([{"step": 5, "name": "drop/rate", "value": 0}, {"step": 9, "name": "clipvalue", "value": 0.5}])", "", 0.5},
        {R"([{"step": 1, "name": "drop/rate", "value": 0}])", "", 0.5},
        {R"([{"step": 3, "name": "weight_decay", "value": 0.1}])", ""},
        {R"([{"step": 999, "name": "global_clipnorm", "value": 1.0}])", ""},
        {R"([{"step": 9, "name": "global_clipnorm", "value": 1.0}])", kHeadThenAll},
        {R"([{"step": 3, "name": "clipvalue", "value": 0.2}, {"step": 4, "name": "global_clipnorm", "value": 0.5}])", kHeadThenAll, 0, 3},
        {R"([{"step": 12, "name": "clipnorm", "value": 1.0}, {"step": 2, "name": "drop/rate", "value": 0.5}])", kHeadThenAll},
    };
    for (const Row& row : rows) {
      for (const char* recompute : {"none", "auto", "all"}) {
        CAPTURE(row.changes);
        CAPTURE(recompute);
        Project project = projectWith(row.changes, row.stages, row.rate);
        project.document()["execution"]["recompute"] = recompute;
        project.document()["training"]["epochs"] = 2;
        project.document()["training"]["gradient_accumulation_steps"] = row.pieces;
        PlanOptions planning = planOnly();
        const TrainingPlan plan = planTraining(project, planning);
        SessionOptions options = optionsFor(project);
        Recorder recorder;
        const RunOutcome outcome = trainAll(options, recorder);
        REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
        CHECK(outcome.peakBytes == plan.peakBytes);
        CHECK(recorder.start.plannedPeakBytes == plan.peakBytes);
        const MemoryPlan& told = recorder.start.memoryPlan;
        CHECK(std::accumulate(told.byCategoryAtPeak.begin(), told.byCategoryAtPeak.end(), told.holesBytes) == plan.peakBytes);
        // To the byte; and where something is recomputed, what is smaller than that fits as well.
        options.memoryLimitBytes = planning.memoryLimitBytes = plan.peakBytes;
        Recorder exact;
        CHECK(trainAll(options, exact).peakBytes <= plan.peakBytes);
        CHECK(exact.outcome.outcome == Outcome::Finished);
        options.memoryLimitBytes = planning.memoryLimitBytes = plan.peakBytes - 64;
        const TrainingPlan less = planTraining(project, planning);
        Recorder limited;
        const RunOutcome second = trainAll(options, limited);
        CHECK(less.fits == (second.outcome == Outcome::Finished));
        if (less.fits) CHECK(second.peakBytes == less.peakBytes);
        if (!less.fits) CHECK(limited.steps.empty());
        for (const PlanRemedy& remedy : less.remedies) {
          if (remedy.what != "batch_size") continue;
          Project smaller = project;
          smaller.document()["training"]["batch_size"] = remedy.value;
          SessionOptions again = optionsFor(smaller);
          again.memoryLimitBytes = options.memoryLimitBytes;
          again.maxSteps = 17;
          Recorder fits;
          CHECK(trainAll(again, fits).outcome == Outcome::Finished);
        }
      }
    }
  }

  TEST_CASE("a change by hand that breaks the limit is refused with a sentence, and the run goes on; one that does not is made") {
    const Project project = projectWith("[]");
    const TrainingPlan plan = planTraining(project, planOnly());
    SessionOptions options = optionsFor(project);
    options.recompute = Recompute::None;
    options.memoryLimitBytes = plan.peakBytes;
    Recorder recorder;
    TrainingSession session(options, recorder);
    recorder.onStepDone = [&](int64_t step) {
      if (step == 3) session.change("drop/rate", 0.5);
      if (step == 5) session.change("weight_decay", 0.01);
      if (step == 6) session.change("learning_rate", 0.02, 9);
    };
    session.start();
    const RunOutcome outcome = session.wait();
    REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
    CHECK(outcome.peakBytes <= plan.peakBytes);
    REQUIRE(recorder.warnings.size() == 1);
    CHECK(
        recorder.warnings[0].starts_with("drop/rate: stays as it is: with this change the training step "
                                         "does not fit (expected at most " +
                                         std::to_string(plan.peakBytes) + " bytes, got "));
    REQUIRE(recorder.settings.size() == 2);
    CHECK(recorder.settings[0].name == "weight_decay");
    CHECK(recorder.settings[1].step == 9);
  }
}
