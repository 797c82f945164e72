// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/train/replay_bar.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSlider>
#include <algorithm>
#include <array>
#include <cmath>

#include "ui/format.h"
#include "ui/run/replay.h"
#include "ui/steady_layout.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kSliderSteps = 1000;
constexpr std::array kSpeeds{0.01, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 50.0, 100.0, 1000.0};
// Speeds are chosen so that a recording lasts about this long at first
constexpr double kFirstSeconds = 20;

/// Returns the index of the speed with which the recording lasts closest to kFirstSeconds.
int firstSpeed(double duration) {
  const auto distance = [duration](double speed) {
    return std::abs(std::log(std::max(duration, 1e-3) / speed / kFirstSeconds));
  };
  return static_cast<int>(std::ranges::min_element(kSpeeds, {}, distance) - kSpeeds.begin());
}

}  // namespace

ReplayBar::ReplayBar(Replay& replay, QWidget* parent)
    : QFrame(parent),
      m_replay(replay),
      m_play(new QPushButton(this)),
      m_slider(new QSlider(Qt::Horizontal, this)),
      m_time(new QLabel(this)),
      m_speed(new QComboBox(this)) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(10);
  fixWidth(m_play, {tr("Play"), tr("Pause")});
  row->addWidget(m_play);
  m_slider->setRange(0, kSliderSteps);
  m_slider->setAccessibleName(tr("Time of the recording"));
  // Going back reads the recording from its beginning
  m_slider->setTracking(false);
  row->addWidget(m_slider, 1);
  const QString whole = formatClock(replay.duration());
  m_time->setMinimumWidth(widthOf(m_time, {tr("%1 of %2").arg(whole, whole)}));
  m_time->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  row->addWidget(m_time);
  for (const double speed : kSpeeds)
    m_speed->addItem(tr("%1×").arg(formatValue(speed)), speed);
  m_speed->setAccessibleName(tr("Speed of the recording"));
  m_speed->setToolTip(tr("How many seconds of training pass in a second"));
  m_speed->setCurrentIndex(firstSpeed(replay.duration()));
  row->addWidget(m_speed);
  for (QWidget* widget : {static_cast<QWidget*>(m_play), static_cast<QWidget*>(m_slider),
                          static_cast<QWidget*>(m_speed)})
    widget->setEnabled(replay.duration() > 0);
  const auto setSpeed = [this] {
    m_replay.setSpeed(m_speed->currentData().toDouble());
  };
  connect(m_speed, &QComboBox::currentIndexChanged, this, setSpeed);
  connect(m_play, &QPushButton::clicked, this,
          [this] { m_replay.setPlaying(!m_replay.isPlaying()); });
  connect(m_slider, &QSlider::valueChanged, this,
          [this](int value) { m_replay.seek(m_replay.duration() * value / kSliderSteps); });
  connect(&replay, &Replay::moved, this, &ReplayBar::refresh);
  connect(&replay, &Replay::ended, this, &ReplayBar::refresh);
  setSpeed();
  refresh();
}

void ReplayBar::refresh() {
  m_play->setText(m_replay.isPlaying() ? tr("Pause") : tr("Play"));
  m_play->setAccessibleName(m_play->text());
  m_time->setText(
      tr("%1 of %2").arg(formatClock(m_replay.seconds()), formatClock(m_replay.duration())));
  if (m_slider->isSliderDown() || m_replay.duration() <= 0) return;
  const QSignalBlocker blocker(m_slider);
  m_slider->setValue(
      static_cast<int>(std::lround(kSliderSteps * m_replay.seconds() / m_replay.duration())));
}

}  // namespace strata::ui
