// SPDX-License-Identifier: Apache-2.0
// Tests that the collected outputs of an evaluation are those of its predictions, and which outputs
// are not collected.
#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "core/check/checked_project.h"
#include "core/train/evaluator.h"
#include "core/train/network.h"
#include "core/train/output_collector.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

/// Returns the first collected output of a project with initial weights.
Figure<CollectedOutput> collect(const Project& project, bool isClassifier,
                                int64_t maxBytes = kMaxCollectedBytes) {
  const CheckedProject checked(project);
  NetworkOptions options;
  options.device = "reference";
  Network network(checked, options);
  const auto dataset = loadDataset(project);
  const int64_t count = dataset->test->count();
  network.prepare({}, {1, count}, dataset.get());
  network.state().initialize(1, dataset.get());
  ClassReading reading;
  reading.isClassifier = isClassifier;
  OutputCollector collector(network, {&reading, 1}, count, maxBytes);
  BatchSums sums;
  network.evaluate(*dataset->test, dataset->transforms, 0, count, {}, sums,
                   [&](const Program& program, int64_t, int64_t) { collector.add(program); });
  return collector.take(*dataset->test, *dataset, 0)[0];
}

}  // namespace

TEST_SUITE("output_collector") {
  TEST_CASE("collecting outputs does not change an evaluation") {
    const TemporaryFolder folder;
    Recorder recorder;
    REQUIRE(trainAll(optionsFor(smallProject(), folder / "run"), recorder).weightsPath != "");
    Evaluator evaluator(smallProject(), (folder / "run").string(), "reference");
    for (const char* split : {"test", "train", "validation"}) {
      CAPTURE(split);
      const EvaluationResult plain = evaluator.evaluate(split),
                             more = evaluator.evaluate(split, nullptr, Collect::Outputs);
      CHECK(plain.collected.empty());
      CHECK(plain.loss == more.loss);
      CHECK(plain.metrics == more.metrics);
      CHECK(plain.outputs[0].predictedClasses == more.outputs[0].predictedClasses);
      CHECK(plain.outputs[0].confidences == more.outputs[0].confidences);
      CHECK(plain.outputs[0].classes == more.outputs[0].classes);
      REQUIRE(more.collected.size() == 1);
      REQUIRE(more.collected[0]);
      const CollectedOutput& output = *more.collected[0];
      CHECK(output.output == "out");
      CHECK(output.kind == OutputKind::Classes);
      CHECK(output.samples == more.samples);
      CHECK(output.predictedClasses == more.outputs[0].predictedClasses);
      CHECK(output.classes == more.outputs[0].classes);
      CHECK(output.classNames == std::vector<std::string>{"0", "1", "2"});
      for (int64_t i = 0; i < output.samples; ++i) {
        const auto sample = static_cast<size_t>(i);
        const float* row = output.predicted.data() + i * output.columns;
        CHECK(row[output.predictedClasses[sample]] == more.outputs[0].confidences[sample]);
        CHECK(row[0] + row[1] + row[2] == doctest::Approx(1));
      }
    }
  }

  TEST_CASE("logits become the probabilities that decide the class") {
    ClassReading reading{true, false, true};
    std::vector<float> values{1, -2, 3.5f, 0};
    const PredictedClass predicted = *reading.classOf(values);
    reading.makeProbabilities(values);
    CHECK(values[2] == predicted.probability);
    CHECK(values[0] + values[1] + values[2] + values[3] == doctest::Approx(1));
    CHECK(values[0] / values[3] == doctest::Approx(std::exp(1.0)));
    // Probabilities stay, also if their sum is rounded
    reading.isLogits = false;
    std::vector<float> probabilities{0.2f, 0.3f, 0.5001f};
    reading.makeProbabilities(probabilities);
    CHECK(probabilities == std::vector<float>{0.2f, 0.3f, 0.5001f});
    const ClassReading binary{true, true, true};
    std::vector<float> labels{0, 2};
    binary.makeProbabilities(labels);
    CHECK(labels[0] == 0.5f);
    CHECK(labels[1] == doctest::Approx(1 / (1 + std::exp(-2.0))));
  }

  TEST_CASE("outputs that need too much memory are not collected") {
    // 130 samples with three probabilities of four bytes, all of which are test samples
    const Project project =
        smallProjectWith({{"/data/source/samples", "1300"}, {"/data/validation_split", "0"}});
    const int64_t bytes = 130 * 3 * 4;
    CHECK(collect(project, true, bytes));
    const Figure<CollectedOutput> refused = collect(project, true, bytes - 1);
    REQUIRE_FALSE(refused);
    CHECK(refused.reason().sentence().find("too much memory (1.5 KiB") != std::string::npos);
  }

  TEST_CASE("samples that the loss ignores are marked") {
    const TemporaryFolder folder;
    const Project project = smallProjectWith(
        {{"/training/loss", R"({"type": "sparse_categorical_crossentropy", "ignore_class": 1})"}});
    Recorder recorder;
    REQUIRE(trainAll(optionsFor(project, folder / "run"), recorder).weightsPath != "");
    Evaluator evaluator(project, (folder / "run").string(), "reference");
    const EvaluationResult result = evaluator.evaluate("train", nullptr, Collect::Outputs);
    REQUIRE(result.collected[0]);
    const CollectedOutput& output = *result.collected[0];
    CHECK(output.classes == result.outputs[0].classes);
    CHECK(std::ranges::count(output.classes, -1) > 10);
    CHECK(std::ranges::count(output.classes, 1) == 0);
  }

  TEST_CASE("an output with a class for each position, or with masks, is not collected") {
    Project project = smallProjectWith({{"/training/metrics", "[]"}});
    project.document()["data"]["source"] =
        Json::parse(R"({"type": "values", "x": [[1, 2, 0], [2, 0, 0]],
                        "y": [[0, 1, 0], [1, 0, 0]]})");
    project.document()["data"]["validation_split"] = 0;
    project.document()["model"]["layers"] = Json::parse(R"([
      {"type": "Input", "name": "x", "shape": [3]},
      {"type": "Embedding", "name": "embed", "input_dim": 4, "output_dim": 2, "mask_zero": true},
      {"type": "Dense", "name": "out", "units": 2, "activation": "softmax"}])");
    const Figure<CollectedOutput> positions = collect(project, false);
    REQUIRE_FALSE(positions);
    CHECK(positions.reason().sentence().find("each position") != std::string::npos);
    project.document()["training"]["loss"] = "mean_squared_error";
    project.document()["model"]["layers"][2]["units"] = 1;
    project.document()["model"]["layers"][2].erase("activation");
    project.document()["data"]["source"]["y"] = Json::parse("[[[0.5], [1], [0]], [[1], [0], [0]]]");
    const Figure<CollectedOutput> masked = collect(project, false);
    REQUIRE_FALSE(masked);
    CHECK(masked.reason().sentence().find("masked") != std::string::npos);
    project.document()["model"]["layers"][1]["mask_zero"] = false;
    CHECK(collect(project, false));
  }
}
