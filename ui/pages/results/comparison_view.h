// SPDX-License-Identifier: GPL-3.0-or-later
// Compares runs side by side: results, settings and layers that differ, and their sizes against a
// result. On request, it evaluates all of them on the same samples of the open project. Not here:
// finding the differences (core/run_list/comparison.h), evaluating (core/train/same_samples.h),
// curves (lenses/curves.h). Thread: GUI thread; workers compare and evaluate.
#pragma once

#include <QWidget>
#include <memory>
#include <string>
#include <vector>

#include "core/run_list/comparison.h"
#include "core/train/same_samples.h"
#include "ui/document/latest_worker.h"

class QLabel;
class QPushButton;
class QStandardItemModel;
class QTableView;

namespace strata::ui {

class AgreementCard;
class Document;
class SizePlot;

class ComparisonView : public QWidget {
  Q_OBJECT
 public:
  ComparisonView(const Document& document, QWidget* parent);
  /// Compares these runs. Fewer than two show a sentence that says how to choose some.
  void setRuns(std::vector<RunRow> rows);
  const std::vector<RunRow>& rows() const { return m_rows; }

 Q_SIGNALS:
  void curvesRequested();
  /// Emitted on a double click on the column of a run.
  void opened(const std::string& listedAt);

 private:
  using Rows = std::shared_ptr<const std::vector<RunRow>>;
  struct Evaluation {
    std::vector<RunRow> rows;
    Project data;
  };
  QLayout* makeHead();
  void makeWorkers();
  bool isShown(const std::vector<std::string>& runs) const;
  void evaluateOrCancel();
  void setEvaluating(bool isEvaluating);
  void evaluate(const Evaluation& request, const std::stop_token& stop);
  void showSameSamples(const std::shared_ptr<const SameSamples>& same);
  void addSameSamples();
  QStringList sentencesAboutSamples() const;
  void refresh();
  void showSizes();
  void addSection(const QString& title);
  void addResults();
  void addSettings(const std::vector<SettingDifference>& settings, const QString& indent);
  void addLayers();
  void fitColumns();
  QString sentence() const;

  const Document& m_document;
  std::vector<RunRow> m_rows;
  // Empty until the worker has compared the runs
  RunComparison m_compared;
  // Null until the runs were evaluated
  std::shared_ptr<const SameSamples> m_same;
  bool m_isEvaluating = false;
  QLabel* m_sentence;
  QPushButton* m_evaluate;
  QPushButton* m_curves;
  QStandardItemModel* m_table;
  QTableView* m_view;
  AgreementCard* m_agreement;
  SizePlot* m_plot;
  // The last members, so that their threads end first
  std::unique_ptr<LatestWorker<Rows>> m_worker;
  std::unique_ptr<LatestWorker<std::shared_ptr<const Evaluation>>> m_evaluator;
};

}  // namespace strata::ui
