// SPDX-License-Identifier: Apache-2.0
// Tests which value of a monitored metric is the best one: that of Keras 3.15, and never NaN.
#include <cmath>
#include <set>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/recipe/callbacks.h"
#include "core/recipe/metrics.h"
#include "core/train/callback_runner.h"

using namespace strata;

namespace {

/// A callback that monitors the validation values of one metric, with the mode auto.
struct MetricRunner {
  MetricRunner(const std::string& metric, const std::string& callback) {
    options.outputs[0].metrics = {{metric, nullptr}};
    names = {metric};
    Json entry = parseJson(callback, "callback");
    entry["monitor"] = "val_" + metric;
    Diagnostics problems;
    readCallbacks(Json::array({entry}), options, problems);
    if (!problems.empty()) problem = problems[0].code;
  }

  /// Calls `look` with the decision after each epoch. Returns the runner after the last one.
  template <class Look>
  CallbackRunner run(const std::vector<double>& values, Look look) const {
    CallbackRunner runner(options, names);
    for (size_t i = 0; i < values.size(); ++i) {
      EpochMetrics epoch;
      epoch.epoch = static_cast<int64_t>(i) + 1;
      epoch.step = 10 * epoch.epoch;
      epoch.hasValidation = true;
      epoch.validationMetrics = {values[i]};
      look(epoch.epoch, runner.epochEnded(epoch, 0.01));
    }
    return runner;
  }
  CallbackRunner after(const std::vector<double>& values) const {
    return run(values, [](int64_t, const CallbackRunner::Decision&) {});
  }
  std::vector<int64_t> bestEpochs(const std::vector<double>& values) const {
    std::vector<int64_t> epochs;
    run(values, [&](int64_t epoch, const CallbackRunner::Decision& decision) {
      if (decision.isBest) epochs.push_back(epoch);
    });
    return epochs;
  }
  std::vector<int64_t> reductions(const std::vector<double>& values) const {
    std::vector<int64_t> epochs;
    run(values, [&](int64_t epoch, const CallbackRunner::Decision& decision) {
      if (decision.learningRate) epochs.push_back(epoch);
    });
    return epochs;
  }

  TrainingOptions options;
  std::vector<std::string> names;
  // Code of the problem that readCallbacks() found, or ""
  std::string problem;
};

}  // namespace

TEST_SUITE("callback directions") {
  TEST_CASE("with the mode auto, each metric has the best value of Keras, which is never NaN") {
    const std::set<std::string> up{"accuracy",
                                   "sparse_categorical_accuracy",
                                   "categorical_accuracy",
                                   "binary_accuracy",
                                   "sparse_top_k_categorical_accuracy",
                                   "top_k_categorical_accuracy",
                                   "r2_score",
                                   "pearson_correlation",
                                   "concordance_correlation",
                                   "cosine_similarity",
                                   "precision",
                                   "recall",
                                   "sensitivity_at_specificity",
                                   "specificity_at_sensitivity",
                                   "precision_at_recall",
                                   "recall_at_precision",
                                   "auc",
                                   "f1_score",
                                   "fbeta_score",
                                   "mean_io_u",
                                   "io_u",
                                   "one_hot_mean_io_u",
                                   "one_hot_io_u",
                                   "binary_io_u"},
        neither{"true_positives", "true_negatives", "false_positives", "false_negatives"};
    // The best of these values is that of epoch 3 if larger is better, otherwise that of epoch 4
    const std::vector<double> values{NAN, 0.5, 0.9, 0.1, NAN, 0.6};
    for (const Schema* schema : metricSchemas()) {
      const std::string& type = schema->type;
      CAPTURE(type);
      const bool hasDirection = !neither.contains(type);
      const int64_t best = up.contains(type) ? 3 : 4;
      const MetricRunner stopping(
          type, R"({"type": "EarlyStopping", "patience": 9, "restore_best_weights": true})"),
          plateau(type, R"({"type": "ReduceLROnPlateau", "patience": 1, "factor": 0.5})"),
          checkpoint(type, R"({"type": "ModelCheckpoint", "save_best_only": true})");
      for (const MetricRunner* each : {&stopping, &plateau, &checkpoint})
        REQUIRE(each->problem == (hasDirection ? "" : "no_direction"));
      if (!hasDirection) continue;
      CHECK(stopping.after(values).restoring().at(0).epoch == best);
      CHECK(checkpoint.bestEpochs(values).back() == best);
      CHECK(checkpoint.bestEpochs(values).front() == 2);
      // Only epochs that are not the best reduce the rate
      CHECK(plateau.reductions(values) ==
            (best == 3 ? std::vector<int64_t>{1, 4, 5, 6} : std::vector<int64_t>{1, 3, 5, 6}));
    }
  }

  TEST_CASE("the direction of a monitor is that of its metric, whatever it is called") {
    TrainingOptions options;
    options.outputs[0].metrics = {{"f1_score", findMetric("f1_score")->defaults},
                                  {"mean_absolute_error", nullptr, "accuracy_of_age"},
                                  {"io_u", nullptr, "loss_of_area"}};
    CHECK(directionOfMonitor(options, "loss") == Direction::Down);
    CHECK(directionOfMonitor(options, "val_loss") == Direction::Down);
    CHECK(directionOfMonitor(options, "val_f1_score/0") == Direction::Up);
    CHECK(directionOfMonitor(options, "accuracy_of_age") == Direction::Down);
    CHECK(directionOfMonitor(options, "val_loss_of_area") == Direction::Up);
    CHECK(directionOfMonitor(options, "val_auc") == Direction::None);
    options.outputs.resize(2);
    options.outputs[0].name = "age";
    CHECK(directionOfMonitor(options, "age_loss") == Direction::Down);
  }

  TEST_CASE("a callback that began with the other direction starts with a new best value") {
    const std::string callback = R"({"type": "EarlyStopping", "restore_best_weights": true})";
    const MetricRunner metric("io_u", callback);
    CallbackRunner runner = metric.after({0.5, 0.9});
    CHECK(runner.restoring().at(0).epoch == 2);
    const auto restored = [&](const std::string& text) {
      CallbackRunner other = metric.after({});
      std::vector<std::string> warnings;
      other.restore(text, "run", warnings);
      const std::string found = warnings.empty() ? "" : warnings[0];
      return std::pair{found, other.restoring().size()};
    };
    CHECK(restored(runner.text()) == std::pair{std::string(), size_t{1}});
    // Earlier versions stored no direction, and took the smallest IoU as the best one
    Json text = parseJson(runner.text(), "text");
    text[0]["direction"] = "down";
    const auto other = restored(text.dump());
    CHECK(other.first ==
          "run: EarlyStopping of val_io_u took the smallest value as the best until now. From now "
          "on the largest value is the best, and the best value so far is forgotten.");
    CHECK(other.second == 0);
    text[0].erase("direction");
    CHECK(restored(text.dump()) == other);
    text = parseJson(runner.text(), "text");
    text[0]["averaged"] = true;
    CHECK(
        restored(text.dump()).first ==
        "run: EarlyStopping of val_io_u compared values of the moving average of the weights until "
        "now. From now on it compares values of the weights themselves, and the best value so far "
        "is forgotten.");
    const MetricRunner sound("auc", callback);
    Json old = parseJson(sound.after({0.5, 0.9}).text(), "text");
    old[0].erase("direction");
    CallbackRunner kept = sound.after({});
    std::vector<std::string> warnings;
    kept.restore(old.dump(), "run", warnings);
    CHECK(warnings.empty());
    CHECK(kept.restoring().at(0).epoch == 2);
  }
}
