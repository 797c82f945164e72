// SPDX-License-Identifier: Apache-2.0
// A session trains one run on a background thread: start, pause, resume, single step, stop. Not
// here: the training itself (training_run.h).
// Thread: any thread may call every method. All return at once, except wait() and the destructor,
// which stops the run and joins the thread.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "core/project/project.h"
#include "core/recipe/options.h"
#include "core/runs/events.h"
#include "core/runs/run_directory.h"

namespace strata {

struct SessionOptions {
  // A copy: later edits do not affect the run
  Project project;
  // "": the next <project>.runs/NNN
  std::string runDirectory;
  // Run directory to continue; "": start a new run
  std::string resumeFrom;
  // For a new run: a run directory or weights file. Layers with equal names and shapes start from
  // its weights, the others from new ones; "": none
  std::string weightsFrom;
  // "": the project's
  std::string device;
  int threads = 0;
  // Positive values lower the priority, as for a run of the window
  int niceness = 0;
  // Total number of updates
  std::optional<int64_t> maxSteps;
  std::optional<int64_t> epochs, batchSize;
  std::optional<uint64_t> seed;
  // JSON pointers of values in `project` that were overridden for this run
  std::vector<std::string> overrides;
  // Absent: the project's
  std::optional<Recompute> recompute;
  std::optional<size_t> memoryLimitBytes;
  bool writesRunDirectory = true;
  // Measures times of nodes from the start
  bool isProfiling = false;
  bool startsPaused = false;
  std::chrono::milliseconds checkpointInterval{30000};
};

class TrainingSession {
 public:
  /// `observer` must outlive the session. Nothing runs before start().
  TrainingSession(SessionOptions options, RunObserver& observer);
  ~TrainingSession();
  void start();
  void pause();
  void resume();
  /// Runs one update, then pauses again.
  void step();
  /// Stops within a second or the longest kernel; the network is saved.
  void stop();
  void setProfiling(bool on);
  /// Changes a setting (names in run_edits.h) from update `step` on; 0: the next one. The change is
  /// an event of the run. An unknown setting or a value out of range is a warning and changes
  /// nothing.
  void change(const std::string& name, double value, int64_t step = 0);
  void setLearningRate(double rate) { change("learning_rate", rate); }
  RunState state() const;
  /// Blocks until the outcome was delivered.
  RunOutcome wait();

 private:
  struct Impl;
  std::unique_ptr<Impl> m_impl;
};

}  // namespace strata
