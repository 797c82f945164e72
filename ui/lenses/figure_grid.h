// SPDX-License-Identifier: GPL-3.0-or-later
// A small table of figures, as labels in a grid. The first row has the titles. Rows are only added,
// so that nothing moves while figures change. Thread: GUI thread.
#pragma once

#include <QStringList>
#include <QWidget>
#include <vector>

class QGridLayout;
class QLabel;

namespace strata::ui {

class FigureGrid : public QWidget {
  Q_OBJECT
 public:
  explicit FigureGrid(QWidget* parent);
  struct Row {
    QStringList words;
    // From this column on, figures are predicted
    int firstPredicted = 0;
  };
  /// Requires: all rows have as many words as those of the first call.
  void setRows(const std::vector<Row>& rows);

 private:
  QGridLayout* m_grid;
  std::vector<std::vector<QLabel*>> m_cells;
};

}  // namespace strata::ui
