// SPDX-License-Identifier: GPL-3.0-or-later
// The only object that a training thread may call. It starts a run of a document, stages its
// metrics, and informs the window by queued signals. Views read the history, plan and profile here;
// they never use the session. Thread: GUI thread; the observer inside is called on the training
// thread.
#pragma once

#include <QObject>
#include <QTimer>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "core/train/session.h"
#include "ui/run/shown_run.h"

namespace strata::ui {

class RunController : public QObject {
  Q_OBJECT
 public:
  explicit RunController(QObject* parent = nullptr);
  ~RunController() override;

  /// Requires: no run is active. `weightsFrom`: layers with equal name and shapes start from these
  /// weights; "": all start from initial weights.
  void start(const Project& project, bool startsPaused = false, const QString& weightsFrom = {});
  /// Continues the run in this directory, up to `epochs` in total if given, and within the design's
  /// memory limit if it has one.
  void resumeRun(const Project& project, const QString& runDirectory, const Json& design,
                 std::optional<int64_t> epochs = {});
  /// Drops a run that failed before it began. Returns whether there was one.
  bool forgetRefused();
  /// Shows an earlier run as if it had just ended. Does nothing if this window has trained or is
  /// training.
  void show(PastRun&& run);
  void pause();
  void resume();
  void step();
  void stop();
  /// A live change: it takes effect at the next step and is recorded as an event of the run. See
  /// TrainingSession::change.
  void change(const std::string& setting, double value);
  /// Call with the open design after each change: live settings that differ from the last call are
  /// changed in the run, for edits and undo alike.
  void follow(const Json& design);
  /// True if an edit of this setting (core/train/run_edits.h) reaches the run. False for another
  /// optimizer, or for a layer that the run does not have.
  bool takes(const Json& design, const std::string& setting) const;
  /// Times per node; the overhead is ProfileSnapshot::observationFraction.
  void setProfiling(bool on);

  bool isActive() const { return m_session != nullptr; }
  bool isPaused() const { return m_state == RunState::Paused || m_state == RunState::Pausing; }
  RunState state() const { return m_state; }
  /// The current or last run
  const ShownRun& shown() const { return m_shown; }
  /// True if the run has ended and has a checkpoint to continue from
  bool canContinue() const;
  /// Turns off redrawing of views for measurements; metrics are still collected.
  void setRedrawing(bool on) { m_isRedrawing = on; }

 Q_SIGNALS:
  void stateChanged();
  // shown().start is available
  void started();
  // An earlier run is available
  void loaded();
  /// shown().history has new steps. Visible views draw within this call, so that its cost can be
  /// measured.
  void metricsArrived();
  void profileArrived();
  void checkpointArrived();
  void settingChanged();
  void warned(const QString& line);
  // shown().outcome is available; emitted after the last metricsArrived()
  void ended();

 private:
  class Observer;
  void launch(SessionOptions options);
  void setState(RunState state);
  void drain();
  bool takeValidation();
  void finish(const RunOutcome& outcome);

  std::unique_ptr<Observer> m_observer;
  std::unique_ptr<TrainingSession> m_session;
  QTimer m_timer;
  RunState m_state = RunState::Ended;
  ShownRun m_shown;
  // Settings of the run that can change while it trains
  std::set<std::string, std::less<>> m_settings;
  /// Live settings of the open design, completed by those of the run; nullopt before the first call
  /// of follow()
  std::optional<std::map<std::string, double, std::less<>>> m_followed;
  std::vector<double> m_rows, m_validationRows;
  bool m_isRedrawing = true;
  // Processor seconds of this thread at the last drain(); 0 before the first
  double m_lastDrain = 0;
  bool m_isProfiling = true;
};

}  // namespace strata::ui
