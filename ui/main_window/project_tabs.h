// SPDX-License-Identifier: GPL-3.0-or-later
// The tabs of the open projects. If there is too little space, the tabs get narrower and elide
// names in the middle. They scroll only when names would become unreadable. Thread: GUI thread.
#pragma once

#include <QStringList>
#include <QTabBar>

namespace strata::ui {

class ProjectTabs : public QTabBar {
  Q_OBJECT
 public:
  explicit ProjectTabs(QWidget* parent = nullptr);
  /// Sets the width in pixels that is available for all tabs.
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

  // The values from which m_limit was computed: the available width, and for each tab its text and
  // whether it has a button.
  mutable QStringList m_limitOf;
  mutable int m_limit = 0;
  int m_room = 360;
  bool m_isShowingCurrent = false;
};

}  // namespace strata::ui
