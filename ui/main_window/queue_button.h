// SPDX-License-Identifier: GPL-3.0-or-later
// Shows how many runs wait for the active one. Its menu lists them, and moves or removes each. It
// is hidden while none waits. Thread: GUI thread.
#pragma once

#include <QPushButton>

namespace strata::ui {

class RunQueue;

class QueueButton : public QPushButton {
  Q_OBJECT
 public:
  QueueButton(RunQueue& queue, QWidget* parent);

 private:
  void refresh();
  void fillMenu();

  RunQueue& m_queue;
};

}  // namespace strata::ui
