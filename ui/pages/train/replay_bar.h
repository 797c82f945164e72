// SPDX-License-Identifier: GPL-3.0-or-later
// Says that the Train page shows a recording, and plays it: a button, a slider over its time, and
// its speed. Thread: GUI thread.
#pragma once

#include <QFrame>

class QComboBox;
class QLabel;
class QPushButton;
class QSlider;

namespace strata::ui {

class Replay;

class ReplayBar : public QFrame {
  Q_OBJECT
 public:
  /// `replay` must outlive the bar.
  ReplayBar(Replay& replay, QWidget* parent);

 private:
  void refresh();

  Replay& m_replay;
  QPushButton* m_play;
  QSlider* m_slider;
  QLabel* m_time;
  QComboBox* m_speed;
};

}  // namespace strata::ui
