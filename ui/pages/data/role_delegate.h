// SPDX-License-Identifier: GPL-3.0-or-later
// Draws the role of a column as joined buttons, one for each role. A click chooses the role. With
// the keyboard, Left and Right choose it in the current row. Thread: GUI thread.
#pragma once

#include <QStyledItemDelegate>

#include "core/data/describe_table.h"

namespace strata::ui {

class RoleDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                   const QModelIndex& index) override;
  /// Returns the place of a role's button in a cell.
  static QRect segmentRect(const QRect& cell, const QFontMetrics& metrics,
                           ColumnDescription::Role role);

 Q_SIGNALS:
  void chosen(int row, strata::ColumnDescription::Role role);
};

}  // namespace strata::ui
