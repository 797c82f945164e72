// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window/project_tabs.h"

#include <QResizeEvent>
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace strata::ui {

namespace {

constexpr int kMinTabWidth = 112, kMaxTabWidth = 320;
constexpr int kScrollButtons = 48;

}  // namespace

ProjectTabs::ProjectTabs(QWidget* parent) : QTabBar(parent) {
  setTabsClosable(true);
  setExpanding(false);
  setDrawBase(false);
  // Similar names differ at the end, and so does the mark of unsaved changes.
  setElideMode(Qt::ElideMiddle);
  setUsesScrollButtons(true);
}

void ProjectTabs::setRoom(int room) {
  const int next = std::max(kMinTabWidth + kScrollButtons, room);
  if (next == m_room) return;
  m_room = next;
  setMaximumWidth(next);
  // QTabBar asks for the widths of its tabs again when their style changes.
  setIconSize(iconSize());
  updateGeometry();
}

/// A layout with other widths may leave the current tab beyond the edge; only a resize scrolls it
/// back.
void ProjectTabs::tabLayoutChange() {
  if (std::exchange(m_isShowingCurrent, true)) return;
  QMetaObject::invokeMethod(
      this,
      [this] {
        QResizeEvent same(size(), size());
        resizeEvent(&same);
        m_isShowingCurrent = false;
      },
      Qt::QueuedConnection);
}

QSize ProjectTabs::tabSizeHint(int index) const {
  const QSize wanted = QTabBar::tabSizeHint(index);
  return {std::min(wanted.width(), limit()), wanted.height()};
}

void ProjectTabs::changeEvent(QEvent* event) {
  m_limitOf.clear();
  QTabBar::changeEvent(event);
}

/// Wide tabs shrink first: finds the maximum width for which all tabs fit. The style is queried
/// once per tab and layout, because that is slow.
int ProjectTabs::limit() const {
  QStringList key{QString::number(m_room)};
  for (int i = 0; i < count(); ++i)
    key << tabText(i)
        << QString::number(tabButton(i, QTabBar::RightSide) || tabButton(i, QTabBar::LeftSide));
  if (key == m_limitOf) return m_limit;
  std::vector<int> widths;
  for (int i = 0; i < count(); ++i)
    widths.push_back(QTabBar::tabSizeHint(i).width());
  const auto sum = [&](int maximum) {
    return std::accumulate(widths.begin(), widths.end(), 0,
                           [&](int total, int width) { return total + std::min(maximum, width); });
  };
  m_limit = kMaxTabWidth;
  while (m_limit > kMinTabWidth && sum(m_limit) > m_room)
    m_limit -= 4;
  m_limitOf = std::move(key);
  return m_limit;
}

QSize ProjectTabs::sizeHint() const {
  int total = 0;
  for (int i = 0; i < count(); ++i)
    total += tabSizeHint(i).width();
  return {std::min(total, m_room), QTabBar::sizeHint().height()};
}

QSize ProjectTabs::minimumSizeHint() const {
  return {std::min(sizeHint().width(), kMinTabWidth + kScrollButtons), sizeHint().height()};
}

}  // namespace strata::ui
