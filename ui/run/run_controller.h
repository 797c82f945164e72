// SPDX-License-Identifier: GPL-3.0-or-later
// The one object a training thread may call: starts a run of a document, stages its metrics, and
// tells the window by queued signals. Views read the history, the plan and the profile here; they
// never touch the session.
// Thread: the window's; the observer inside is called on the training thread.
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

  /// Requires: no run is active. `weightsFrom`: weights whose layers of equal name and shapes are
  /// taken over; "" all start anew.
  void start(const Project& project, bool startsPaused = false, const QString& weightsFrom = {});
  /// Goes on with the run in this directory, to `epochs` in all where given, and within the memory
  /// limit of the design where that has one.
  void resumeRun(const Project& project, const QString& runDirectory, const Json& design,
                 std::optional<int64_t> epochs = {});
  /// A run that failed before it began is none any more. Was there one?
  bool forgetRefused();
  /// A run of before, as if it had just ended. Nothing happens where this window has trained or
  /// trains.
  void show(PastRun&& run);
  void pause();
  void resume();
  void step();
  void stop();
  /// Live: takes effect at the next step and is an event of the run.
  // As TrainingSession::change
  void change(const std::string& setting, double value);
  /// The open design, each time it is another: live settings that are others in it than at the last
  /// call are changed, by an edit and by its undo alike.
  void follow(const Json& design);
  /// Does an edit of this setting (core/train/run_edits.h) in the design reach the run? None of
  /// another optimizer, or of a layer that the run does not have.
  bool takes(const Json& design, const std::string& setting) const;
  /// Per-node times; costs what profile()->observationFraction says.
  void setProfiling(bool on);

  bool isActive() const { return m_session != nullptr; }
  bool isPaused() const { return m_state == RunState::Paused || m_state == RunState::Pausing; }
  RunState state() const { return m_state; }
  /// Of the current or last run; null before the first.
  const std::shared_ptr<const RunStart>& runStart() const { return m_start; }
  const std::shared_ptr<const Project>& runProject() const { return m_project; }
  const MetricHistory& history() const { return m_history; }
  const std::shared_ptr<const ProfileSnapshot>& profile() const { return m_profile; }
  const std::optional<RunOutcome>& outcome() const { return m_outcome; }
  /// Steps from which on a live setting was another.
  const std::vector<double>& settingSteps() const { return m_settingSteps; }
  /// An ended run that has a checkpoint to go on from.
  bool canContinue() const;
  /// The newest weights of the ended run, "" where none are kept.
  const std::string& weightsFile() const { return m_weightsFile; }
  int64_t currentStep() const { return m_step; }
  int64_t currentEpoch() const { return m_epoch; }
  double samplesPerSecond() const { return m_samplesPerSecond; }
  double secondsLeft() const;
  size_t memoryBytes() const { return m_memoryBytes; }
  /// When the newest checkpoint of this run was written.
  std::optional<std::chrono::steady_clock::time_point> checkpointAt() const {
    return m_checkpointAt;
  }
  /// Switches the redraw of views off for measurements; metrics are still taken in.
  void setRedrawing(bool on) { m_isRedrawing = on; }

 Q_SIGNALS:
  void stateChanged();
  // runStart() is there
  void started();
  // A run of before is there
  void loaded();
  /// New steps are in history(): visible views draw now, in this call, so that its cost is known.
  void metricsArrived();
  void profileArrived();
  void checkpointArrived();
  void settingChanged();
  void warned(const QString& line);
  // outcome() is there; after the last metricsArrived()
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
  // Of the run that can change while it trains
  std::set<std::string, std::less<>> m_settings;
  /// Live settings of the open design, and of the run where it has none; absent before the first
  /// call of follow().
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
