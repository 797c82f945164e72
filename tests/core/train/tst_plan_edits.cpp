// SPDX-License-Identifier: Apache-2.0
#include <map>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/train/plan_edits.h"
#include "tests/support/paths.h"
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

  TEST_CASE("each remedy makes the step fit, in as many bytes as it says") {
    struct Case {
      const char* project;
      const char* recompute;
      int64_t limit;
    };
    PlanOptions options;
    options.threads = 2;
    options.measuresStepTime = false;
    std::map<std::string, int> seen;
    for (const Case& each :
         {Case{"mnist-resnet", "none", 8'000'000}, Case{"mnist-resnet", "auto", 4'000'000}, Case{"mnist-cnn", "none", 4'488'000}}) {
      CAPTURE(std::string(each.project));
      Json document = loadProject((sourceDir() / "projects" / (each.project + std::string(".json"))).string()).value().document();
      document["execution"]["memory_limit"] = each.limit;
      document["execution"]["recompute"] = each.recompute;
      options.findsLargestBatch = true;
      const TrainingPlan plan = planTraining(Project(document), options);
      CHECK(!plan.fits);
      CHECK(!plan.remedies.empty());
      options.findsLargestBatch = false;
      for (const PlanRemedy& remedy : plan.remedies) {
        CAPTURE(remedy.what);
        ++seen[remedy.what + (remedy.recomputes ? ", operations run twice" : "") + (remedy.setsRecompute ? ", which is let" : "")];
        Json changed = document;
        applyEdit(changed, useRemedyEdit(remedy));
        const TrainingPlan taken = planTraining(Project(changed), options);
        CHECK(taken.fits);
        CHECK(taken.peakBytes == remedy.peakBytes);
        CHECK(remedy.layers.empty() == (remedy.what != "recompute" || remedy.value == 0));
      }
    }
    std::string kinds;
    for (const auto& [kind, times] : seen) kinds += kind + " " + std::to_string(times) + "; ";
    MESSAGE(kinds);
    CHECK(seen.size() >= 5);
  }
}
