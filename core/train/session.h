// SPDX-License-Identifier: Apache-2.0
// A session owns one background thread that trains one run: start, pause, resume, single step,
// stop.
// Thread: every method may be called from any thread and returns at once, except wait() and the
// destructor (which stops and joins).
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
  // copied: later edits are for the next run
  Project project;
  // "" : the next <project>.runs/NNN (contract)
  std::string runDirectory;
  // Run directory to continue, "" none
  std::string resumeFrom;
  // Of a new run: run directory or weights whose layers of equal name and shapes are taken over,
  // the others start anew; "" none
  std::string weightsFrom;
  // "" : the project's
  std::string device;
  int threads = 0;
  // positive: behind others, as under a window
  int niceness = 0;
  // --steps: N updates in all
  std::optional<int64_t> maxSteps;
  std::optional<int64_t> epochs, batchSize;
  std::optional<uint64_t> seed;
  // JSON pointers at which `project` was changed for this run alone
  std::vector<std::string> overrides;
  // These two: else the project's
  std::optional<Recompute> recompute;
  std::optional<size_t> memoryLimitBytes;
  bool writesRunDirectory = true;
  // per-node times from the start
  bool isProfiling = false;
  bool startsPaused = false;
  std::chrono::milliseconds checkpointInterval{30000};
};

class TrainingSession {
 public:
  /// `observer` outlives the session. Nothing runs before start().
  TrainingSession(SessionOptions options, RunObserver& observer);
  ~TrainingSession();
  void start();
  void pause();
  void resume();
  // One update, then paused again
  void step();
  // Within 1 s or the longest single kernel; the network is kept
  void stop();
  void setProfiling(bool on);
  /// Learning rate, clipping, weight decay, dropout rates (names in run_edits.h) from update `step`
  /// on, 0: the next one; an event of the run. What is no such setting, or out of its range, is
  /// told as a warning and changes nothing.
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
