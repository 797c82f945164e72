// SPDX-License-Identifier: GPL-3.0-or-later
// The popup of Ctrl+K. It lists every action of the window by name and filters the list while the
// user types. Enter triggers the selected action. Thread: GUI thread.
#pragma once

#include <QFrame>

class QLineEdit;
class QListWidget;

namespace strata::ui {

class ActionTable;

class CommandPalette : public QFrame {
  Q_OBJECT
 public:
  CommandPalette(ActionTable& actions, QWidget* window);
  void open();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void refill();
  void run();

  ActionTable& m_actions;
  QLineEdit* m_filter;
  QListWidget* m_list;
};

}  // namespace strata::ui
