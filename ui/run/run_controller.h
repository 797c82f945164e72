// SPDX-License-Identifier: GPL-3.0-or-later
// The only object that a training thread may call. It starts a run of a document, stages its
// metrics, and informs the window by queued signals. Views read the history, plan and profile here;
// they never use the session. Thread: GUI thread; the observer inside is called on the training
// thread.
#pragma once

#include <QObject>
#include <QTimer>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "core/train/session.h"
#include "ui/run/metric_history.h"
#include "ui/run/past_run.h"

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
  /// Times per node; the overhead is profile()->observationFraction.
  void setProfiling(bool on);

  bool isActive() const { return m_session != nullptr; }
  bool isPaused() const { return m_state == RunState::Paused || m_state == RunState::Pausing; }
  RunState state() const { return m_state; }
  /// The current or last run; null before the first
  const std::shared_ptr<const RunStart>& runStart() const { return m_start; }
  const std::shared_ptr<const Project>& runProject() const { return m_project; }
  const MetricHistory& history() const { return m_history; }
  const std::shared_ptr<const ProfileSnapshot>& profile() const { return m_profile; }
  const std::optional<RunOutcome>& outcome() const { return m_outcome; }
  /// The steps at which a live setting changed
  const std::vector<double>& settingSteps() const { return m_settingSteps; }
  /// True if the run has ended and has a checkpoint to continue from
  bool canContinue() const;
  /// The newest weights of the ended run, "" if there are none
  const std::string& weightsFile() const { return m_weightsFile; }
  int64_t currentStep() const { return m_step; }
  int64_t currentEpoch() const { return m_epoch; }
  double samplesPerSecond() const { return m_samplesPerSecond; }
  double secondsLeft() const;
  size_t memoryBytes() const { return m_memoryBytes; }
  /// The time of this run's newest checkpoint
  std::optional<std::chrono::steady_clock::time_point> checkpointAt() const {
    return m_checkpointAt;
  }
  /// Turns off redrawing of views for measurements; metrics are still collected.
  void setRedrawing(bool on) { m_isRedrawing = on; }

 Q_SIGNALS:
  void stateChanged();
  // runStart() is available
  void started();
  // An earlier run is available
  void loaded();
  /// history() has new steps. Visible views draw within this call, so that its cost can be
  /// measured.
  void metricsArrived();
  void profileArrived();
  void checkpointArrived();
  void settingChanged();
  void warned(const QString& line);
  // outcome() is available; emitted after the last metricsArrived()
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
  std::shared_ptr<const RunStart> m_start;
  std::shared_ptr<const Project> m_project;
  // Settings of the run that can change while it trains
  std::set<std::string, std::less<>> m_settings;
  /// Live settings of the open design, completed by those of the run; nullopt before the first call
  /// of follow()
  std::optional<std::map<std::string, double, std::less<>>> m_followed;
  MetricHistory m_history;
  std::shared_ptr<const ProfileSnapshot> m_profile;
  std::optional<RunOutcome> m_outcome;
  std::vector<double> m_rows, m_validationRows, m_settingSteps;
  std::string m_weightsFile;
  int64_t m_step = 0, m_epoch = 0;
  double m_samplesPerSecond = 0;
  size_t m_memoryBytes = 0;
  std::optional<std::chrono::steady_clock::time_point> m_checkpointAt;
  bool m_hasCheckpoint = false;
  bool m_isRedrawing = true;
  // Processor seconds of this thread at the last drain(); 0 before the first
  double m_lastDrain = 0;
  bool m_isProfiling = true;
};

}  // namespace strata::ui
