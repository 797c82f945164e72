// SPDX-License-Identifier: GPL-3.0-or-later
// Evaluates a trained network, predicts the class of a drawing, and exports the weights. The
// evaluation uses the test data, or the validation data if there is no test set. A new request
// replaces a waiting request of the same kind. Results for an earlier run are dropped. Thread: GUI
// thread. Worker threads do the work.
#pragma once

#include <QObject>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/data/dataset.h"
#include "core/evaluation/classification.h"
#include "core/evaluation/regression.h"
#include "core/train/evaluator.h"
#include "ui/document/latest_worker.h"

namespace strata::ui {

/// One predicted number and its true value.
struct ComparedValue {
  int64_t sample = 0;
  double truth = 0, predicted = 0;
};

/// The figures of one output.
struct OutputFigures {
  std::string output;
  // One of both, or neither if the figures are unknown
  std::optional<ClassificationFigures> classes;
  std::optional<RegressionFigures> values;
  std::vector<std::string> classNames;
  // Why there are no figures, as the rest of a sentence
  std::optional<Reason> reason;
};

struct EvaluatedRun {
  std::string directory;
  EvaluationResult evaluation;
  // The output that the page shows: the first one that classifies, or else the first one.
  size_t output = 0;
  std::shared_ptr<const Dataset> dataset;
  // The predictions of a network that predicts numbers. If there are many samples, they are for an
  // evenly spaced subset.
  std::vector<ComparedValue> values;
  int64_t comparedSamples = 0;
  // One entry for each output with a loss
  std::vector<OutputFigures> figures;

  bool isOnValidation() const { return evaluation.split == "validation"; }
  /// Returns the data that contain the evaluated samples, which start at firstSample().
  const std::shared_ptr<const Samples>& samples() const {
    return isOnValidation() ? dataset->train : dataset->test;
  }
  int64_t firstSample() const { return isOnValidation() ? dataset->trainCount : 0; }
};

class RunEvaluator : public QObject {
  Q_OBJECT
 public:
  enum class Question { Evaluate, Predict, Export };
  explicit RunEvaluator(QObject* parent = nullptr);
  ~RunEvaluator() override;

  /// Selects the run to evaluate and starts the evaluation. "" selects no run.
  void setRun(const QString& directory, const QString& projectFile = {});
  /// Requests the prediction for one sample. `input` has the values that the data source provides,
  /// such as bytes 0..255 for images.
  void predict(const Tensor& input);
  void exportWeights(const QString& target);

 Q_SIGNALS:
  void evaluated(std::shared_ptr<const EvaluatedRun> run);
  /// Emitted if the data have neither a test set nor a validation set.
  void unmeasurable();
  void predicted(const std::vector<float>& output);
  void exported(const QString& sentence);
  void failed(Question question, const QString& line);

 private:
  struct Request;
  struct Loaded;
  void work(const Request& request, const std::stop_token& stop);
  template <class F>
  void deliver(const std::string& directory, F f);

  std::string m_directory, m_projectFile;
  // The network that predicts drawings.
  std::shared_ptr<Loaded> m_loaded;
  // Each kind of request has its own worker, so that a drawing need not wait for the evaluation.
  std::unique_ptr<LatestWorker<std::shared_ptr<Request>>> m_evaluation, m_questions, m_exports;
};

}  // namespace strata::ui
