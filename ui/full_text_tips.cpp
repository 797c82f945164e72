// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/full_text_tips.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QHeaderView>
#include <QHelpEvent>
#include <QToolTip>
#include <algorithm>

namespace strata::ui {

namespace {

constexpr int kMargins = 8;

/// Returns the place of the title at a point, in the coordinates of the viewport.
QRect titleRect(const QHeaderView& header, const QPoint& at) {
  const int section = header.logicalIndexAt(at), start = header.sectionViewportPosition(section),
            size = header.sectionSize(section);
  return header.orientation() == Qt::Horizontal ? QRect(start, 0, size, header.viewport()->height())
                                                : QRect(0, start, header.viewport()->width(), size);
}

/// Returns the title under the mouse if it does not fit into its column.
QString cutTitle(const QHeaderView& header, const QPoint& at) {
  const int section = header.logicalIndexAt(at);
  if (section < 0 || header.sectionSizeHint(section) <= header.sectionSize(section)) return {};
  return header.model()->headerData(section, header.orientation()).toString();
}

/// Returns the text of the cell under the mouse if it does not fit into the cell.
QString cutText(const QAbstractItemView& view, const QPoint& at) {
  const QModelIndex index = view.indexAt(at);
  const QString words = index.data().toString();
  if (words.isEmpty()) return {};
  const int needed = std::max(view.sizeHintForIndex(index).width(),
                              view.fontMetrics().horizontalAdvance(words) + kMargins);
  return needed > view.visualRect(index).width() ? words : QString();
}

}  // namespace

FullTextTips::FullTextTips(QObject* parent) : QObject(parent) { qApp->installEventFilter(this); }

bool FullTextTips::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::ToolTip || !watched->isWidgetType())
    return QObject::eventFilter(watched, event);
  auto* view = qobject_cast<QAbstractItemView*>(watched->parent());
  if (!view || view->viewport() != watched || !view->model())
    return QObject::eventFilter(watched, event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const auto* header = qobject_cast<QHeaderView*>(view);
  const QString words = header ? cutTitle(*header, help->pos()) : cutText(*view, help->pos());
  const QVariant tip = header ? header->model()->headerData(header->logicalIndexAt(help->pos()),
                                                            header->orientation(), Qt::ToolTipRole)
                              : view->indexAt(help->pos()).data(Qt::ToolTipRole);
  if (words.isEmpty() || tip.toString().contains(words))
    return QObject::eventFilter(watched, event);
  const QString more = tip.toString();
  // The rectangle makes the tooltip follow the mouse to another cell.
  const QRect place =
      header ? titleRect(*header, help->pos()) : view->visualRect(view->indexAt(help->pos()));
  QToolTip::showText(help->globalPos(), more.isEmpty() ? words : words + u'\n' + more,
                     view->viewport(), place);
  return true;
}

}  // namespace strata::ui
