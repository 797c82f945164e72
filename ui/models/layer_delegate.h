// SPDX-License-Identifier: GPL-3.0-or-later
// Paints layer rows: kind colour on the edge, cost bars, predicted figures in italics, red only
// where there is a problem.
// Thread: the window's.
#pragma once

#include <QStyledItemDelegate>

namespace strata::ui {

/// Columns of LayerItemModel, one a cell.
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

/// One cell of two lines for the network list: name, shape, cost bar.
class NetworkListDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace strata::ui
