// SPDX-License-Identifier: GPL-3.0-or-later
// The tabs of the open projects: as wide as their names while there is room, then all narrower,
// names shortened in the middle; they scroll only when a name could not be read any more. Thread:
// the window's.
#pragma once

#include <QStringList>
#include <QTabBar>

namespace strata::ui {

class ProjectTabs : public QTabBar {
  Q_OBJECT
 public:
  explicit ProjectTabs(QWidget* parent = nullptr);
  /// Pixels that the row has for all of them.
  void setRoom(int room);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void tabLayoutChange() override;
  QSize tabSizeHint(int index) const override;
  QSize minimumTabSizeHint(int index) const override { return tabSizeHint(index); }
  void changeEvent(QEvent* event) override;

 private:
  int limit() const;

  // The room, and each tab's text and button: what m_limit was found for
  mutable QStringList m_limitOf;
  mutable int m_limit = 0;
  int m_room = 360;
  bool m_isShowingCurrent = false;
};

}  // namespace strata::ui
