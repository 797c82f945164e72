// SPDX-License-Identifier: GPL-3.0-or-later
// The tabs of the open projects: as wide as their names while there is room, then all narrower, names shortened in the middle; they scroll only when a
// name could not be read any more. Thread: the window's.
#pragma once

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
  QSize tabSizeHint(int index) const override;
  QSize minimumTabSizeHint(int index) const override { return tabSizeHint(index); }

 private:
  int m_room = 360;
};

}  // namespace strata::ui
