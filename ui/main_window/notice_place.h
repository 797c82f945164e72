// SPDX-License-Identifier: GPL-3.0-or-later
// The place of notices: the free part of the menu bar. Notices that appear and disappear there move
// nothing else. Thread: GUI thread.
#pragma once

#include <QWidget>

class QHBoxLayout;
class QMenuBar;

namespace strata::ui {

class NoticePlace : public QWidget {
  Q_OBJECT
 public:
  /// The bar must have all its menus.
  explicit NoticePlace(QMenuBar* bar);
  /// Adds a notice, which shows and hides itself.
  void add(QWidget* notice);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void place();

  QMenuBar* m_bar;
  QHBoxLayout* m_row;
};

}  // namespace strata::ui
