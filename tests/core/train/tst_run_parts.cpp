// SPDX-License-Identifier: Apache-2.0
// Tests runs whose training step is compiled again for stages or changed settings. All parts of the
// run are planned before the first step, so that their memory is known.
#include <numeric>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/recipe/run_edits.h"
#include "core/train/plan.h"
#include "gpu/base/bytes.h"
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
  const TrainingOptions training = parseTraining(project, none);
  return runParts(project, training.stages, training.changes, span);
}

/// Returns "stage@step" for each part.
std::string textOf(const std::vector<RunPart>& parts) {
  std::string text;
  for (const RunPart& part : parts)
    text += (text.empty() ? "" : " ") + std::to_string(part.stage) + "@" +
            std::to_string(part.fromStep);
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
  TEST_CASE("a run has one part for each stage and for each setting that changes the step") {
    const RunSpan span{8, 24};
    CHECK(textOf(partsOf(smallProject(), span)) == "0@0");
    CHECK(textOf(partsOf(projectWith(R"([{"step": 3, "name": "learning_rate", "value": 0.1}])"),
                         span)) == "0@0");
    CHECK(textOf(partsOf(projectWith(R"([{"step": 3, "name": "clipnorm", "value": 1.0}])"),
                         span)) == "0@0 0@3");
    CHECK(textOf(partsOf(projectWith(R"([{"step": 1, "name": "clipnorm", "value": 1.0}])"),
                         span)) == "0@0");
    CHECK(textOf(partsOf(projectWith(R"([{"step": 25, "name": "clipnorm", "value": 1.0}])"),
                         span)) == "0@0");
    // Changing the value of an enabled setting does not change the compiled step. Enabling and then
    // disabling a setting gives the first compiled step again.
    CHECK(
        textOf(partsOf(
            projectWith(
                R"([{"step": 2, "name": "clipnorm", "value": 2.0}, {"step": 4, "name": "clipnorm", "value": 3.0},
                                         {"step": 6, "name": "clipnorm", "value": 0}, {"step": 7, "name": "clipvalue", "value": 3.0}])"),
            span)) == "0@0 0@2 0@7");
    const std::string dropout =
        R"([{"step": 5, "name": "drop/rate", "value": 0.5}, {"step": 9, "name": "clipnorm", "value": 2.0}])";
    CHECK(textOf(partsOf(projectWith(dropout, kHeadThenAll), span)) == "1@0 1@5 2@0");
    CHECK(textOf(partsOf(projectWith(dropout, kHeadThenAll), {8, 24, 6, 0, 2})) == "1@0 2@0");
    CHECK(textOf(partsOf(projectWith(dropout, kHeadThenAll), {8, 8})) == "1@0 1@5");
    // The stage of this checkpoint has ended, so the run continues with the next stage.
    CHECK(textOf(partsOf(projectWith(dropout, kHeadThenAll), {8, 24, 8, 0, 0})) == "1@0 2@0");
    // A change at the start of a stage is not a separate part.
    const char* const bySteps = R"([{"steps": 4, "trainable": ["out"]}, {}])";
    CHECK(textOf(partsOf(projectWith(R"([{"step": 5, "name": "clipnorm", "value": 2.0}])", bySteps),
                         span)) == "1@0 2@0");
    const char* const rates =
        R"([{"epochs": 1}, {"epochs": 1, "learning_rate": 0.1}, {"learning_rate": 0.2}])";
    CHECK(textOf(partsOf(projectWith("[]", rates), span)) == "1@0");
    CHECK(
        textOf(partsOf(projectWith(R"([{"step": 5, "name": "drop/rate", "value": 0.5}])", "", 0.25),
                       span)) == "0@0");
  }

  TEST_CASE(
      "a run uses the planned memory, and with a smaller limit it ends before its first step") {
    struct Row {
      const char *changes, *stages;
      double rate = 0;
      int pieces = 1;
    };
    const Row rows[] = {
        {R"([{"step": 3, "name": "global_clipnorm", "value": 1.0}])", ""},
        {R"([{"step": 3, "name": "drop/rate", "value": 0.5}, {"step": 6, "name": "drop/rate", "value": 0}])",
         ""},
        {R"([{"step": 5, "name": "drop/rate", "value": 0}, {"step": 9, "name": "clipvalue", "value": 0.5}])",
         "", 0.5},
        {R"([{"step": 1, "name": "drop/rate", "value": 0}])", "", 0.5},
        {R"([{"step": 3, "name": "weight_decay", "value": 0.1}])", ""},
        {R"([{"step": 999, "name": "global_clipnorm", "value": 1.0}])", ""},
        {R"([{"step": 9, "name": "global_clipnorm", "value": 1.0}])", kHeadThenAll},
        {R"([{"step": 3, "name": "clipvalue", "value": 0.2}, {"step": 4, "name": "global_clipnorm", "value": 0.5}])",
         kHeadThenAll, 0, 3},
        {R"([{"step": 12, "name": "clipnorm", "value": 1.0}, {"step": 2, "name": "drop/rate", "value": 0.5}])",
         kHeadThenAll},
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
        const MemoryPlan& reported = recorder.start.memoryPlan;
        CHECK(std::accumulate(reported.byCategoryAtPeak.begin(), reported.byCategoryAtPeak.end(),
                              reported.holesBytes) == plan.peakBytes);
        // A limit of exactly the peak is enough.
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

  TEST_CASE("under a limit, a part without recomputation may need more memory than one with it") {
    Project project = loadProject((sourceDir() / "projects/mnist-resnet.json").string()).value();
    project.document()["training"]["batch_size"] = 32;
    project.document()["training"]["stages"] =
        Json::parse(R"([{"epochs": 1, "trainable": ["coarse", "out"]}, {}])");
    PlanOptions planning = planOnly();
    planning.device = "cpu";
    planning.findsLargestBatch = false;
    const TrainingPlan whole = planTraining(project, planning);
    CHECK(whole.stage == 2);
    CHECK_FALSE(whole.isPeakInOtherPart);
    Project light = project;
    light.document()["training"]["stages"] = Json::parse(R"([{"trainable": ["coarse", "out"]}])");
    const size_t ofLight = planTraining(light, planning).peakBytes;
    int inOther = 0;
    for (const size_t limit : {ofLight, ofLight + 20'000, ofLight + 400'000, ofLight * 3 / 2}) {
      CAPTURE(limit);
      planning.memoryLimitBytes = limit;
      const TrainingPlan plan = planTraining(project, planning);
      if (!plan.fits) continue;
      CHECK(plan.stage == 2);
      CHECK(plan.keptPeakBytes == whole.keptPeakBytes);
      CHECK(!plan.repeats.empty());
      CHECK(std::accumulate(plan.memory.byCategoryAtPeak.begin(),
                            plan.memory.byCategoryAtPeak.end(),
                            plan.memory.holesBytes) == plan.peakBytes);
      CHECK(plan.peakStage == (plan.isPeakInOtherPart ? 1 : 2));
      inOther += plan.isPeakInOtherPart;
      SessionOptions options = optionsFor(project);
      options.device = "cpu";
      options.memoryLimitBytes = limit;
      options.maxSteps = 1;
      Recorder recorder;
      const RunOutcome outcome = trainAll(options, recorder);
      REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
    }
    CHECK(inOther > 0);
  }

  TEST_CASE("a resumed run plans its remaining parts, with its current batch size and length") {
    TemporaryFolder folder;
    Project project =
        projectWith(R"([{"step": 14, "name": "drop/rate", "value": 0.5}])", kHeadThenAll);
    project.document()["execution"]["recompute"] = "none";
    SessionOptions options = optionsFor(project, folder / "run");
    options.maxSteps = 4;
    Recorder begun;
    REQUIRE(trainAll(options, begun).outcome == Outcome::Finished);
    for (const int64_t batch : {16, 64}) {
      CAPTURE(batch);
      const auto run = folder / std::to_string(batch);
      std::filesystem::copy(folder / "run", run, std::filesystem::copy_options::recursive);
      SessionOptions further = resumeOptions(project, run);
      further.batchSize = batch;
      further.maxSteps = 30;
      Recorder recorder;
      const RunOutcome outcome = trainAll(further, recorder);
      REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
      CHECK(recorder.start.plannedPeakBytes == outcome.peakBytes);
      std::filesystem::remove_all(run);
      std::filesystem::copy(folder / "run", run, std::filesystem::copy_options::recursive);
      further.memoryLimitBytes = outcome.peakBytes - 64;
      Recorder refused;
      const RunOutcome second = trainAll(further, refused);
      REQUIRE(second.error);
      CHECK(refused.steps.empty());
      CHECK(std::string(second.error->what()).starts_with("the training step of stage 2"));
    }
  }

  TEST_CASE("a run that is longer than its project is planned to its end, also in remedies") {
    Project project = projectWith(R"([{"step": 20, "name": "drop/rate", "value": 0.5}])");
    project.document()["training"]["epochs"] = 1;
    SessionOptions options = optionsFor(project);
    options.recompute = Recompute::None;
    options.memoryLimitBytes = planTraining(project, planOnly()).peakBytes;
    Recorder fits, refused;
    CHECK(trainAll(options, fits).outcome == Outcome::Finished);
    options.maxSteps = 30;
    const RunOutcome outcome = trainAll(options, refused);
    REQUIRE(outcome.error);
    CHECK(refused.steps.empty());
    CHECK(std::string(outcome.error->what()).find("from step 20 on does not fit") !=
          std::string::npos);
    CHECK(std::string(outcome.error->what()).find("Best setting: ") != std::string::npos);
  }

  TEST_CASE("changed settings that fit only together are applied together") {
    const Project project = projectWith("[]", "", 0.5);
    Project two = project;
    Json& layers = two.document()["model"]["layers"];
    Json second = layers[4];
    second["name"] = "after";
    second["rate"] = 0;
    layers.insert(layers.begin() + 5, second);
    PlanOptions planning = planOnly();
    SessionOptions options = optionsFor(two);
    options.recompute = Recompute::None;
    options.memoryLimitBytes = planTraining(two, planning).peakBytes;
    Recorder recorder;
    TrainingSession session(options, recorder);
    recorder.onStepDone = [&](int64_t step) {
      if (step != 3) return;
      session.change("after/rate", 0.5);
      session.change("drop/rate", 0);
    };
    session.start();
    const RunOutcome outcome = session.wait();
    REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
    CHECK(recorder.warnings.empty());
    CHECK(recorder.settings.size() == 2);
    CHECK(outcome.peakBytes <= *options.memoryLimitBytes);
  }

  TEST_CASE(
      "a changed setting that exceeds the limit is refused with a message, and the run continues") {
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
    CHECK(recorder.warnings[0].starts_with(
        "drop/rate: is not changed, because with this change the training step "
        "does not fit (expected at most " +
        bytesText(static_cast<double>(plan.peakBytes)) + ", got "));
    REQUIRE(recorder.settings.size() == 2);
    CHECK(recorder.settings[0].name == "weight_decay");
    CHECK(recorder.settings[1].step == 9);
  }
}
