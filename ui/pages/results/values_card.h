// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the results of a network that predicts numbers. A plot compares predicted with true values.
// A table lists the samples with the largest differences, and screen readers read it instead of the
// plot. Thread: GUI thread.
#pragma once

#include <QWidget>
#include <memory>

class QBoxLayout;
class QCPBars;
class QCPGraph;
class QCustomPlot;
class QLabel;
class QStandardItemModel;
class QTableView;
class QVBoxLayout;

namespace strata {
struct RegressionFigures;
}

namespace strata::ui {

struct EvaluatedRun;

class ValuesCard : public QWidget {
  Q_OBJECT
 public:
  explicit ValuesCard(QWidget* parent = nullptr);
  /// Shows the results of `run`. If `run` is null, there are no results yet, and `sentence` gives
  /// the reason.
  void setRun(std::shared_ptr<const EvaluatedRun> run, const QString& sentence = {});
  QCustomPlot* plot() const { return m_plot; }
  QCustomPlot* residualPlot() const { return m_residuals; }

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fillPlot();
  void fillTable();
  void makeResiduals(QVBoxLayout* layout);
  void fillResiduals();
  const RegressionFigures* regression() const;
  void applyColors();

  std::shared_ptr<const EvaluatedRun> m_run;
  QLabel* m_sentence;
  QBoxLayout* m_body;
  QCustomPlot* m_plot;
  // The line on which predicted and true values are equal.
  QCPGraph* m_equal;
  QCPGraph* m_points;
  QLabel* m_errors;
  QCustomPlot* m_residuals;
  QCPBars* m_bars;
  QStandardItemModel* m_rows;
  QTableView* m_table;
};

}  // namespace strata::ui
