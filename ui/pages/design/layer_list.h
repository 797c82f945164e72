// SPDX-License-Identifier: GPL-3.0-or-later
// The list of layers on the Design page: a table with drag and drop, shortcuts and renaming. It is
// as high as its rows. Thread: GUI thread.
#pragma once

#include <QTreeView>

namespace strata::ui {

class ColumnWidths;
class LayerItemModel;

class LayerList : public QTreeView {
  Q_OBJECT
 public:
  LayerList(LayerItemModel* model, QWidget* parent = nullptr);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {400, 120}; }

 Q_SIGNALS:
  /// Emitted when the user presses Enter.
  void addRequested();
  /// Emitted with the name of an action, such as "edit.remove".
  void actionRequested(const QString& action);

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void dragMoveEvent(QDragMoveEvent* event) override;

 private:
  void layOutColumns();
  void setFolded(bool folded);
  LayerItemModel* m_model;
  ColumnWidths* m_widths = nullptr;
};

}  // namespace strata::ui
