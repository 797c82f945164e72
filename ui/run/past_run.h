// SPDX-License-Identifier: GPL-3.0-or-later
// A run that is read from its directory, for a window that did not train it. It has no Qt objects,
// because a worker thread reads it. Thread: any (functions on the file system).
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "core/runs/run_directory.h"
#include "ui/run/metric_history.h"

namespace strata::ui {

struct PastRun {
  // info.start has the names of the metrics.
  RunInfo info;
  std::shared_ptr<const Project> project;
  MetricHistory history;
  // null if the run has no profile.
  std::shared_ptr<const ProfileSnapshot> profile;
  // The mean over the last second of training.
  double samplesPerSecond = 0;
};

/// Returns the number of steps in a moving average.
double smoothingSteps(int64_t totalSteps);
/// Returns all series of history.bin, up to and including `lastStep`. Fails: IoFailure,
/// InvalidFile; Stopped.
MetricHistory readHistory(const std::string& directory, int64_t totalSteps, int64_t lastStep,
                          const std::stop_token& stop = {});
/// Returns the newest readable run of the project that took a step and is not being trained.
/// Returns nullopt if there is no such run.
std::optional<PastRun> readLastRun(const Project& project, const std::stop_token& stop);

}  // namespace strata::ui
