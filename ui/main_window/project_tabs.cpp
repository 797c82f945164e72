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
  // Similar names often differ at the end, and the mark of unsaved changes is also there.
  setElideMode(Qt::ElideMiddle);
  setUsesScrollButtons(true);
}

void ProjectTabs::setRoom(int room) {
  const int next = std::max(kMinTabWidth + kScrollButtons, room);
  if (next == m_room) return;
  m_room = next;
  setMaximumWidth(next);
  // This call makes QTabBar ask for the tab widths again.
  setIconSize(iconSize());
  updateGeometry();
}

/// Scrolls the current tab into view. A layout with other widths may move it beyond the edge, and
/// QTabBar scrolls only when it is resized.
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

/// Returns the maximum tab width with which all tabs fit, so that wide tabs shrink first. The
/// result is cached, because computing the sizes of tabs is slow.
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
