// SPDX-License-Identifier: GPL-3.0-or-later
// A run as its directory tells it, for a window that was not there while it trained. No Qt objects:
// it is read on a thread of its own.
// Thread: pure functions on the file system.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "core/runs/run_directory.h"
#include "ui/run/metric_history.h"

namespace strata::ui {

struct PastRun {
  // info.start has the names of the metrics
  RunInfo info;
  std::shared_ptr<const Project> project;
  MetricHistory history;
  // null where it kept none
  std::shared_ptr<const ProfileSnapshot> profile;
  // Over the last second of training
  double samplesPerSecond = 0;
};

/// How many steps a moving average covers.
double smoothingSteps(int64_t totalSteps);
/// Every series of history.bin, up to and with `lastStep`. Fails: IoFailure, InvalidFile; Stopped.
MetricHistory readHistory(const std::string& directory, int64_t totalSteps, int64_t lastStep,
                          const std::stop_token& stop = {});
/// The newest run of the project that took a step and that nobody trains now; absent: none, or none
/// that can be read.
std::optional<PastRun> readLastRun(const Project& project, const std::stop_token& stop);

}  // namespace strata::ui
