// SPDX-License-Identifier: Apache-2.0
// Tests that evaluation needs no more memory than the planned step. Layers that need more memory
// outside training get fewer samples at once.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "core/train/network.h"
#include "core/train/plan.h"

using namespace strata;

namespace {

Project croppedImages() {
  return Project(Json::parse(R"({"format": "strata-project", "version": 1, "name": "cropped",
      "data": {"source": {"type": "random", "samples": 300, "shape": [24, 20, 3], "classes": 4, "seed": 1}, "validation_split": 0.3},
      "model": {"layers": [{"type": "Input", "name": "image", "shape": [24, 20, 3]}, {"type": "RandomCrop", "name": "crop", "height": 6, "width": 5},
                           {"type": "Flatten", "name": "flat"}, {"type": "Dense", "name": "out", "units": 4, "activation": "softmax"}]},
      "training": {"loss": "sparse_categorical_crossentropy", "optimizer": "sgd", "metrics": ["accuracy"], "batch_size": 64, "epochs": 1}})"),
                 "");
}

}  // namespace

TEST_SUITE("evaluation memory") {
  TEST_CASE("layers that need more memory outside training get fewer samples at once") {
    const Project project = croppedImages();
    PlanOptions planning;
    planning.findsLargestBatch = planning.measuresStepTime = false;
    const TrainingPlan plan = planTraining(project, planning);
    const auto dataset = loadDataset(project);

    Network whole(project, {});
    // This network is prepared without training steps, so its batches are not split.
    whole.prepare({}, {dataset->validationCount}, dataset.get());
    REQUIRE(whole.plannedPeakBytes() > plan.peakBytes);
    whole.state().initialize(3);
    BatchSums expected, sums;
    REQUIRE(whole.evaluate(*dataset->train, dataset->transforms, dataset->trainCount,
                           dataset->validationCount, {}, expected));

    Network network(project, {});
    network.prepare(network.steps().batchesOf(dataset->trainCount), {dataset->validationCount},
                    dataset.get());
    CHECK(network.allocatedBytes() == plan.peakBytes);
    CHECK(network.plannedPeakBytes() == plan.peakBytes);
    network.state().initialize(3);
    REQUIRE(network.evaluate(*dataset->train, dataset->transforms, dataset->trainCount,
                             dataset->validationCount, {}, sums));
    CHECK(sums.samples == expected.samples);
    CHECK(sums.loss == doctest::Approx(expected.loss).epsilon(1e-5));
    CHECK(sums.metrics == expected.metrics);
  }
}
