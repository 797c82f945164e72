// SPDX-License-Identifier: GPL-3.0-or-later
// Starts and changes the run of a document, collects its metrics, and informs views through
// signals. Views read the results from shown() and never use the training session. Thread: GUI
// thread. The training thread calls only the private observer, which passes all data to the GUI
// thread.
#pragma once

#include <QObject>
#include <QTimer>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "core/runs/mean_profile.h"
#include "core/train/session.h"
#include "ui/run/history_filler.h"
#include "ui/run/shown_run.h"

namespace strata::ui {

class RunController : public QObject {
  Q_OBJECT
 public:
  explicit RunController(QObject* parent = nullptr);
  ~RunController() override;

  /// Starts a run. `weightsFrom` is a file or run directory with weights, or "". Layers with the
  /// same name and shapes start from these weights. `design` is the open project if it differs from
  /// `project`: only later changes of it apply to the run. Requires: no run is active.
  void start(const Project& project, bool startsPaused = false, const QString& weightsFrom = {},
             const Json* design = nullptr);
  struct Resumption {
    // The new total number of epochs, if it changes
    std::optional<int64_t> epochs = {};
    // The step of the checkpoint with which a new run begins; absent to continue the run itself
    std::optional<int64_t> branchStep = {};
  };
  /// Continues the run in this directory, or starts a new run from one of its checkpoints. The
  /// memory limit comes from `design`, the open project. Requires: no run is active.
  void resumeRun(const Project& project, const QString& runDirectory, const Json& design,
                 const Resumption& how);
  /// Forgets the last run if it failed before it began. Returns whether such a run was forgotten.
  bool forgetRefused();
  /// Forgets the last run, because its files are gone. Does nothing while a run is active.
  void forget();
  /// Shows an earlier run as if it had just ended. Does nothing if a run was started before.
  void show(PastRun&& run);
  void pause();
  void resume();
  void step();
  void stop();
  /// Answers shown().diskProblem.
  void answerDisk(DiskAnswer answer);
  /// Changes a setting of the run from its next step on. See TrainingSession::change.
  void change(const std::string& setting, double value);
  /// Applies the live settings that differ from the previous call to the run. Call this with the
  /// open project after each edit, undo and redo.
  void follow(const Json& design);
  /// Returns whether follow() applies this setting (see core/recipe/run_edits.h) to the run. It
  /// does not if the optimizer now has another type, or if the run does not have the layer.
  bool takes(const Json& design, const std::string& setting) const;
  /// Turns measuring the time of each node on or off. ProfileSnapshot::observationFraction contains
  /// its overhead.
  void setProfiling(bool on);
  /// Whether the next run samples the statistics of layers. Setting it also switches the sampling
  /// of the run that trains on or off, from its next step on.
  bool samplesLayers() const;
  void setSamplesLayers(bool on);
  bool isProfiling() const { return m_isProfiling; }
  /// Records the next steps on one time axis; traceArrived() tells when this is done.
  void recordSteps(int64_t steps);

  bool isActive() const { return m_session != nullptr; }
  bool isPaused() const { return m_state == RunState::Paused || m_state == RunState::Pausing; }
  RunState state() const { return m_state; }
  /// Returns the current or the last run.
  const ShownRun& shown() const { return m_shown; }
  /// Returns whether the run has ended and can continue from a checkpoint.
  bool canContinue() const;
  /// Turns metricsArrived() on or off, so that views do not redraw during measurements. Metrics are
  /// still collected.
  void setRedrawing(bool on) { m_isRedrawing = on; }

 Q_SIGNALS:
  void stateChanged();
  // A run has begun, and shown().start is available.
  void started();
  // show() was called, and shown() contains an earlier run.
  void loaded();
  // shown().history has new values. Visible views draw within this call, so that the controller can
  // measure the time of drawing.
  void metricsArrived();
  void profileArrived();
  // shown().traced has new steps.
  void traceArrived();
  // shown().layers has new values, or the run has kept a batch.
  void layersArrived();
  // shown().devices has new values.
  void devicesArrived();
  void checkpointArrived();
  void settingChanged();
  void warned(const QString& line);
  // The run has ended, and shown().outcome is available. This follows the last metricsArrived().
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
  // The step at which the files of the run are tried again; -1 if they are not
  int64_t m_retriedStep = -1;
  ShownRun m_shown;
  // Fills m_shown.history; set while a run is active
  std::optional<HistoryFiller> m_filler;
  // The snapshots of the run so far
  MeanProfile m_meanProfile;
  // The settings that can change during the run
  std::set<std::string, std::less<>> m_settings;
  // The live settings after the last call of follow(); nullopt before its first call. Settings that
  // the open project does not have keep the values of the run.
  std::optional<std::map<std::string, double, std::less<>>> m_followed;
  std::vector<double> m_rows, m_validationRows;
  std::vector<DeviceSample> m_samples;
  bool m_isRedrawing = true;
  // The processor time of this thread at the last drain() in seconds; 0 before the first one
  double m_lastDrain = 0;
  bool m_isProfiling = true;
};

}  // namespace strata::ui
