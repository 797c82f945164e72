// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/data/role_delegate.h"

#include <QApplication>
#include <QMouseEvent>
#include <QPainter>

#include "ui/pages/data/column_item_model.h"
#include "ui/theme/colors.h"

namespace strata::ui {

using namespace Qt::StringLiterals;
using Role = ColumnDescription::Role;

namespace {

constexpr int kPadding = 8, kMargin = 6;

/// Returns the width of a role's button. A guessed label has a question mark.
int segmentWidth(const QFontMetrics& metrics, Role role) {
  QString words = ColumnItemModel::roleName(role);
  if (role == Role::Label) words += u" ?"_s;
  return metrics.horizontalAdvance(words) + 2 * kPadding;
}

/// Returns the colours of a button: background, border and text.
struct SegmentColors {
  QColor background, border, words;
};

SegmentColors colorsFor(const Colors& colors, bool isChosen, bool isGuessed, bool isEditable) {
  if (isChosen && isGuessed) return {colors.accentSoft, colors.accent, colors.accent};
  if (isChosen) return {colors.accent, colors.accent, colors.accentText};
  return {colors.card, colors.border, isEditable ? colors.text : colors.faint};
}

}  // namespace

QRect RoleDelegate::segmentRect(const QRect& cell, const QFontMetrics& metrics, Role role) {
  const int height = metrics.height() + 4;
  QRect place(cell.left() + kMargin, cell.center().y() - height / 2, 0, height);
  for (const Role each : ColumnItemModel::kRoles) {
    place.setWidth(segmentWidth(metrics, each));
    if (each == role) break;
    place.translate(place.width(), 0);
  }
  return place;
}

void RoleDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
  QStyleOptionViewItem background = option;
  initStyleOption(&background, index);
  background.text.clear();
  QApplication::style()->drawControl(QStyle::CE_ItemViewItem, &background, painter, option.widget);
  const Colors& colors = colorsOf(option.widget);
  const auto chosen = static_cast<Role>(index.data(ColumnItemModel::kRoleRole).toInt());
  const bool isGuessed = index.data(ColumnItemModel::kGuessedRole).toBool(),
             isEditable = index.data(ColumnItemModel::kEditableRole).toBool();
  painter->save();
  painter->setClipRect(option.rect);
  painter->setFont(option.font);
  const auto draw = [&](Role role) {
    const bool isChosen = role == chosen;
    const SegmentColors look = colorsFor(colors, isChosen, isGuessed, isEditable);
    const QRect place = segmentRect(option.rect, option.fontMetrics, role);
    painter->setPen(look.border);
    painter->setBrush(look.background);
    painter->drawRect(place.adjusted(0, 0, 0, -1));
    painter->setPen(look.words);
    QString words = ColumnItemModel::roleName(role);
    if (isChosen && isGuessed) words += u" ?"_s;
    painter->drawText(place, Qt::AlignCenter, words);
  };
  // The chosen button is drawn last, so that its border is above those of its neighbours.
  for (const Role role : ColumnItemModel::kRoles)
    if (role != chosen) draw(role);
  draw(chosen);
  painter->restore();
}

QSize RoleDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const QRect last = segmentRect({}, option.fontMetrics, ColumnItemModel::kRoles.back());
  return {last.right() + kMargin + 1,
          std::max(last.height() + 6, QStyledItemDelegate::sizeHint(option, index).height())};
}

bool RoleDelegate::editorEvent(QEvent* event, QAbstractItemModel*,
                               const QStyleOptionViewItem& option, const QModelIndex& index) {
  if (event->type() != QEvent::MouseButtonRelease ||
      !index.data(ColumnItemModel::kEditableRole).toBool())
    return false;
  const auto* mouse = static_cast<QMouseEvent*>(event);
  if (mouse->button() != Qt::LeftButton) return false;
  for (const Role role : ColumnItemModel::kRoles)
    if (segmentRect(option.rect, option.fontMetrics, role).contains(mouse->position().toPoint())) {
      Q_EMIT chosen(index.row(), role);
      return true;
    }
  return false;
}

}  // namespace strata::ui
