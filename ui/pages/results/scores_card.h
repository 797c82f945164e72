// SPDX-License-Identifier: GPL-3.0-or-later
// Precision, recall, F1, support and areas of each class, and their means. It is the table twin of
// the curves of an evaluation. Thread: GUI thread.
#pragma once

#include <QWidget>

class QLabel;
class QStandardItemModel;
class QTableView;

namespace strata {
struct ClassFigures;
struct ClassScores;
}  // namespace strata

namespace strata::ui {

struct OutputFigures;

class ScoresCard : public QWidget {
  Q_OBJECT
 public:
  explicit ScoresCard(QWidget* parent);
  /// Shows the scores. Requires: the output has classes or labels.
  void setFigures(const OutputFigures& figures);

 private:
  /// Adds a row. `figures` is null for the negative class of a binary output.
  void addRow(const QString& name, const ClassScores& scores, const ClassFigures* figures);

  QLabel* m_sentence;
  QStandardItemModel* m_rows;
  QTableView* m_table;
  QLabel* m_means;
};

}  // namespace strata::ui
