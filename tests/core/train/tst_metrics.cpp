// SPDX-License-Identifier: Apache-2.0
// Metrics are streamed exactly: over any batches the values are those of all samples at once. Numbers against Keras: strata verify.
#include <cmath>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/train/confusion.h"
#include "core/train/metrics.h"
#include "core/train/session.h"
#include "gpu/base/rng.h"
#include "gpu/reference/evaluate.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

constexpr int64_t kClasses = 4, kSamples = 30;

/// Values of a metric over batches of these sizes.
std::vector<double> streamed(const MetricDef& definition, const Json& fields, const std::vector<int64_t>& batches) {
  RandomStream stream(5, 1);
  const bool isLabels = definition.target == TargetKind::Labels;
  std::vector<double> sums;
  LoweredMetric metric;
  for (const int64_t count : batches) {
    Graph graph;
    const Shape shape{count, kClasses};
    const ValueId x = graph.addInput("prediction", {DType::F32, shape});
    const ValueId y = graph.addInput("target", targetType(definition.target, shape));
    metric = lowerMetric(graph, {definition.schema.type, std::make_shared<const Json>(fields)}, definition.target, x, y);
    Tensor prediction(DType::F32, shape), target(targetType(definition.target, shape));
    for (int64_t i = 0; i < count; ++i) {
      const auto label = static_cast<int32_t>(stream.uniform() * kClasses);
      float total = 0;
      for (int64_t c = 0; c < kClasses; ++c)
        total += prediction.as<float>()[static_cast<size_t>(i * kClasses + c)] = 0.05f + static_cast<float>(stream.uniform());
      for (int64_t c = 0; c < kClasses; ++c) {
        prediction.as<float>()[static_cast<size_t>(i * kClasses + c)] /= total;
        if (!isLabels) target.as<float>()[static_cast<size_t>(i * kClasses + c)] = c == label ? 1.0f : 0.0f;
      }
      if (isLabels) target.as<int32_t>()[static_cast<size_t>(i)] = label;
    }
    const auto outputs = evaluateGraph(graph, {{"prediction", prediction}, {"target", target}}, {}).outputs;
    const Tensor got = outputs.at(metric.output).converted(DType::F64);
    sums.resize(static_cast<size_t>(got.numElements()));
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += got.as<double>()[i];
  }
  std::vector<double> values(metric.names.size());
  metricValues({&metric, 1}, sums, kSamples, values);
  return values;
}

}  // namespace

TEST_SUITE("metrics") {
  TEST_CASE("every metric over one batch and over many") {
    for (const MetricDef* definition : allMetrics()) {
      CAPTURE(definition->schema.type);
      CHECK_FALSE(definition->schema.formula.empty());
      const std::vector<double> whole = streamed(*definition, *definition->defaults, {kSamples}),
                                pieces = streamed(*definition, *definition->defaults, {7, 1, 12, 10});
      REQUIRE(whole.size() == pieces.size());
      for (size_t i = 0; i < whole.size(); ++i) {
        CHECK(std::isfinite(whole[i]));
        CHECK(pieces[i] == doctest::Approx(whole[i]).epsilon(1e-5));
      }
    }
  }

  TEST_CASE("correlations are Keras's") {
    for (const auto& [type, expected] :
         {std::pair{"pearson_correlation", 1 + 0.99339927}, {"concordance_correlation", 0.97560976 + 0.98765432}}) {
      Graph graph;
      const TensorType both{DType::F32, Shape{2, 3}};
      const ValueId x = graph.addInput("prediction", both), y = graph.addInput("target", both);
      const MetricDef* definition = findMetric(type);
      REQUIRE(definition);
      const LoweredMetric metric = lowerMetric(graph, {type, definition->defaults}, TargetKind::Values, x, y);
      const Tensor target = Tensor::from<float>(both.shape, std::vector<float>{0, 1, 0.5f, 1, 1, 0.2f}),
                   prediction = Tensor::from<float>(both.shape, std::vector<float>{0.1f, 0.9f, 0.5f, 1, 0.9f, 0.2f});
      const auto outputs = evaluateGraph(graph, {{"prediction", prediction}, {"target", target}}, {}).outputs;
      CHECK(outputs.at(metric.output).converted(DType::F64).as<double>()[0] == doctest::Approx(expected).epsilon(1e-5));
    }
  }

  TEST_CASE("a confusion matrix and what follows for each class") {
    const std::vector<int32_t> truth{0, 0, 1, 1, 1, 2}, predicted{0, 1, 1, 1, 0, 1};
    const Confusion confusion = confusionOf(truth, predicted, 3);
    CHECK(confusion.counts == std::vector<int64_t>{1, 1, 0, 1, 2, 0, 0, 1, 0});
    CHECK(confusion.scores(1).precision == doctest::Approx(0.5));
    CHECK(confusion.scores(1).recall == doctest::Approx(2.0 / 3));
    CHECK(confusion.scores(1).f1 == doctest::Approx(4.0 / 7));
    CHECK(confusion.scores(2).f1 == 0);
    CHECK(confusion.scores(2).samples == 1);
  }

  TEST_CASE("values of a run: names of several, epochs from sums, in evaluation, too") {
    Project project = smallProject();
    project.document()["training"]["metrics"] =
        Json::parse(R"(["accuracy", "f1_score", {"type": "precision", "name": "first", "class_id": 0}, "auc", {"type": "mean_io_u"}])");
    Recorder recorder;
    const RunOutcome outcome = trainAll(optionsFor(project), recorder);
    REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
    CHECK(recorder.start.metricNames ==
          std::vector<std::string>{"accuracy", "f1_score/0", "f1_score/1", "f1_score/2", "first", "auc", "mean_io_u"});
    for (const EpochMetrics& epoch : recorder.epochs) {
      REQUIRE(epoch.metrics.size() == 7);
      REQUIRE(epoch.validationMetrics.size() == 7);
      for (const double value : epoch.metrics) CHECK((value >= 0 && value <= 1));
    }
    CHECK(outcome.testMetrics.size() == 7);
    // The accuracy of an epoch is the mean over its samples of the steps'.
    double right = 0, samples = 0;
    for (const StepMetrics& step : recorder.steps) {
      if (step.epoch != 1) continue;
      right += step.metrics[0] * static_cast<double>(step.samples);
      samples += static_cast<double>(step.samples);
    }
    CHECK(recorder.epochs[0].metrics[0] == doctest::Approx(right / samples));
  }
}
