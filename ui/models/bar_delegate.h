// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a cell as a bar. Roles of the model give the length as a fraction 0..1, and the colour.
// Thread: GUI thread.
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
