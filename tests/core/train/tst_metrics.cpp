// SPDX-License-Identifier: Apache-2.0
// Tests that the value of a metric does not depend on how samples are split into batches. `strata
// verify` compares the values with Keras.
#include <cmath>
#include <cstring>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/check/validate.h"
#include "core/evaluation/confusion.h"
#include "core/model/model.h"
#include "core/recipe/losses.h"
#include "core/recipe/metrics.h"
#include "core/train/session.h"
#include "gpu/base/rng.h"
#include "gpu/reference/evaluate.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

constexpr int64_t kClasses = 4, kSamples = 30;

/// How a sample counts: once, with a weight of 0 to 2, or as 0 to 2 copies in the data.
enum class Counting { Once, Weighed, Repeated };
int64_t weightOf(int64_t sample) { return sample * 5 % 3; }

/// Returns the values of a metric for random samples that are split into batches of these sizes.
std::vector<double> streamed(const MetricDef& definition, const Json& fields,
                             const std::vector<int64_t>& batches,
                             Counting counting = Counting::Once) {
  RandomStream stream(5, 1);
  const bool isLabels = definition.target == TargetKind::Labels;
  std::vector<double> sums;
  LoweredMetric metric;
  int64_t first = 0, samples = 0;
  for (const int64_t given : batches) {
    // `rows` contains the samples in the batch. A sample may be repeated.
    std::vector<int64_t> rows;
    for (int64_t i = 0; i < given; ++i)
      rows.insert(rows.end(),
                  static_cast<size_t>(counting == Counting::Repeated ? weightOf(first + i) : 1), i);
    const auto count = static_cast<int64_t>(rows.size());
    Graph graph;
    const Shape shape{count, kClasses}, wide{given, kClasses};
    const ValueId x = graph.addInput("prediction", {DType::F32, shape});
    const ValueId y = graph.addInput("target", targetType(definition.target, shape));
    const ValueId w = graph.addInput("weights", {DType::F32, {count}});
    metric = lowerMetric(graph,
                         {definition.schema.type,
                          std::make_shared<const Json>(fields),
                          {},
                          counting == Counting::Weighed},
                         definition.target, x, y,
                         counting == Counting::Weighed ? MetricWeights{w, w} : MetricWeights{});
    Tensor prediction(DType::F32, wide), target(targetType(definition.target, wide)),
        weights(DType::F32, {count});
    for (int64_t i = 0; i < given; ++i) {
      const auto label = static_cast<int32_t>(stream.uniform() * kClasses);
      float total = 0;
      for (int64_t c = 0; c < kClasses; ++c)
        total += prediction.as<float>()[static_cast<size_t>(i * kClasses + c)] =
            0.05f + static_cast<float>(stream.uniform());
      for (int64_t c = 0; c < kClasses; ++c) {
        prediction.as<float>()[static_cast<size_t>(i * kClasses + c)] /= total;
        if (!isLabels)
          target.as<float>()[static_cast<size_t>(i * kClasses + c)] = c == label ? 1.0f : 0.0f;
      }
      if (isLabels) target.as<int32_t>()[static_cast<size_t>(i)] = label;
    }
    const auto taken = [&](const Tensor& all) {
      Shape some = all.shape();
      some.set(0, count);
      Tensor result(all.dtype(), some);
      const size_t row = all.bytes() / static_cast<size_t>(given);
      for (size_t i = 0; i < rows.size(); ++i)
        std::memcpy(result.data() + i * row, all.data() + static_cast<size_t>(rows[i]) * row, row);
      return result;
    };
    for (size_t i = 0; i < rows.size(); ++i)
      weights.as<float>()[i] = static_cast<float>(weightOf(first + rows[i]));
    first += given;
    samples += count;
    const auto outputs =
        evaluateGraph(
            graph,
            {{"prediction", taken(prediction)}, {"target", taken(target)}, {"weights", weights}},
            {})
            .outputs;
    const Tensor got = outputs.at(metric.output).converted(DType::F64);
    sums.resize(static_cast<size_t>(got.numElements()));
    for (size_t i = 0; i < sums.size(); ++i)
      sums[i] += got.as<double>()[i];
  }
  std::vector<double> values(metric.names.size());
  metricValues({&metric, 1}, sums, samples, values);
  return values;
}

/// Returns the value of a metric of one batch, for the output of a network that is trained with
/// this loss on logits.
double valueOfLogits(const char* lossType, const char* type, const Json& given, const Shape& shape,
                     const std::vector<float>& logits, const std::vector<float>& targets) {
  Graph graph;
  const ValueId x = graph.addInput("prediction", {DType::F32, shape}),
                y = graph.addInput("target", {DType::F32, shape});
  const LossDef& loss = *findLoss(lossType);
  Json lossFields = Json::object();
  for (const FieldSchema& field : loss.schema.fields)
    lossFields[field.name] = Json::parse(field.defaultJson);
  if (lossFields.contains("from_logits")) lossFields["from_logits"] = true;
  Json fields = *findMetric(type)->defaults;
  for (const auto& [name, value] : given.items())
    fields[name] = value;
  const LoweredMetric metric =
      lowerMetric(graph, {type, std::make_shared<const Json>(fields)}, TargetKind::Values, x, y, {},
                  readingOf(loss, lossFields, graph, x));
  const Tensor got = evaluateGraph(graph,
                                   {{"prediction", Tensor::from<float>(shape, logits)},
                                    {"target", Tensor::from<float>(shape, targets)}},
                                   {})
                         .outputs.at(metric.output)
                         .converted(DType::F64);
  std::vector<double> sums(got.as<double>().begin(), got.as<double>().end()),
      values(metric.names.size());
  if (metric.isCollected) {
    std::vector<CollectedElement> elements(logits.size());
    for (size_t i = 0; i < elements.size(); ++i)
      elements[i] = {static_cast<float>(sums[i]), static_cast<float>(sums[elements.size() + i]),
                     static_cast<float>(sums[2 * elements.size() + i])};
    return findMetric(type)->finishCollected(fields, elements, shape.dim(-1));
  }
  metricValues({&metric, 1}, sums, shape[0], values);
  return values[0];
}

/// Returns an exact area with these fields.
double exactArea(std::vector<CollectedElement> elements, const Json& given, int64_t width = 1) {
  const MetricDef& definition = *findMetric("auc");
  Json fields = *definition.defaults;
  fields["num_thresholds"] = "exact";
  for (const auto& [name, value] : given.items())
    fields[name] = value;
  REQUIRE(definition.isCollected(fields));
  return definition.finishCollected(fields, elements, width);
}

}  // namespace

TEST_SUITE("metrics") {
  TEST_CASE("every metric has the same value over one batch and over many") {
    for (const MetricDef* definition : allMetrics()) {
      CAPTURE(definition->schema.type);
      CHECK_FALSE(definition->schema.formula.empty());
      const std::vector<double> whole = streamed(*definition, *definition->defaults, {kSamples}),
                                pieces =
                                    streamed(*definition, *definition->defaults, {7, 1, 12, 10});
      REQUIRE(whole.size() == pieces.size());
      for (size_t i = 0; i < whole.size(); ++i) {
        CHECK(std::isfinite(whole[i]));
        CHECK(pieces[i] == doctest::Approx(whole[i]).epsilon(1e-5));
      }
    }
  }

  TEST_CASE("correlations equal those of Keras") {
    for (const auto& [type, expected] : {std::pair{"pearson_correlation", 1 + 0.99339927},
                                         {"concordance_correlation", 0.97560976 + 0.98765432}}) {
      Graph graph;
      const TensorType both{DType::F32, Shape{2, 3}};
      const ValueId x = graph.addInput("prediction", both), y = graph.addInput("target", both);
      const MetricDef* definition = findMetric(type);
      REQUIRE(definition);
      const LoweredMetric metric =
          lowerMetric(graph, {type, definition->defaults}, TargetKind::Values, x, y);
      const Tensor target =
                       Tensor::from<float>(both.shape, std::vector<float>{0, 1, 0.5f, 1, 1, 0.2f}),
                   prediction = Tensor::from<float>(
                       both.shape, std::vector<float>{0.1f, 0.9f, 0.5f, 1, 0.9f, 0.2f});
      const auto outputs =
          evaluateGraph(graph, {{"prediction", prediction}, {"target", target}}, {}).outputs;
      CHECK(outputs.at(metric.output).converted(DType::F64).as<double>()[0] ==
            doctest::Approx(expected).epsilon(1e-5));
    }
  }

  TEST_CASE("confusion matrix, precision and recall are computed for each class") {
    const std::vector<int32_t> truth{0, 0, 1, 1, 1, 2}, predicted{0, 1, 1, 1, 0, 1};
    const Confusion confusion = confusionOf(truth, predicted, 3);
    CHECK(confusion.counts == std::vector<int64_t>{1, 1, 0, 1, 2, 0, 0, 1, 0});
    CHECK(confusion.scores(1).precision == doctest::Approx(0.5));
    CHECK(confusion.scores(1).recall == doctest::Approx(2.0 / 3));
    CHECK(confusion.scores(1).f1 == doctest::Approx(4.0 / 7));
    CHECK(confusion.scores(2).f1 == 0);
    CHECK(confusion.scores(2).samples == 1);
  }

  TEST_CASE("a weighted metric equals the metric of data with repeated samples") {
    int checked = 0;
    for (const MetricDef* definition : allMetrics()) {
      CAPTURE(definition->schema.type);
      const Json& fields = *definition->defaults;
      const auto weighed = streamed(*definition, fields, {9, 13, 8}, Counting::Weighed),
                 repeated = streamed(*definition, fields, {30}, Counting::Repeated),
                 once = streamed(*definition, fields, {30});
      REQUIRE(weighed.size() == repeated.size());
      for (size_t i = 0; i < weighed.size(); ++i)
        CHECK(weighed[i] == doctest::Approx(repeated[i]).epsilon(1e-5));
      checked += weighed[0] != doctest::Approx(once[0]).epsilon(1e-5);
    }
    // Most metrics must change with the weights, or this test would check nothing.
    CHECK(checked > 30);
  }

  TEST_CASE("label weights weigh the labels of an AUC") {
    const MetricDef& definition = *findMetric("auc");
    const auto areaBy = [&](bool isMultiLabel, const Json& weights) {
      Json fields = *definition.defaults;
      fields["multi_label"] = isMultiLabel;
      fields["label_weights"] = weights;
      return streamed(definition, fields, {kSamples})[0];
    };
    CHECK(areaBy(false, {2, 2, 2, 2}) == doctest::Approx(areaBy(false, nullptr)));
    // Only one label has a weight above 0, so both kinds of AUC are the AUC of this label.
    CHECK(areaBy(false, {0, 3, 0, 0}) == doctest::Approx(areaBy(true, {0, 3, 0, 0})));
    CHECK(areaBy(false, {1, 2, 3, 4}) != doctest::Approx(areaBy(false, nullptr)));
    CHECK_THROWS_WITH_AS(areaBy(false, {1, 2}), doctest::Contains("label_weights is 2 (expected 4"),
                         Error);
  }

  TEST_CASE("weighted metrics of a run use the names of Keras and the weights of the data") {
    Project project = smallProject();
    Json weights = Json::array(), x = Json::array(), y = Json::array();
    for (int i = 0; i < 20; ++i) {
      weights.push_back(i < 10 ? 0 : 2);
      x.push_back({i * 0.1, 1 - i * 0.1});
      y.push_back(i % 3 == 0 ? 1 : 0);
    }
    Json& document = project.document();
    document["data"] = {{"source", {{"type", "values"}, {"x", x}, {"y", y}, {"weights", weights}}}};
    document["model"]["layers"] = Json::parse(
        R"([{"type": "Input", "name": "x", "shape": [2]}, {"type": "Dense", "name": "out", "units": 2, "activation": "softmax"}])");
    document["training"]["weighted_metrics"] = {"accuracy", "sparse_categorical_crossentropy"};
    Recorder recorder;
    const RunOutcome outcome = trainAll(optionsFor(project), recorder);
    REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
    CHECK(recorder.start.metricNames ==
          std::vector<std::string>{"accuracy", "weighted_accuracy",
                                   "sparse_categorical_crossentropy"});
    // Half of the weights are 0 and half are 2. Their mean is 1, so the loss equals the weighted
    // mean.
    CHECK(outcome.testLoss == doctest::Approx(outcome.testMetrics[2]).epsilon(1e-5));
    const auto problem = [&](const char* metrics) {
      document["training"]["weighted_metrics"] = Json::parse(metrics);
      const Diagnostics problems = validate(project);
      return problems.empty() ? std::string() : problems[0].line();
    };
    CHECK(problem(R"(["auc"])") == "");
    CHECK(problem(R"("accuracy")").find("weighted_metrics has the wrong type (expected a list") !=
          std::string::npos);
    CHECK(problem(R"(["accuracy", "accuracy"])").find("weighted_accuracy is listed twice") !=
          std::string::npos);
    CHECK(problem(R"(["acuracy"])").find("accuracy") != std::string::npos);
    CHECK(problem(R"(["accuracy"])") == "");
  }

  TEST_CASE("a validation ignores class weights, also in weighted metrics") {
    Project project = smallProject();
    Json& training = project.document()["training"];
    training["class_weight"] = {{"0", 1}, {"1", 2}, {"2", 5}};
    training["weighted_metrics"] = {"accuracy"};
    for (const int64_t pieces : {1, 2}) {
      CAPTURE(pieces);
      training["gradient_accumulation_steps"] = pieces;
      Recorder recorder;
      const RunOutcome outcome = trainAll(optionsFor(project), recorder);
      REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
      REQUIRE(outcome.testMetrics.size() == 2);
      CHECK(outcome.testMetrics[0] == doctest::Approx(outcome.testMetrics[1]));
      for (const EpochMetrics& epoch : recorder.epochs)
        CHECK(epoch.validationMetrics[0] == doctest::Approx(epoch.validationMetrics[1]));
    }
  }

  // Keras 3.15.1 gives the accuracy 1/3 for Embedding(4, 2, mask_zero) and a Dense(2) with zero
  // weights, which always predicts class 0.
  TEST_CASE("masked steps do not count in mean metrics, as in Keras") {
    const Project project(Json::parse(R"({
      "data": {"source": {"type": "values", "x": [[1, 2, 0], [3, 0, 0], [1, 1, 1]], "y": [[0, 1, 1], [1, 0, 0], [1, 1, 0]]}, "transforms": []},
      "model": {"layers": [
        {"type": "Input", "name": "x", "shape": [3]},
        {"type": "Embedding", "name": "e", "input_dim": 4, "output_dim": 2, "mask_zero": true},
        {"type": "Dense", "name": "o", "units": 2, "activation": "softmax", "kernel_initializer": "zeros"}]},
      "training": {"loss": "sparse_categorical_crossentropy", "optimizer": {"type": "sgd", "learning_rate": 0}, "metrics": ["accuracy"],
        "weighted_metrics": ["accuracy"], "batch_size": 3, "epochs": 1, "shuffle": false}})"),
                          "");
    Recorder recorder;
    const RunOutcome outcome = trainAll(optionsFor(project), recorder);
    REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
    REQUIRE(recorder.epochs.size() == 1);
    CHECK(recorder.epochs[0].metrics[0] == doctest::Approx(1.0 / 3));
    CHECK(recorder.epochs[0].metrics[1] == doctest::Approx(1.0 / 3));
    CHECK(outcome.testMetrics[0] == doctest::Approx(1.0 / 3));
  }

  TEST_CASE("metrics of a run have their names, and values of epochs come from sums") {
    Project project = smallProject();
    project.document()["training"]["metrics"] = Json::parse(
        R"(["accuracy", "f1_score", {"type": "precision", "name": "first", "class_id": 0}, "auc", {"type": "mean_io_u"}])");
    Recorder recorder;
    const RunOutcome outcome = trainAll(optionsFor(project), recorder);
    REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
    CHECK(recorder.start.metricNames == std::vector<std::string>{"accuracy", "f1_score/0",
                                                                 "f1_score/1", "f1_score/2",
                                                                 "first", "auc", "mean_io_u"});
    for (const EpochMetrics& epoch : recorder.epochs) {
      REQUIRE(epoch.metrics.size() == 7);
      REQUIRE(epoch.validationMetrics.size() == 7);
      for (const double value : epoch.metrics)
        CHECK((value >= 0 && value <= 1));
    }
    CHECK(outcome.testMetrics.size() == 7);
    // The accuracy of an epoch is the mean over all samples of the epoch.
    double right = 0, samples = 0;
    for (const StepMetrics& step : recorder.steps) {
      if (step.epoch != 1) continue;
      right += step.metrics[0] * static_cast<double>(step.samples);
      samples += static_cast<double>(step.samples);
    }
    CHECK(recorder.epochs[0].metrics[0] == doctest::Approx(right / samples));
  }

  TEST_CASE("metrics of probabilities agree, whether the network outputs logits or probabilities") {
    // Six samples that a network separates without error, with logits that are all below 0.5
    const std::vector<float> logits{0.2f, 0.4f, 0.45f, -0.3f, -0.1f, -2.0f},
        targets{1, 1, 1, 0, 0, 0};
    for (const char* loss : {"binary_crossentropy", "binary_focal_crossentropy"})
      for (const char* type : {"binary_accuracy", "precision", "recall", "auc", "f1_score",
                               "fbeta_score", "binary_io_u", "sensitivity_at_specificity"}) {
        CAPTURE(loss);
        CAPTURE(type);
        CHECK(valueOfLogits(loss, type, {}, Shape{6, 1}, logits, targets) ==
              doctest::Approx(1).epsilon(1e-5));
      }
    // A metric that was told about the logits gives the same value
    for (const bool isTold : {false, true})
      CHECK(valueOfLogits("binary_crossentropy", "binary_crossentropy", {{"from_logits", isTold}},
                          Shape{6, 1}, logits, targets) == doctest::Approx(0.48834717));
    const std::vector<float> rows{2, 1, -3, -1, -2, -5, 0, 0.5f, 0.25f},
        classes{1, 0, 0, 0, 1, 0, 0, 1, 0};
    const auto ofRows = [&](const char* type, const Json& fields) {
      return valueOfLogits("categorical_crossentropy", type, fields, Shape{3, 3}, rows, classes);
    };
    CHECK(ofRows("categorical_accuracy", {}) == doctest::Approx(2.0 / 3));
    CHECK(ofRows("f1_score", {{"average", "micro"}}) == doctest::Approx(2.0 / 3));
    // The probabilities above 0.5 are those of class 0 in the samples 1 and 2
    CHECK(ofRows("precision", {}) == doctest::Approx(0.5));
    CHECK(ofRows("recall", {}) == doctest::Approx(1.0 / 3));
    CHECK(ofRows("categorical_crossentropy", {}) == doctest::Approx(0.8380).epsilon(1e-3));
    // 14 of 18 pairs of probabilities have the right order, but only 13 pairs of logits
    CHECK(ofRows("auc", {{"num_thresholds", "exact"}}) == doctest::Approx(14.0 / 18));
  }

  TEST_CASE("metrics of hinge losses decide by the sign of the score") {
    const std::vector<float> scores{0.2f, 0.4f, -0.2f, -0.3f, -0.1f, 2.0f};
    for (const float negative : {0.0f, -1.0f}) {
      const std::vector<float> targets{1, 1, 1, negative, negative, negative};
      for (const char* type : {"binary_accuracy", "precision", "recall", "f1_score"}) {
        CAPTURE(type);
        CHECK(valueOfLogits("hinge", type, {}, Shape{6, 1}, scores, targets) ==
              doctest::Approx(2.0 / 3).epsilon(1e-5));
      }
    }
  }

  TEST_CASE("an exact area is the share of ordered pairs, also with weights and equal scores") {
    RandomStream stream(11, 1);
    for (const size_t levels : {5u, 1000000u})
      for (const bool isWeighed : {false, true}) {
        std::vector<CollectedElement> elements;
        for (int i = 0; i < 200; ++i)
          elements.push_back({static_cast<float>(std::floor(stream.uniform() * levels)) - 3,
                              stream.uniform() < 0.3 ? 1.0f : 0.0f,
                              isWeighed ? static_cast<float>(stream.uniform()) : 1.0f});
        double ordered = 0, pairs = 0;
        for (const CollectedElement& yes : elements)
          for (const CollectedElement& no : elements) {
            if (yes.target == 0 || no.target != 0) continue;
            const double weight = static_cast<double>(yes.weight) * static_cast<double>(no.weight);
            pairs += weight;
            if (yes.score > no.score) ordered += weight;
            if (yes.score == no.score) ordered += weight / 2;
          }
        CHECK(exactArea(elements, {}) == doctest::Approx(ordered / pairs).epsilon(1e-12));
      }
    // Precision and recall at each threshold: (1, 1/3), (1/2, 1/3), (2/3, 2/3), (3/4, 1)
    const std::vector<CollectedElement> known{{4, 1, 1}, {3, 0, 1}, {2, 1, 1}, {1, 1, 1}};
    CHECK(exactArea(known, {{"curve", "PR"}, {"summation_method", "minoring"}}) ==
          doctest::Approx(0.5 / 3 + (2.0 / 3) / 3));
    // An area needs both classes and comparable scores
    CHECK(std::isnan(exactArea({{1, 1, 1}, {2, 1, 1}}, {})));
    CHECK(std::isnan(exactArea({{1, 0, 1}, {2, 0, 1}}, {})));
    CHECK(std::isnan(exactArea({{NAN, 0, 1}, {2, 1, 1}}, {})));
    // Two labels, of which one is ordered and one is not
    CHECK(exactArea({{1, 0, 1}, {9, 0, 1}, {2, 1, 1}, {8, 1, 1}}, {{"multi_label", true}}, 2) ==
          doctest::Approx(0.5));
  }

  TEST_CASE("an exact area of a run is that of all samples, also after it was resumed") {
    const Project project = smallProjectWith(
        {{"/training/metrics",
          R"([{"type": "auc", "num_thresholds": "exact", "name": "exact"}, "auc"])"}});
    TemporaryFolder folder;
    Recorder whole, first, second;
    const RunOutcome expected = trainAll(optionsFor(project, folder / "whole"), whole);
    REQUIRE_MESSAGE(expected.outcome == Outcome::Finished, messageOf(expected));
    REQUIRE(whole.epochs.size() == 3);
    for (const EpochMetrics& epoch : whole.epochs) {
      CHECK(epoch.metrics[0] == doctest::Approx(epoch.metrics[1]).epsilon(0.02));
      CHECK(epoch.metrics[0] != epoch.metrics[1]);
      CHECK(epoch.validationMetrics[0] ==
            doctest::Approx(epoch.validationMetrics[1]).epsilon(0.05));
    }
    // The run stops within the second epoch, whose elements the checkpoint keeps
    REQUIRE(trainUntil(11, optionsFor(project, folder / "run"), first).outcome == Outcome::Stopped);
    const RunOutcome resumed = trainAll(resumeOptions(project, folder / "run"), second);
    REQUIRE_MESSAGE(resumed.outcome == Outcome::Finished, messageOf(resumed));
    CHECK(resumed.weightsHash == expected.weightsHash);
    REQUIRE(second.epochs.size() == 2);
    CHECK(second.epochs[0].metrics == whole.epochs[1].metrics);
    CHECK(resumed.testMetrics == expected.testMetrics);
  }
}
