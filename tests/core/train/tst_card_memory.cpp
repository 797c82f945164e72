// SPDX-License-Identifier: Apache-2.0
// Tests that the plan for a simulated card says what is allocated on it: the memory of the step,
// the places through which inputs and results pass, and the context, which counts against the
// memory of the card.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/cost/simulated_card.h"
#include "core/project/project.h"
#include "core/train/network.h"
#include "core/train/plan.h"
#include "gpu/base/error.h"
#include "gpu/devices/devices.h"
#include "tests/support/paths.h"
#include "tests/support/skip.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

constexpr size_t kPage = size_t{2} << 20;

CheckedProject onCard(const std::string& name, const std::string& card) {
  Project project = loadProject((sourceDir() / "projects" / (name + ".json")).string()).value();
  project.document()["execution"]["devices"] = "simulated:" + card;
  return CheckedProject(project);
}

TrainingPlan planOf(const CheckedProject& project) {
  PlanOptions options;
  options.findsLargestBatch = options.measuresStepTime = false;
  return planTraining(project, options);
}

}  // namespace

TEST_SUITE("memory of cards") {
  TEST_CASE("the plan for a card is what is allocated on it") {
    if (!test::canRun(whyNoSimulatedCards())) return;
    for (const char* card : {"RTX 4090", "GTX 1650", "H100"})
      for (const char* name : {"linear-regression", "mnist-mlp-128", "lenet5", "mnist-cnn"}) {
        CAPTURE(card);
        CAPTURE(name);
        const CheckedProject project = onCard(name, card);
        const TrainingPlan plan = planOf(project);
        CHECK(plan.isContextEstimated);
        CHECK(plan.contextBytes > 0);
        CHECK(plan.cardBytes > plan.contextBytes);
        CHECK(plan.limitBytes < plan.cardBytes - plan.contextBytes);
        CHECK(plan.limitBytes + plan.contextBytes + plan.transferBytes + 9 * kPage >
              plan.cardBytes);
        Network network(project, {});
        const Device& device = network.steps().device();
        const size_t before = device.memoryUse()->freeBytes;
        // The stream has one allocation from the start
        CHECK(device.memoryUse()->totalBytes - before == plan.contextBytes + kPage);
        network.prepare({plan.batchSize}, {});
        CHECK(network.plannedPeakBytes() == plan.peakBytes);
        CHECK(network.allocatedBytes() == plan.peakBytes);
        const DeviceMemoryUse use = *device.memoryUse();
        CHECK(use.transferBytes == plan.transferBytes);
        const size_t taken = before - use.freeBytes, planned = plan.peakBytes + plan.transferBytes;
        // The card rounds up each of its large allocations, of which a network has at most 8. Small
        // ones may fit in the block that the stream has taken.
        CHECK(taken + kPage >= planned);
        CHECK(taken <= planned + 8 * kPage);
      }
  }

  TEST_CASE("the context counts against the memory of the card") {
    if (!test::canRun(whyNoSimulatedCards())) return;
    Project many = onCard("mnist-mlp-128", "GTX 1650").project();
    many.document()["data"]["source"] = {
        {"type", "random"}, {"samples", int64_t{1} << 25}, {"shape", {28, 28, 1}}, {"classes", 10}};
    const CheckedProject small(many);
    // A batch whose step fits the card alone, but not next to the context
    PlanOptions options;
    options.findsLargestBatch = options.measuresStepTime = false;
    options.recompute = Recompute::None;
    bool isFound = false;
    for (int64_t batch = 1024; batch < (int64_t{1} << 24) && !isFound; batch += batch / 16) {
      options.batchSize = batch;
      const TrainingPlan larger = planTraining(small, options);
      isFound = larger.peakBytes < larger.cardBytes &&
                larger.peakBytes + larger.contextBytes > larger.cardBytes;
      if (isFound) CHECK_FALSE(larger.fits);
      if (larger.peakBytes > larger.cardBytes) break;
    }
    CHECK(isFound);
  }
}
