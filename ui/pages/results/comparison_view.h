// SPDX-License-Identifier: GPL-3.0-or-later
// Compares runs side by side: results, settings and layers that differ, and their sizes against a
// result. Not here: finding the differences (core/run_list/comparison.h), curves (lenses/curves.h).
// Thread: GUI thread; a worker compares.
#pragma once

#include <QWidget>
#include <memory>
#include <string>
#include <vector>

#include "core/run_list/comparison.h"
#include "ui/document/latest_worker.h"

class QLabel;
class QPushButton;
class QStandardItemModel;
class QTableView;

namespace strata::ui {

class SizePlot;

class ComparisonView : public QWidget {
  Q_OBJECT
 public:
  explicit ComparisonView(QWidget* parent);
  /// Compares these runs. Fewer than two show a sentence that says how to choose some.
  void setRuns(std::vector<RunRow> rows);
  const std::vector<RunRow>& rows() const { return m_rows; }

 Q_SIGNALS:
  void curvesRequested();
  /// Emitted on a double click on the column of a run.
  void opened(const std::string& listedAt);

 private:
  using Rows = std::shared_ptr<const std::vector<RunRow>>;
  void show(const RunComparison& comparison);
  void addSection(const QString& title);
  void addResults(const RunComparison& comparison);
  void addSettings(const std::vector<SettingDifference>& settings, const QString& indent);
  void addLayers(const RunComparison& comparison);
  void fitColumns();
  QString sentenceFor(const RunComparison& comparison) const;

  std::vector<RunRow> m_rows;
  QLabel* m_sentence;
  QPushButton* m_curves;
  QStandardItemModel* m_table;
  QTableView* m_view;
  SizePlot* m_plot;
  // The last member, so that its thread ends first
  std::unique_ptr<LatestWorker<Rows>> m_worker;
};

}  // namespace strata::ui
