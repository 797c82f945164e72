// SPDX-License-Identifier: GPL-3.0-or-later
// A run as read from its directory, for a window that did not train it. No Qt objects, because it
// is read on a worker thread. Thread: any (functions on the file system).
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "core/runs/run_directory.h"
#include "ui/run/metric_history.h"

namespace strata::ui {

struct PastRun {
  // info.start holds the names of the metrics
  RunInfo info;
  std::shared_ptr<const Project> project;
  MetricHistory history;
  // null: the run has no profile
  std::shared_ptr<const ProfileSnapshot> profile;
  // Over the last second of training
  double samplesPerSecond = 0;
};

/// The number of steps in a moving average
double smoothingSteps(int64_t totalSteps);
/// All series of history.bin, up to and including `lastStep`. Fails: IoFailure, InvalidFile;
/// Stopped.
MetricHistory readHistory(const std::string& directory, int64_t totalSteps, int64_t lastStep,
                          const std::stop_token& stop = {});
/// The newest run of the project that took a step and is not being trained; nullopt if there is
/// none that can be read
std::optional<PastRun> readLastRun(const Project& project, const std::stop_token& stop);

}  // namespace strata::ui
