// SPDX-License-Identifier: GPL-3.0-or-later
// Explains what a network computes for one sample. A new question replaces the waiting one, and
// answers for an earlier question are dropped. Not here: the methods (core/explain). Thread: GUI
// thread. A worker does the work.
#pragma once

#include <QObject>
#include <QStringList>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/data/dataset.h"
#include "core/explain/column_contributions.h"
#include "core/explain/explainer.h"
#include "ui/document/latest_worker.h"

namespace strata::ui {

enum class ExplainMethod {
  Saliency,
  GradCam,
  Occlusion,
  // For rows of a table
  Columns
};

struct ExplainQuestion {
  std::string runDirectory, projectFile, output;
  std::shared_ptr<const Samples> samples;
  int64_t sample = 0;
  ExplainMethod method = ExplainMethod::Saliency;
  // Absent for the predicted class
  std::optional<int64_t> index = {};
  // For Grad-CAM; "" for the last layer with places
  std::string layer = {};
};

struct ExplainAnswer {
  ExplainQuestion question;
  // The map in the size of the image [height, width]
  Tensor map;
  Explanation explanation;
  // The layers that Grad-CAM can use
  QStringList layers;
  // What each column of a row contributes, for ExplainMethod::Columns
  std::vector<ColumnContribution> columns;
};

class SampleExplainer : public QObject {
  Q_OBJECT
 public:
  explicit SampleExplainer(QObject* parent = nullptr);
  ~SampleExplainer() override;
  void ask(const ExplainQuestion& question);
  /// Stops the work. No answer follows.
  void cancel();

 Q_SIGNALS:
  void answered(std::shared_ptr<const ExplainAnswer> answer);
  void failed(const QString& line);

 private:
  struct Request {
    int number = 0;
    ExplainQuestion question;
  };
  struct Loaded;
  void work(const Request& request, const std::stop_token& stop);
  template <class F>
  void deliver(int number, F f);

  // The number of the latest question
  int m_number = 0;
  // Only the worker uses it
  std::unique_ptr<Loaded> m_loaded;
  std::unique_ptr<LatestWorker<Request>> m_worker;
};

}  // namespace strata::ui
