// SPDX-License-Identifier: GPL-3.0-or-later
// Plays a recording: a button, a slider over its time, and its speed. Not here: what it is a
// recording of (train_page.h). Thread: GUI thread.
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
