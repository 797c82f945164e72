// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/layer_delegate.h"

#include <QLineEdit>
#include <QPainter>
#include <algorithm>

#include "ui/models/branch_lanes.h"
#include "ui/models/layer_item_model.h"
#include "ui/theme/colors.h"
#include "ui/theme/icons.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kStep = 16, kPad = 11, kEdgeWidth = 4, kEdgeHeight = 16, kNameIndent = 25, kMark = 14,
              kBarHeight = 8;

constexpr int kLane = 9, kLaneLeft = 8, kDot = 2;

/// Returns the width of the longest value next to a cost bar.
int costFigureWidth(const QFontMetrics& metrics) {
  return metrics.horizontalAdvance(u"0,000,000"_s);
}

RowLanes lanesOf(const QModelIndex& index) {
  return index.data(LayerItemModel::LanesRole).value<RowLanes>();
}

/// Returns the width of the lanes to the left of the names.
int widthOfLanes(const QModelIndex& index) {
  const int count = lanesOf(index).count;
  return count > 0 ? count * kLane + 2 : 0;
}

/// Draws the part of the lanes that is in this row. `node` is the x coordinate at which the
/// connections to the layer end.
void paintLanes(QPainter* painter, const QRect& row, int node, const QModelIndex& index,
                const Colors& colors) {
  const RowLanes lanes = lanesOf(index);
  if (lanes.count == 0) return;
  painter->setRenderHint(QPainter::Antialiasing);
  const double middle = row.center().y() + 0.5;
  for (int lane = 0; lane < lanes.count; ++lane) {
    const quint32 bit = 1U << lane;
    if (!((lanes.up | lanes.down) & bit)) continue;
    // The first lane is next to the names, so that its connections to the layers are short.
    const double x = row.left() + kLaneLeft + (lanes.count - 1 - lane) * kLane + 0.5;
    painter->setPen(QPen(colors.muted, 1));
    if (lanes.up & bit) painter->drawLine(QPointF(x, row.top()), QPointF(x, middle));
    if (lanes.down & bit) painter->drawLine(QPointF(x, middle), QPointF(x, row.bottom() + 1));
    if (!((lanes.starts | lanes.ends) & bit)) continue;
    painter->drawLine(QPointF(x, middle), QPointF(node - 3, middle));
    painter->setBrush(colors.muted);
    if (lanes.starts & bit) painter->drawEllipse(QPointF(x, middle), kDot, kDot);
    if (lanes.ends & bit) {
      const double tip = node - 2;
      const QPointF head[] = {{tip, middle}, {tip - 5, middle - 3}, {tip - 5, middle + 3}};
      painter->drawPolygon(head, 3);
    }
  }
}

/// Returns the indentation of a layer in a Block. A limit keeps enough space for the names.
int indentOf(const QModelIndex& index) {
  return kStep * std::min(index.data(LayerItemModel::DepthRole).toInt(), 4);
}

void paintBackground(QPainter* painter, const QStyleOptionViewItem& option,
                     const QModelIndex& index, const Colors& colors) {
  const bool isWrong = index.data(LayerItemModel::SeverityRole).toInt() == 2;
  QColor ground = colors.card;
  if (option.state & QStyle::State_Selected) {
    ground = colors.accentSoft;
  }
  else if (isWrong) {
    ground = colors.problemSoft;
  }
  else if (option.state & QStyle::State_MouseOver) {
    ground = colors.hover;
  }
  painter->fillRect(option.rect, ground);
  painter->fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1),
                    colors.hairline);
}

void paintEdge(QPainter* painter, const QRect& place, const QModelIndex& index,
               const Colors& colors) {
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(Qt::NoPen);
  painter->setBrush(kindColor(index.data(LayerItemModel::GroupRole).toString(), colors.isDark));
  painter->drawRoundedRect(place, 2, 2);
}

/// Paints the icon of a problem. Severities differ in shape as well as in colour.
void paintMark(QPainter* painter, const QRect& place, int severity, const Colors& colors) {
  if (severity == 0) return;
  icon(severity == 2 ? u"error"_s : u"warning"_s, severity == 2 ? colors.problem : colors.warning)
      .paint(painter, place);
}

}  // namespace

void LayerTableDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                               const QModelIndex& index) const {
  painter->save();
  const Colors& colors = colorsOf(option.palette);
  paintBackground(painter, option, index, colors);
  QRect place = option.rect.adjusted(kPad, 0, -kPad, 0);
  const QString words = index.data(Qt::DisplayRole).toString();
  QFont font = option.font;
  font.setItalic(index.data(LayerItemModel::IsPredictedRole).toBool());
  QColor ink = colors.text;
  const int severity = index.data(LayerItemModel::SeverityRole).toInt();

  if (index.column() == LayerItemModel::Inputs) ink = colors.muted;
  if (index.column() == LayerItemModel::Name) {
    const int left = option.rect.left() + widthOfLanes(index) + indentOf(index);
    paintLanes(painter, option.rect, left + kPad, index, colors);
    paintEdge(
        painter,
        QRect(left + kPad, option.rect.center().y() - kEdgeHeight / 2 + 1, kEdgeWidth, kEdgeHeight),
        index, colors);
    place.setLeft(left + kNameIndent);
    if (severity != 0) {
      place.setRight(option.rect.right() - kMark - 4);
      paintMark(painter, QRect(place.right() + 2, place.center().y() - kMark / 2 + 1, kMark, kMark),
                severity, colors);
      if (severity == 2) ink = colors.problem;
    }
  }
  else if (index.column() == LayerItemModel::Cost) {
    const double fraction = index.data(LayerItemModel::CostFractionRole).toDouble();
    const int widest = std::max(0, place.width() - costFigureWidth(option.fontMetrics) - 6);
    if (fraction > 0 && !words.isEmpty()) {
      const int width = std::max(2, static_cast<int>(fraction * widest));
      painter->setRenderHint(QPainter::Antialiasing);
      painter->setPen(Qt::NoPen);
      painter->setBrush(colors.cost);
      painter->drawRoundedRect(
          QRect(place.left(), place.center().y() - kBarHeight / 2 + 1, width, kBarHeight), 2, 2);
      place.setLeft(place.left() + width + 6);
    }
  }
  painter->setFont(font);
  painter->setPen(ink);
  const auto alignment = static_cast<Qt::Alignment>(index.data(Qt::TextAlignmentRole).toInt());
  painter->drawText(place, static_cast<int>(alignment),
                    QFontMetrics(font).elidedText(words, Qt::ElideRight, place.width()));
  painter->restore();
}

QSize LayerTableDelegate::sizeHint(const QStyleOptionViewItem& option,
                                   const QModelIndex& index) const {
  const int text = option.fontMetrics.horizontalAdvance(index.data(Qt::DisplayRole).toString());
  const int extra = index.column() == LayerItemModel::Name
                        ? widthOfLanes(index) + indentOf(index) + kNameIndent + kMark + 8
                        : 2 * kPad + 3;
  return {text + extra, std::max(kRowHeight, option.fontMetrics.height() + 12)};
}

QWidget* LayerTableDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&,
                                          const QModelIndex& index) const {
  auto* edit = new QLineEdit(parent);
  edit->setAccessibleName(tr("New name of %1").arg(index.data(Qt::EditRole).toString()));
  edit->setTextMargins(0, 0, 0, 0);
  edit->setStyleSheet(u"QLineEdit { padding: 0 4px; border-radius: 3px; }"_s);
  return edit;
}

void LayerTableDelegate::setEditorData(QWidget* editor, const QModelIndex& index) const {
  // Updates that arrive while the user types must not restore the old name or change the selected
  // text.
  if (const auto* edit = qobject_cast<QLineEdit*>(editor);
      edit && (edit->isModified() || edit->text() == index.data(Qt::EditRole)))
    return;
  QStyledItemDelegate::setEditorData(editor, index);
}

void LayerTableDelegate::updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                                              const QModelIndex& index) const {
  editor->setGeometry(
      option.rect.adjusted(widthOfLanes(index) + indentOf(index) + kNameIndent - 6, 3, -2, -4));
}

void NetworkListDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                                const QModelIndex& index) const {
  painter->save();
  const Colors& colors = colorsOf(option.palette);
  paintBackground(painter, option, index, colors);
  const QModelIndex output = index.siblingAtColumn(LayerItemModel::Output),
                    costs = index.siblingAtColumn(LayerItemModel::Cost);
  const QRect rect = option.rect.adjusted(widthOfLanes(index) + indentOf(index), 0, 0, 0);
  paintLanes(painter, option.rect, rect.left() + kPad, index, colors);
  paintEdge(painter, QRect(rect.left() + kPad, rect.center().y() - 9, kEdgeWidth, 18), index,
            colors);
  const int barWidest = std::min(64, rect.width() / 3);
  const int severity = index.data(LayerItemModel::SeverityRole).toInt();
  const QRect words(rect.left() + kNameIndent, rect.top() + 3,
                    rect.width() - kNameIndent - barWidest - kPad - 6, rect.height() / 2 - 3);
  painter->setPen(severity == 2 ? colors.problem : colors.text);
  painter->setFont(option.font);
  painter->drawText(
      words, Qt::AlignVCenter | Qt::AlignLeft,
      option.fontMetrics.elidedText(index.data().toString(), Qt::ElideRight, words.width()));
  QFont small = option.font;
  small.setPointSizeF(small.pointSizeF() - 1.5);
  painter->setFont(small);
  painter->setPen(colors.muted);
  painter->drawText(
      words.translated(0, words.height() - 1), Qt::AlignVCenter | Qt::AlignLeft,
      QFontMetrics(small).elidedText(output.data().toString(), Qt::ElideRight, words.width()));
  const double fraction = costs.data(LayerItemModel::CostFractionRole).toDouble();
  const bool isStale = costs.data(LayerItemModel::IsStaleRole).toBool();
  const QRect bar(rect.right() - kPad - barWidest, words.center().y() - kBarHeight / 2, barWidest,
                  kBarHeight);
  small.setItalic(costs.data(LayerItemModel::IsPredictedRole).toBool());
  painter->setFont(small);
  painter->setPen(isStale ? colors.faint : colors.muted);
  const QRect figure(bar.left() - kMark, words.top() + words.height() - 1, bar.width() + kMark,
                     words.height());
  painter->drawText(figure, Qt::AlignVCenter | Qt::AlignRight, costs.data().toString());
  if (fraction > 0) {
    const int width = std::max(2, static_cast<int>(fraction * barWidest));
    painter->setPen(Qt::NoPen);
    painter->setBrush(isStale ? colors.border : colors.cost);
    painter->setRenderHint(QPainter::Antialiasing);
    painter->drawRoundedRect(bar.adjusted(barWidest - width, 0, 0, 0), 2, 2);
  }
  paintMark(painter, QRect(bar.left() - kMark, bar.center().y() - kMark / 2 + 1, kMark, kMark),
            severity, colors);
  painter->restore();
}

QSize NetworkListDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const {
  return {120, option.fontMetrics.height() * 2 + 12};
}

}  // namespace strata::ui
