// SPDX-License-Identifier: GPL-3.0-or-later
// List on the Design page: a table of the layers with drag and drop, shortcuts and renaming. As
// high as its rows. Thread: GUI thread.
#pragma once

#include <QTreeView>

namespace strata::ui {

class LayerItemModel;

class LayerList : public QTreeView {
  Q_OBJECT
 public:
  LayerList(LayerItemModel* model, QWidget* parent = nullptr);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {400, 120}; }

 Q_SIGNALS:
  // On Enter
  void addRequested();
  // For example "edit.remove"
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
};

}  // namespace strata::ui
