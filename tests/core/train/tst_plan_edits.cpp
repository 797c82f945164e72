// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/train/plan_edits.h"
#include "tests/support/small_run.h"

using namespace strata;

TEST_SUITE("plan edits") {
  TEST_CASE("each budget of the curve can be taken as a limit, and the step then fits it") {
    for (const char* recompute : {"auto", "none"}) {
      Json document = smallProject().document();
      document["execution"] = {{"recompute", recompute}};
      PlanOptions options;
      options.findsLargestBatch = options.measuresStepTime = false;
      options.drawsCurve = true;
      const std::vector<PlanBudget> curve = planTraining(Project(document), options).curve;
      REQUIRE(curve.size() >= 2);
      options.drawsCurve = false;
      for (const PlanBudget& budget : curve) {
        Json limited = document;
        const ProjectEdit inverse = applyEdit(limited, useLimitEdit(limited, limitFor(budget)));
        CHECK(limited.at("execution").at("memory_limit") == limitFor(budget));
        CHECK(limited.at("execution").at("recompute") == "auto");
        const TrainingPlan plan = planTraining(Project(limited), options);
        CHECK(plan.fits);
        CHECK(plan.limitBytes == static_cast<size_t>(limitFor(budget)));
        applyEdit(limited, inverse);
        CHECK(limited == document);
      }
    }
  }

  TEST_CASE("each remedy makes the step fit") {
    Json document = smallProject().document();
    PlanOptions options;
    options.measuresStepTime = false;
    const size_t kept = planTraining(Project(document), options).peakBytes;
    document["execution"] = {{"memory_limit", kept * 8 / 10}, {"recompute", "none"}};
    const TrainingPlan plan = planTraining(Project(document), options);
    CHECK(!plan.fits);
    CHECK(!plan.remedies.empty());
    for (const PlanRemedy& remedy : plan.remedies) {
      CAPTURE(remedy.what);
      Json changed = document;
      applyEdit(changed, useRemedyEdit(remedy));
      const TrainingPlan taken = planTraining(Project(changed), options);
      CHECK(taken.fits);
      CHECK(taken.peakBytes == remedy.peakBytes);
      CHECK(remedy.layers.empty() == (remedy.what != "recompute" || remedy.value == 0));
    }
  }
}
