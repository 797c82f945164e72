// SPDX-License-Identifier: GPL-3.0-or-later
// A run that is read from its directory, for a window that did not train it. It has no Qt objects,
// because a worker thread reads it. Thread: any thread may call the functions.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/runs/device_samples.h"
#include "core/runs/kept_batch.h"
#include "core/runs/run_directory.h"
#include "ui/run/class_history.h"
#include "ui/run/layer_history.h"
#include "ui/run/metric_history.h"

namespace strata::ui {

struct PastRun {
  // info.start contains the names of the metrics.
  RunInfo info;
  std::shared_ptr<const Project> project;
  MetricHistory history;
  std::vector<DeviceSample> deviceSamples;
  // Null if the run has no profile
  std::shared_ptr<const ProfileSnapshot> profile;
  // The statistics of layers, and the batch that was not finite
  LayerHistory layers;
  std::optional<KeptBatch> keptBatch;
  ClassHistory classes;
  // The mean over about the last second of training
  double samplesPerSecond = 0;
  // What could not be read, as one sentence; empty if nothing is missing
  std::string problem;
};

/// Reads all series from history.bin, up to and including `lastStep`. Fails: InvalidFile;
/// IoFailure; Stopped.
MetricHistory readHistory(const std::string& directory, int64_t totalSteps, int64_t lastStep,
                          const std::stop_token& stop = {});
/// Reads the newest run of the project that has at least one step and is not training. Skips runs
/// that cannot be read. Returns nullopt if there is no such run.
std::optional<PastRun> readLastRun(const Project& project, const std::stop_token& stop);
/// Reads a run of the project. What is damaged or missing is left out, and `problem` of the result
/// says so. Fails: InvalidFile if the directory is not a run; Stopped.
PastRun readPastRun(const std::string& directory, const Project& project,
                    const std::stop_token& stop);

}  // namespace strata::ui
