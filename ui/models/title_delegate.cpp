// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/title_delegate.h"

#include <QAbstractItemView>
#include <QListWidget>
#include <QPainter>

#include "ui/theme/colors.h"

namespace strata::ui {

namespace {

constexpr int kTitleMargin = 12, kTitleTop = 8, kUnderTitle = 2;

QFont titleFont(const QFont& font) {
  QFont bold = font;
  bold.setWeight(QFont::DemiBold);
  return bold;
}

}  // namespace

TitleDelegate::TitleDelegate(Qt::TextElideMode elide, QObject* parent)
    : QStyledItemDelegate(parent), m_elide(elide) {}

QListWidgetItem* TitleDelegate::addTo(QListWidget* list, const QString& title,
                                      const QString& notes) {
  auto* item = new QListWidgetItem(title, list);
  item->setData(kNotesRole, notes);
  item->setData(Qt::AccessibleDescriptionRole, notes);
  return item;
}

void TitleDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
  painter->save();
  const Colors& colors = colorsOf(option.palette);
  QColor ground = colors.card;
  if (option.state & QStyle::State_Selected) {
    ground = colors.accentSoft;
  }
  else if (option.state & QStyle::State_MouseOver) {
    ground = colors.hover;
  }
  painter->fillRect(option.rect, ground);
  const QRect& row = option.rect;
  painter->fillRect(QRect(row.left(), row.bottom(), row.width(), 1), colors.hairline);
  QRect place = row.adjusted(kTitleMargin, kTitleTop, -kTitleMargin, -kTitleTop);
  const QFont bold = titleFont(option.font);
  const QFontMetrics boldMetrics(bold);
  painter->setFont(bold);
  painter->setPen(colors.text);
  painter->drawText(place, Qt::AlignTop | Qt::AlignLeft,
                    boldMetrics.elidedText(index.data().toString(), Qt::ElideRight, place.width()));
  painter->setFont(option.font);
  painter->setPen(colors.muted);
  place.setTop(place.top() + boldMetrics.height() + kUnderTitle);
  const QString notes = index.data(kNotesRole).toString();
  if (isWrapped()) {
    painter->drawText(place, Qt::AlignTop | Qt::AlignLeft | Qt::TextWordWrap, notes);
  }
  else {
    painter->drawText(place, Qt::AlignTop | Qt::AlignLeft,
                      option.fontMetrics.elidedText(notes, m_elide, place.width()));
  }
  painter->restore();
}

QSize TitleDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const auto* view = qobject_cast<const QAbstractItemView*>(option.widget);
  const int width = (view ? view->viewport()->width() : 500) - 2 * kTitleMargin;
  int notesHeight = option.fontMetrics.height();
  if (isWrapped()) {
    const QString notes = index.data(kNotesRole).toString();
    const QRect room(0, 0, width, 1000);
    notesHeight = option.fontMetrics.boundingRect(room, Qt::TextWordWrap, notes).height();
  }
  const int titleHeight = QFontMetrics(titleFont(option.font)).height();
  return {width, titleHeight + kUnderTitle + notesHeight + 2 * kTitleTop};
}

}  // namespace strata::ui
