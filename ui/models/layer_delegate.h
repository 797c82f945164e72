// SPDX-License-Identifier: GPL-3.0-or-later
// Paints the rows of layers: a coloured edge for the group of the layer, cost bars, and predicted
// values in italics. Red is used only for problems. Thread: GUI thread.
#pragma once

#include <QStyledItemDelegate>

namespace strata::ui {

/// Paints the cells of a table that shows the columns of LayerItemModel.
class LayerTableDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  static constexpr int kRowHeight = 32;
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const override;
  void setEditorData(QWidget* editor, const QModelIndex& index) const override;
  void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const override;
};

/// Paints a row of the network list in two lines: name, shape and cost bar.
class NetworkListDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace strata::ui
