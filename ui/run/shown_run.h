// SPDX-License-Identifier: GPL-3.0-or-later
// The data of the current or last run. RunController fills it in, and views show it. Not here:
// files of runs (core/runs). Thread: GUI thread.
#pragma once

#include <QTime>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/runs/kept_batch.h"
#include "core/train/session.h"
#include "ui/run/class_history.h"
#include "ui/run/device_history.h"
#include "ui/run/layer_history.h"
#include "ui/run/metric_history.h"
#include "ui/run/past_run.h"

namespace strata::ui {

struct ShownRun {
  // Null before the run has begun
  std::shared_ptr<const RunStart> start;
  // The project of the run
  std::shared_ptr<const Project> project;
  MetricHistory history;
  // The states of the devices over time; empty before the first samples
  std::vector<DeviceHistory> devices;
  // What several devices did; empty with one device
  ReplicaReport replicas;
  // Null before the first measurement
  std::shared_ptr<const ProfileSnapshot> profile;
  // The times of nodes that all views show: means of the run so far. Null before nodes were
  // measured
  std::shared_ptr<const ProfileSnapshot> times;
  // Where the time of a step went so far
  BreakdownHistory stepTimes;
  // The statistics of layers so far
  LayerHistory layers;
  // The classes at the validations so far; empty if no output classifies
  ClassHistory classes;
  // The batch whose loss or gradient was not finite, if the run kept one
  std::optional<KeptBatch> keptBatch;
  // Recorded steps, if they were recorded while this window was open
  std::optional<StepsTraced> traced;
  // nullopt while the run is active
  std::optional<RunOutcome> outcome;
  // What the curves mark: changed settings, checkpoints and others
  std::vector<RunMark> marks;
  // The last values that the user gave to settings during the run
  std::map<std::string, double, std::less<>> settings;
  // The file with the newest weights of a run that has ended; "" if there is none
  std::string weightsFile;
  // What could not be read of an earlier run, as one sentence; empty if nothing is missing
  std::string problem;
  // Why the files of the active run cannot be written. The run waits for answerDisk().
  std::optional<Error> diskProblem;
  // The local time at which the files were tried again without success, if that led to diskProblem
  std::optional<QTime> diskTriedAt;
  // Whether the user has asked to stop the run
  bool isStopping = false;
  // Whether the files are not written until the end of the run, as the answer to diskProblem
  bool isWithoutFiles = false;
  int64_t step = 0, epoch = 0;
  // Training time so far, without pauses
  double seconds = 0;
  double samplesPerSecond = 0;
  size_t memoryBytes = 0;
  // The step of the newest checkpoint
  std::optional<int64_t> checkpointStep;
  // The time of the last checkpoint that was saved while this window was open
  std::optional<std::chrono::steady_clock::time_point> checkpointAt;

  ShownRun() = default;
  /// Whether the active run makes no more steps, and only its files are missing.
  bool isEnding() const { return isStopping || (start && step >= start->totalSteps); }
  /// Creates the data of an earlier run as if it had just ended.
  explicit ShownRun(PastRun&& run);
  /// Returns where the time of a step goes, as all views show it; nullopt before it was measured.
  std::optional<StepBreakdown> breakdown() const;
  /// Returns the breakdowns of the run so far, or those that its file has.
  const std::vector<StepBreakdown>& breakdowns() const;
  /// Returns the steps from which changed settings applied.
  std::vector<double> settingSteps() const;
  /// After the end, replaces the speed of the last second by that of the mean step in `times`,
  /// which all views show. The times of a simulated card are predicted, so its run keeps the speed.
  void settleSpeed();
  /// Returns the steps that an axis of the run covers: those that are planned while it trains, and
  /// afterwards those that it made. Requires: start.
  double stepsOfAxis() const;
  /// Returns the time until the last step at the current speed, or 0 if it is not known.
  double secondsLeft() const;
};

}  // namespace strata::ui
