// SPDX-License-Identifier: GPL-3.0-or-later
// The data of the current or last run. RunController fills it in, and views show it. Not here:
// files of runs (core/runs). Thread: GUI thread.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/train/session.h"
#include "ui/run/device_history.h"
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
  // Null before the first measurement
  std::shared_ptr<const ProfileSnapshot> profile;
  // nullopt while the run is active
  std::optional<RunOutcome> outcome;
  // The steps at which a live setting changed
  std::vector<double> settingSteps;
  // The file with the newest weights of a run that has ended; "" if there is none
  std::string weightsFile;
  int64_t step = 0, epoch = 0;
  double samplesPerSecond = 0;
  size_t memoryBytes = 0;
  bool hasCheckpoint = false;
  // The time of the last checkpoint that was saved while this window was open
  std::optional<std::chrono::steady_clock::time_point> checkpointAt;

  ShownRun() = default;
  /// Creates the data of an earlier run as if it had just ended.
  explicit ShownRun(PastRun&& run);
  /// Returns the time until the last step at the current speed, or 0 if it is not known.
  double secondsLeft() const;
};

}  // namespace strata::ui
