// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window/project_tabs.h"

#include <algorithm>

namespace strata::ui {

namespace {

constexpr int kNarrowest = 112, kWidest = 320;
constexpr int kScrollButtons = 48;

}  // namespace

ProjectTabs::ProjectTabs(QWidget* parent) : QTabBar(parent) {
  setTabsClosable(true);
  setExpanding(false);
  setDrawBase(false);
  setElideMode(Qt::ElideMiddle);  // names that begin alike differ at the end, where the mark of unsaved changes is, too
  setUsesScrollButtons(true);
}

void ProjectTabs::setRoom(int room) {
  const int next = std::max(kNarrowest + kScrollButtons, room);
  if (next == m_room) return;
  m_room = next;
  setMaximumWidth(next);
  // QTabBar asks its tabs for their widths again when their style changes.
  setIconSize(iconSize());
  updateGeometry();
}

QSize ProjectTabs::tabSizeHint(int index) const {
  const QSize wanted = QTabBar::tabSizeHint(index);
  int total = 0;
  for (int i = 0; i < count(); ++i) total += std::min(kWidest, QTabBar::tabSizeHint(i).width());
  const int width = std::min(kWidest, wanted.width());
  if (total <= m_room) return {width, wanted.height()};
  // The wide ones give first: a limit for all under which their sum fits.
  int limit = kWidest;
  for (; limit > kNarrowest; limit -= 4) {
    int sum = 0;
    for (int i = 0; i < count(); ++i) sum += std::min(limit, QTabBar::tabSizeHint(i).width());
    if (sum <= m_room) break;
  }
  return {std::min(width, limit), wanted.height()};
}

QSize ProjectTabs::sizeHint() const {
  int total = 0;
  for (int i = 0; i < count(); ++i) total += tabSizeHint(i).width();
  return {std::min(total, m_room), QTabBar::sizeHint().height()};
}

QSize ProjectTabs::minimumSizeHint() const { return {std::min(sizeHint().width(), kNarrowest + kScrollButtons), sizeHint().height()}; }

}  // namespace strata::ui
