// SPDX-License-Identifier: GPL-3.0-or-later
// Plays a recording: shown() is what a window would have shown at a moment of the run, and the
// signals are those of a run that trains. Not here: reading the recording (recording.h), the
// buttons (ui/pages/train/replay_bar.h). Thread: GUI thread.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <memory>
#include <optional>

#include "ui/run/history_filler.h"
#include "ui/run/recording.h"
#include "ui/run/shown_run.h"

namespace strata::ui {

class Replay : public QObject {
  Q_OBJECT
 public:
  explicit Replay(std::shared_ptr<const Recording> recording, QObject* parent = nullptr);

  const Recording& recording() const { return *m_recording; }
  const ShownRun& shown() const { return m_shown; }
  /// Returns the training time of the moment that is shown, and that of the last step.
  double seconds() const { return m_seconds; }
  double duration() const { return m_recording->seconds; }
  bool isAtEnd() const { return m_shown.outcome.has_value(); }
  bool isPlaying() const { return m_isPlaying; }
  /// Goes on from the moment that is shown, or from the beginning after the end.
  void setPlaying(bool on);
  /// Sets how many seconds of training pass in a second.
  void setSpeed(double speed);
  double speed() const { return m_speed; }
  void seek(double seconds);

 Q_SIGNALS:
  // shown() begins again.
  void changed();
  void metricsArrived();
  void profileArrived();
  void devicesArrived();
  void layersArrived();
  void settingChanged();
  void stateChanged();
  void ended();
  // The moment, the speed, or whether it plays, has changed.
  void moved();

 private:
  void begin();
  void restart();
  void tick();
  void advanceTo(double seconds);
  void takeSamples();
  void takeMarks();
  void takeLayers();
  void takeClasses();
  void end();

  const std::shared_ptr<const Recording> m_recording;
  // The run after its end, without its history
  const ShownRun m_whole;
  ShownRun m_shown;
  std::optional<HistoryFiller> m_filler;
  std::optional<HistoryCursor> m_cursor;
  size_t m_nextSample = 0, m_nextMark = 0, m_nextLayers = 0, m_nextClasses = 0;
  double m_seconds = 0, m_speed = 1;
  bool m_isPlaying = false;
  QTimer m_timer;
  QElapsedTimer m_sinceTick;
};

}  // namespace strata::ui
