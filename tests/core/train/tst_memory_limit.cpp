// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/train/plan_edits.h"
#include "core/train/session.h"
#include "gpu/base/bytes.h"
#include "tests/support/small_run.h"

using namespace strata;

TEST_SUITE("memory limit") {
  TEST_CASE(
      "recomputing respects a memory limit with the same weights, and remedies are named if it "
      "cannot") {
    const Project project = smallProject();
    PlanOptions plan;
    plan.recompute = Recompute::None;
    plan.findsLargestBatch = plan.measuresStepTime = false;
    const TrainingPlan kept = planTraining(project, plan);
    CHECK(kept.repeats.empty());
    size_t live = 0, held = 0;
    for (const PlanInstant& instant : kept.timeline)
      live = std::max(live, instant.liveBytes);
    for (const PlanHolder& holder : kept.atPeak)
      held += holder.bytes;
    CHECK(held == live);
    CHECK(live + kept.memory.holesBytes == kept.peakBytes);

    // The limit is halfway between the smallest peak and the peak without recomputation.
    plan.recompute = Recompute::All;
    const size_t smallest = planTraining(project, plan).peakBytes;
    REQUIRE(smallest < kept.peakBytes);
    plan.recompute = Recompute::Auto;
    plan.memoryLimitBytes = (smallest + kept.peakBytes) / 2;
    plan.drawsCurve = true;
    const TrainingPlan limited = planTraining(project, plan);
    CHECK(limited.fits);
    CHECK(limited.keptPeakBytes == kept.peakBytes);
    REQUIRE(limited.curve.size() >= 2);
    CHECK(limited.curve.front().slowdown == 0);

    std::string hashes[2];
    for (const bool isLimited : {false, true}) {
      SessionOptions options;
      options.project = project;
      options.writesRunDirectory = false;
      options.maxSteps = 5;
      options.recompute = isLimited ? Recompute::Auto : Recompute::None;
      if (isLimited) options.memoryLimitBytes = plan.memoryLimitBytes;
      RunObserver observer;
      TrainingSession session(options, observer);
      session.start();
      const RunOutcome outcome = session.wait();
      REQUIRE(outcome.outcome == Outcome::Finished);
      hashes[isLimited ? 1 : 0] = outcome.weightsHash;
      if (isLimited) CHECK(outcome.peakBytes <= *plan.memoryLimitBytes);
    }
    CHECK(hashes[0] == hashes[1]);

    plan.memoryLimitBytes = smallest - smallest / 20;
    plan.findsLargestBatch = true;
    const TrainingPlan tooLarge = planTraining(project, plan);
    CHECK_FALSE(tooLarge.fits);
    REQUIRE_FALSE(tooLarge.remedies.empty());
    for (const PlanRemedy& remedy : tooLarge.remedies)
      CHECK(remedy.peakBytes <= *plan.memoryLimitBytes);

    SessionOptions options;
    options.project = project;
    options.writesRunDirectory = false;
    options.memoryLimitBytes = plan.memoryLimitBytes;
    RunObserver observer;
    TrainingSession session(options, observer);
    session.start();
    const RunOutcome refused = session.wait();
    REQUIRE(refused.error);
    CHECK(std::string(refused.error->what())
              .find("expected at most " + bytesText(static_cast<double>(*plan.memoryLimitBytes))) !=
          std::string::npos);
    // The message names remedies of the plan. Predictions determine which one is the fastest.
    bool isOneOfThem = false;
    const std::string message = refused.error->what();
    for (const PlanRemedy& remedy : tooLarge.remedies)
      isOneOfThem |=
          message.find("(see strata plan). Best setting: " + remedyText(remedy) + ", " +
                       bytesText(static_cast<double>(remedy.peakBytes))) != std::string::npos;
    CHECK(isOneOfThem);
    CHECK(message.ends_with("iB."));
  }
}
