// SPDX-License-Identifier: GPL-3.0-or-later
// What the window shows of a run: the current one, or the last one. RunController fills it; views
// read it. Not here: files of runs (core/runs). Thread: GUI thread.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/train/session.h"
#include "ui/run/metric_history.h"
#include "ui/run/past_run.h"

namespace strata::ui {

struct ShownRun {
  // Null until a run has begun
  std::shared_ptr<const RunStart> start;
  // The project of the run
  std::shared_ptr<const Project> project;
  MetricHistory history;
  // Null until something was measured
  std::shared_ptr<const ProfileSnapshot> profile;
  // nullopt while the run is active
  std::optional<RunOutcome> outcome;
  // The steps at which a live setting changed
  std::vector<double> settingSteps;
  // The newest weights of the ended run, "" if there are none
  std::string weightsFile;
  int64_t step = 0, epoch = 0;
  double samplesPerSecond = 0;
  size_t memoryBytes = 0;
  bool hasCheckpoint = false;
  // The time of the newest checkpoint that this window saw
  std::optional<std::chrono::steady_clock::time_point> checkpointAt;

  ShownRun() = default;
  /// An earlier run, as if it had just ended
  explicit ShownRun(PastRun&& run);
  /// Until the last step at the present speed; 0 if unknown
  double secondsLeft() const;
};

}  // namespace strata::ui
