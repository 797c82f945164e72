// SPDX-License-Identifier: Apache-2.0
// Tests that all metrics of an output read its predictions and targets in the same way, so that
// they do not contradict each other.
#include <cmath>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/check/validate.h"
#include "core/train/evaluator.h"
#include "core/train/session.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

/// Returns the metrics of an untrained network with one Dense layer, over 40 samples. `targets` is
/// the target of each sample.
std::map<std::string, double> metricsOf(const Json& loss, const char* activation,
                                        const Json& metrics, const Json& targets) {
  Project project = smallProject();
  Json& document = project.document();
  Json x = Json::array();
  for (size_t i = 0; i < targets.size(); ++i)
    x.push_back({std::sin(static_cast<double>(3 * i)), std::cos(static_cast<double>(2 * i))});
  const auto units = targets[0].is_array() ? targets[0].size() : 1;
  document["data"] = {{"source", {{"type", "values"}, {"x", x}, {"y", targets}}},
                      {"transforms", Json::array()}};
  document["model"]["layers"] = Json::array(
      {{{"type", "Input"}, {"name", "x"}, {"shape", {2}}},
       {{"type", "Dense"}, {"name", "out"}, {"units", units}, {"activation", activation}}});
  Json& training = document["training"];
  training["loss"] = loss;
  training["optimizer"] = {{"type", "sgd"}, {"learning_rate", 0}};
  training["metrics"] = metrics;
  training["epochs"] = 1;
  Recorder recorder;
  const RunOutcome outcome = trainAll(optionsFor(project), recorder);
  REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
  std::map<std::string, double> values;
  for (size_t i = 0; i < outcome.testMetrics.size(); ++i)
    values[recorder.start.metricNames[i]] = outcome.testMetrics[i];
  return values;
}

double harmonic(double precision, double recall) {
  return 2 * precision * recall / (precision + recall);
}

}  // namespace

TEST_SUITE("metric agreement") {
  TEST_CASE("F-scores of sigmoid outputs agree with precision and recall, whatever the loss") {
    Json single = Json::array(), several = Json::array();
    for (int i = 0; i < 40; ++i) {
      single.push_back(i % 3 == 0 ? 1 : 0);
      several.push_back({i % 3 == 0 ? 1 : 0, i % 2, i % 5 == 0 ? 1 : 0});
    }
    const Json metrics = Json::parse(R"(["precision", "recall", "f1_score",
      {"type": "fbeta_score", "beta": 1.0, "average": "micro"}])");
    for (const char* loss : {"mean_absolute_error", "mean_squared_error", "huber", "log_cosh",
                             "dice", "tversky", "binary_crossentropy", "poisson"}) {
      CAPTURE(loss);
      auto values = metricsOf(loss, "sigmoid", metrics, single);
      CHECK(values["precision"] < 1);
      CHECK(values["recall"] < 1);
      const double expected = harmonic(values["precision"], values["recall"]);
      CHECK(values["f1_score"] == doctest::Approx(expected).epsilon(1e-4));
      CHECK(values["fbeta_score"] == doctest::Approx(expected).epsilon(1e-4));
      values = metricsOf(loss, "sigmoid", metrics, several);
      CHECK(values["fbeta_score"] ==
            doctest::Approx(harmonic(values["precision"], values["recall"])).epsilon(1e-4));
    }
    // A single output without an activation is compared with 0.5, too
    auto values = metricsOf("mean_squared_error", "linear", metrics, single);
    CHECK(values["f1_score"] ==
          doctest::Approx(harmonic(values["precision"], values["recall"])).epsilon(1e-4));
  }

  TEST_CASE("the largest output of a softmax is positive in an F-score, as in Keras") {
    Json targets = Json::array();
    for (int i = 0; i < 40; ++i)
      targets.push_back({i % 3 == 0 ? 1 : 0, i % 3 == 1 ? 1 : 0, i % 3 == 2 ? 1 : 0});
    const Json metrics =
        Json::parse(R"(["categorical_accuracy", {"type": "f1_score", "average": "micro"}])");
    for (const char* loss : {"categorical_crossentropy", "mean_squared_error"}) {
      CAPTURE(loss);
      auto values = metricsOf(loss, "softmax", metrics, targets);
      CHECK(values["f1_score"] == doctest::Approx(values["categorical_accuracy"]).epsilon(1e-4));
    }
  }

  TEST_CASE("samples of an ignored class count in no metric and in no class") {
    for (const int ignored : {-1, 255}) {
      CAPTURE(ignored);
      Project project = smallProject();
      Json& document = project.document();
      document = Json::parse(R"({
        "format": "strata-project", "version": 1, "name": "Ignored",
        "data": {"source": {"type": "values",
          "x": [[3, 0, 0], [0, 3, 0], [0, 0, 3], [3, 1, 0], [0, 2, 1], [1, 0, 2], [2, 0, 0]],
          "y": [0, 1, 2, 0, 1, 2, 1]}, "transforms": []},
        "model": {"layers": [{"type": "Input", "name": "x", "shape": [3]},
          {"type": "Dense", "name": "out", "units": 3, "activation": "softmax",
           "use_bias": false, "kernel_initializer": "identity"}]},
        "training": {"loss": {"type": "sparse_categorical_crossentropy"},
          "optimizer": {"type": "sgd", "learning_rate": 0}, "batch_size": 4, "epochs": 1,
          "metrics": ["accuracy", "precision", {"type": "recall", "class_id": 1},
            {"type": "f1_score", "average": "macro"}, {"type": "auc", "name": "area"},
            {"type": "auc", "name": "exact", "num_thresholds": "exact"}, "mean_io_u", "io_u",
            {"type": "sparse_top_k_categorical_accuracy", "k": 1}, "categorical_accuracy",
            "true_positives", "false_positives", "sparse_categorical_crossentropy"],
          "weighted_metrics": ["accuracy"]}})");
      // The last sample is the only wrong one, and the only one that is ignored
      document["data"]["source"]["y"][6] = ignored;
      document["training"]["loss"]["ignore_class"] = ignored;
      const TemporaryFolder folder;
      Recorder recorder;
      const RunOutcome outcome = trainAll(optionsFor(project, folder / "run"), recorder);
      REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
      const EvaluationResult result =
          Evaluator(project, (folder / "run").string(), "reference").evaluate("train");
      REQUIRE(result.metrics.size() == 14);
      for (const auto& [name, value] : result.metrics) {
        CAPTURE(name);
        if (name == "true_positives")
          CHECK(value == 6);
        else if (name == "false_positives")
          CHECK(value == 0);
        else if (name == "sparse_categorical_crossentropy")
          CHECK((value > 0 && value < 0.5));
        else
          CHECK(value == doctest::Approx(1));
      }
      CHECK(result.outputs[0].classes == std::vector<int32_t>{0, 1, 2, 0, 1, 2, -1});
      CHECK(result.outputs[0].classNames.size() == 3);
    }
  }
  TEST_CASE("an area over one class has no value, with thresholds as well as exactly") {
    Json targets = Json::array();
    for (int i = 0; i < 40; ++i)
      targets.push_back(0);
    const auto values = metricsOf(
        "binary_crossentropy", "sigmoid",
        Json::parse(R"([{"type": "auc", "name": "counted"}, {"type": "auc", "name": "precise",
          "curve": "PR"}, {"type": "auc", "name": "exact", "num_thresholds": "exact"}])"),
        targets);
    for (const auto& [name, value] : values) {
      CAPTURE(name);
      CHECK(std::isnan(value));
    }
  }

  TEST_CASE("a callback whose monitor never has a value says that it found no best") {
    Project project = smallProjectWith(
        {{"/data/source",
          R"({"type": "values", "x": [[1], [2], [3], [4], [5], [6], [7], [8]],
              "y": [[0], [1], [0], [1], [0], [1], [0], [1]]})"},
         {"/data/validation_split", "0.25"},
         {"/model/layers",
          R"([{"type": "Input", "name": "x", "shape": [1]},
              {"type": "Dense", "name": "out", "units": 1}])"},
         {"/training/loss", R"("mean_squared_error")"},
         {"/training/metrics", R"(["pearson_correlation", "mean_absolute_error"])"},
         {"/training/callbacks",
          R"([{"type": "EarlyStopping", "monitor": "val_pearson_correlation",
               "restore_best_weights": true},
              {"type": "ModelCheckpoint", "monitor": "val_pearson_correlation"},
              {"type": "ModelCheckpoint", "monitor": "val_mean_absolute_error"}])"}});
    const TemporaryFolder folder;
    Recorder recorder;
    const RunOutcome outcome = trainAll(optionsFor(project, folder / "run"), recorder);
    REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
    std::vector<std::string> found;
    for (const std::string& warning : recorder.warnings)
      if (warning.find("had no value (NaN)") != std::string::npos) found.push_back(warning);
    REQUIRE(found.size() == 2);
    CHECK(found[0] ==
          "EarlyStopping: val_pearson_correlation had no value (NaN) after each epoch, so no best "
          "epoch was found and no weights were restored. Monitor another metric, such as "
          "val_loss.");
    CHECK(found[1].starts_with("ModelCheckpoint: val_pearson_correlation had no value (NaN)"));
  }
}
