// SPDX-License-Identifier: GPL-3.0-or-later
// Shows a confusion matrix. A matrix with few classes takes the whole width. A larger one scrolls
// under its fixed headers and zooms with Ctrl and the wheel; its counts appear where cells have
// room. Thread: GUI thread.
#pragma once

#include <QTableView>

#include "ui/models/confusion_item_model.h"

namespace strata::ui {

class MatrixView : public QTableView {
  Q_OBJECT
 public:
  explicit MatrixView(QWidget* parent);
  /// Shows a matrix; nullopt shows none.
  void setConfusion(std::optional<Confusion> confusion, QStringList names);
  ConfusionItemModel& matrix() { return *m_model; }
  /// Whether the matrix has too many classes for the width of a card.
  bool isLarge() const { return m_model->rowCount() > kMaxStretched; }
  /// Makes the cells of a large matrix larger or smaller by steps.
  void zoom(int steps);
  int cellSize() const { return m_cell; }

 protected:
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  static constexpr int kMaxStretched = 30;
  void layOut();

  ConfusionItemModel* m_model;
  int m_cell = 20;
};

}  // namespace strata::ui
