// SPDX-License-Identifier: GPL-3.0-or-later
// What a replay shows: a run directory, or a folder that `./dev gpu-test --out` wrote. Not here:
// the course of a replay (replay.h). It has no Qt objects, because a worker thread reads it.
// Thread: any thread may call the functions.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "core/runs/history.h"
#include "ui/run/past_run.h"

namespace strata::ui {

/// A temporary folder, which is removed with its files.
class ReplayFolder {
 public:
  /// Fails: IoFailure.
  ReplayFolder();
  ~ReplayFolder();
  ReplayFolder(const ReplayFolder&) = delete;
  ReplayFolder& operator=(const ReplayFolder&) = delete;
  const std::string& path() const { return m_path; }

 private:
  std::string m_path;
};

struct Recording {
  // The path that was opened, and its last part
  std::string path, name;
  // Everything but the history, which the reader has
  PastRun run;
  // Null if the history cannot be read
  std::unique_ptr<const HistoryReader> history;
  // The training time of the last step
  double seconds = 0;
  // The classes at its validations, in the order of their steps
  std::vector<std::shared_ptr<const ClassValidation>> classes;
  // The run directory that was made of a folder of a card test
  std::unique_ptr<const ReplayFolder> folder;
};

/// Reads a recording. What is damaged is left out, and run.problem says so. Fails: InvalidFile if
/// the path is neither a run directory nor a folder of a card test; IoFailure; Stopped.
std::shared_ptr<const Recording> readRecording(const std::string& path,
                                               const std::stop_token& stop = {});

}  // namespace strata::ui
