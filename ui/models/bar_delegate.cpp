// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/bar_delegate.h"

#include <QPainter>
#include <algorithm>

namespace strata::ui {

void BarDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const {
  QStyledItemDelegate::paint(painter, option, index);
  const double fraction = std::clamp(index.data(m_fractionRole).toDouble(), 0.0, 1.0);
  if (fraction <= 0) return;
  const QRectF cell = QRectF(option.rect).adjusted(4, 0, -8, 0);
  const double height = std::min(11.0, cell.height() - 4);
  // A shorter bar would be invisible.
  constexpr double kMinVisible = 0.002;
  if (fraction < kMinVisible) return;
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(Qt::NoPen);
  painter->setBrush(index.data(m_colorRole).value<QColor>());
  painter->drawRoundedRect(QRectF(cell.left(), cell.center().y() - height / 2 + 0.5,
                                  std::max(2.0, cell.width() * fraction), height),
                           2, 2);
  painter->restore();
}

}  // namespace strata::ui
