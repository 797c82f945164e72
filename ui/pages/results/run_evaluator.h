// SPDX-License-Identifier: GPL-3.0-or-later
// Asks a trained network off the window's thread: its mistakes on the test data, or on the
// validation data where there is no test set; its answer to a drawing, its export. The latest
// question wins; answers to an earlier run are dropped. Thread: the window's; the work runs on a
// thread of its own.
#pragma once

#include <QObject>
#include <memory>
#include <string>
#include <vector>

#include "core/data/dataset.h"
#include "core/train/evaluator.h"
#include "ui/document/latest_worker.h"

namespace strata::ui {

/// One number of an answer beside the one that was wanted.
struct ComparedValue {
  int64_t sample = 0;
  double truth = 0, predicted = 0;
};

struct EvaluatedRun {
  std::string directory;
  Evaluation evaluation;
  // What is shown: the first that classifies, else the first
  size_t output = 0;
  std::shared_ptr<const Dataset> dataset;
  // Of a network that answers with numbers; of many samples some, evenly chosen
  std::vector<ComparedValue> values;
  int64_t comparedSamples = 0;

  bool isOnValidation() const { return evaluation.split == "validation"; }
  /// Those that were measured are the ones from firstSample() on.
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

  /// The run of a project's file to ask from now on; "" none. Starts its evaluation.
  void setRun(const QString& directory, const QString& projectFile = {});
  /// `input`: one sample as the data source gives them (bytes 0..255 for images).
  void predict(const Tensor& input);
  void exportWeights(const QString& target);

 Q_SIGNALS:
  void evaluated(std::shared_ptr<const EvaluatedRun> run);
  /// The data has neither a test set nor a validation part.
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
  // The workers'
  std::shared_ptr<Loaded> m_loaded;
  // A drawing must not wait behind its own evaluation's queue slot, so each kind of question has
  // its slot.
  std::unique_ptr<LatestWorker<std::shared_ptr<Request>>> m_evaluation, m_questions, m_exports;
};

}  // namespace strata::ui
