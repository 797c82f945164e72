// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "core/data/dataset.h"
#include "core/train/network.h"
#include "core/train/plan_edits.h"
#include "tests/support/paths.h"
#include "tests/support/small_run.h"

using namespace strata;

TEST_SUITE("plan edits") {
  TEST_CASE(
      "with each point of the budget curve as a limit, the step needs the predicted bytes and "
      "time") {
    std::vector<Json> documents{smallProject().document()};
    for (const char* name : {"mnist-cnn", "mnist-resnet"})
      documents.push_back(
          loadProject((sourceDir() / "projects" / (name + std::string(".json"))).string())
              .value()
              .document());
    Json cut = documents.back(), none = documents.front();
    cut["training"]["gradient_accumulation_steps"] = 3;
    Json disabled = none;
    none["execution"]["recompute"] = "none";
    disabled["execution"]["disabled_passes"] = {"recompute", "fuse_pooling"};
    documents.insert(documents.end(), {cut, none, disabled});
    int inLastBatch = 0;
    for (const Json& document : documents) {
      CAPTURE(document.dump());
      PlanOptions options;
      options.threads = 2;
      options.findsLargestBatch = options.measuresStepTime = false;
      options.drawsCurve = true;
      const std::vector<PlanBudget> curve = planTraining(Project(document), options).curve;
      REQUIRE(curve.size() >= 2);
      CHECK(curve.front().slowdown == 0);
      options.drawsCurve = false;
      for (size_t i = 0; i < curve.size(); ++i) {
        const PlanBudget& budget = curve[i];
        const auto bytes = static_cast<int64_t>(budget.limitBytes);
        if (i > 0) CHECK(budget.limitBytes < curve[i - 1].limitBytes);
        if (i > 1) CHECK(budget.slowdown > curve[i - 1].slowdown);
        Json limited = document;
        const ProjectEdit inverse = applyEdit(limited, useLimitEdit(limited, bytes));
        CHECK(limited.at("execution").at("memory_limit") == bytes);
        const TrainingPlan plan = planTraining(Project(limited), options);
        CHECK(plan.recompute == Recompute::Auto);
        CHECK(plan.fits);
        CHECK(plan.limitBytes == budget.limitBytes);
        CHECK(plan.peakBytes == budget.peakBytes);
        CHECK(plan.slowdown == doctest::Approx(budget.slowdown));
        CHECK((!plan.repeats.empty() || !plan.shrunk.empty() || plan.updatesEarly) ==
              (plan.peakBytes < plan.keptPeakBytes));
        // Each byte of the peak has a category, a value and a layer, even if the smaller last batch
        // causes the peak.
        size_t byCategory = 0, byHolder = 0, byLayer = 0, most = 0;
        for (const size_t bytesOf : plan.memory.byCategoryAtPeak)
          byCategory += bytesOf;
        for (const PlanHolder& holder : plan.atPeak)
          byHolder += holder.bytes;
        for (const MemoryPlan::LayerBytes& row : plan.memory.byLayerAtPeak)
          byLayer += row.bytes;
        for (const PlanInstant& instant : plan.timeline)
          most = std::max(most, instant.liveBytes);
        CHECK(byHolder == byCategory);
        CHECK(byLayer == byCategory);
        CHECK(most == byCategory);
        inLastBatch += plan.isPeakInLastBatch;
        Diagnostics ignored;
        NetworkOptions training;
        training.threads = 2;
        Network network(Project(limited), training);
        network.prepare(
            network.steps().batchesOf(describeDataset(Project(limited), ignored).trainCount), {});
        CHECK(network.allocatedBytes() == plan.peakBytes);
        applyEdit(limited, inverse);
        CHECK(limited == document);
      }
    }
    CHECK(inLastBatch > 0);
  }

  TEST_CASE("with each remedy the step fits in the number of bytes that the remedy states") {
    struct Case {
      const char* project;
      const char* recompute;
      int64_t limit;
      bool isPassDisabled = false;
    };
    PlanOptions options;
    options.threads = 2;
    options.measuresStepTime = false;
    std::map<std::string, int> seen;
    for (const Case& each :
         {Case{"mnist-resnet", "none", 8'000'000}, Case{"mnist-resnet", "auto", 4'000'000},
          Case{"mnist-cnn", "none", 4'488'000}, Case{"mnist-resnet", "auto", 8'000'000, true}}) {
      CAPTURE(std::string(each.project));
      Json document =
          loadProject((sourceDir() / "projects" / (each.project + std::string(".json"))).string())
              .value()
              .document();
      document["execution"]["memory_limit"] = each.limit;
      document["execution"]["recompute"] = each.recompute;
      if (each.isPassDisabled) document["execution"]["disabled_passes"] = {"order", "recompute"};
      options.findsLargestBatch = true;
      const TrainingPlan plan = planTraining(Project(document), options);
      CHECK(!plan.fits);
      CHECK(!plan.remedies.empty());
      options.findsLargestBatch = false;
      for (const PlanRemedy& remedy : plan.remedies) {
        CAPTURE(remedy.what);
        ++seen[remedy.what + (remedy.recomputes ? ", operations run twice" : "") +
               (remedy.setsRecompute ? ", which is let" : "")];
        Json changed = document;
        applyEdit(changed, useRemedyEdit(changed, remedy));
        const TrainingPlan taken = planTraining(Project(changed), options);
        CHECK(taken.fits);
        CHECK(taken.peakBytes == remedy.peakBytes);
        CHECK(remedy.enablesPass == (each.isPassDisabled && remedy.recomputes));
        CHECK((remedyText(remedy).find("and the pass recompute enabled") != std::string::npos) ==
              remedy.enablesPass);
        CHECK(remedy.layers.empty() == (remedy.what != "recompute" || remedy.value == 0));
      }
    }
    std::string kinds;
    for (const auto& [kind, times] : seen)
      kinds += kind + " " + std::to_string(times) + "; ";
    MESSAGE(kinds);
    CHECK(seen.size() >= 5);
  }
}
