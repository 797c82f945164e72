// SPDX-License-Identifier: GPL-3.0-or-later
// What a network that answers with numbers makes of the test data: its answers over the true
// values, and the samples farthest off as a table, which is also the plot's readable twin. Thread:
// the window's.
#pragma once

#include <QWidget>
#include <memory>

class QBoxLayout;
class QCPGraph;
class QCustomPlot;
class QLabel;
class QStandardItemModel;
class QTableView;

namespace strata::ui {

struct EvaluatedRun;

class ValuesCard : public QWidget {
  Q_OBJECT
 public:
  explicit ValuesCard(QWidget* parent = nullptr);
  /// null: nothing is known yet; `sentence` then says why.
  void setRun(std::shared_ptr<const EvaluatedRun> run, const QString& sentence = {});
  QCustomPlot* plot() const { return m_plot; }

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fillPlot();
  void fillTable();
  void applyColors();

  std::shared_ptr<const EvaluatedRun> m_run;
  QLabel* m_sentence;
  QBoxLayout* m_body;
  QCustomPlot* m_plot;
  // Where answer and truth are the same
  QCPGraph* m_equal;
  QCPGraph* m_points;
  QStandardItemModel* m_rows;
  QTableView* m_table;
};

}  // namespace strata::ui
