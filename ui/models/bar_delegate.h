// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a table cell as a bar. Two roles of the model provide its length, as a fraction from 0 to
// 1, and its colour. Thread: GUI thread.
#pragma once

#include <QStyledItemDelegate>

namespace strata::ui {

class BarDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  BarDelegate(int fractionRole, int colorRole, QObject* parent)
      : QStyledItemDelegate(parent), m_fractionRole(fractionRole), m_colorRole(colorRole) {}
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;

 private:
  const int m_fractionRole, m_colorRole;
};

}  // namespace strata::ui
