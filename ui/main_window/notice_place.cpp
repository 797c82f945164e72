// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window/notice_place.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QMenuBar>

namespace strata::ui {

NoticePlace::NoticePlace(QMenuBar* bar) : QWidget(bar), m_bar(bar), m_row(new QHBoxLayout(this)) {
  // A menu bar outside the window has no place for notices.
  bar->setNativeMenuBar(false);
  m_row->setContentsMargins(0, 1, 0, 1);
  m_row->setSpacing(8);
  bar->installEventFilter(this);
  hide();
}

void NoticePlace::add(QWidget* notice) {
  m_row->addWidget(notice, 1);
  notice->installEventFilter(this);
}

bool NoticePlace::eventFilter(QObject* watched, QEvent* event) {
  const QEvent::Type type = event->type();
  const bool isNotice = watched != m_bar;
  if (type == (isNotice ? QEvent::ShowToParent : QEvent::Resize) ||
      type == (isNotice ? QEvent::HideToParent : QEvent::LayoutRequest))
    place();
  return QWidget::eventFilter(watched, event);
}

void NoticePlace::place() {
  bool hasNotice = false;
  for (int i = 0; i < m_row->count(); ++i)
    hasNotice = hasNotice || !m_row->itemAt(i)->widget()->isHidden();
  setVisible(hasNotice);
  constexpr int kGap = 24, kEdge = 8;
  const QList<QAction*> menus = m_bar->actions();
  const int left = menus.isEmpty() ? 0 : m_bar->actionGeometry(menus.last()).right() + kGap;
  setGeometry(left, 0, m_bar->width() - left - kEdge, m_bar->height());
}

}  // namespace strata::ui
