// SPDX-License-Identifier: Apache-2.0
// A session trains one run on a background thread. Other threads can pause, resume, step and stop
// it. Not here: the training itself (training_run.h).
// Thread: any thread may call every method. All methods return immediately, except wait() and the
// destructor. The destructor stops the run and joins the thread.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "core/project/project.h"
#include "core/recipe/options.h"
#include "core/runs/events.h"
#include "core/runs/run_directory.h"
#include "core/train/control.h"
#include "gpu/exec/process_link.h"

namespace strata {

struct SessionOptions {
  // The project, which is copied so that later edits do not affect the run
  Project project;
  // Directory of the run; "" for the next <project>.runs/NNN
  std::string runDirectory;
  // Run directory to continue; "" to start a new run
  std::string resumeFrom;
  // Step of the checkpoint of `resumeFrom` with which a new run begins; absent to continue that run
  // itself from its newest checkpoint
  std::optional<int64_t> branchStep;
  // Run directory or weights file for a new run; "" to start with new weights. Layers with equal
  // names and shapes start with the given weights, and other layers with new ones.
  std::string weightsFrom;
  // Name of the device; "" for the project's device
  std::string device;
  int threads = 0;
  // Niceness of the threads. The window lowers the priority with a positive value.
  int niceness = 0;
  // Total number of updates; absent to train all epochs
  std::optional<int64_t> maxSteps;
  std::optional<int64_t> epochs, batchSize;
  std::optional<uint64_t> seed;
  // JSON pointers of values in `project` that were overridden for this run
  std::vector<std::string> overrides;
  // These members override values of the project; absent to use the project's values.
  std::optional<Recompute> recompute;
  std::optional<size_t> memoryLimitBytes;
  bool writesRunDirectory = true;
  // The processes of the run; null if there is only one. The link must outlive the session. The
  // first process has the settings, and the others take them over. Only the first one writes files.
  ProcessLink* link = nullptr;
  // Whether to measure the times of nodes from the start
  bool isProfiling = false;
  // How many consecutive steps are recorded, after the first ones; 0 for none
  int64_t traceSteps = 0;
  // Whether to sample the statistics of layers (layer_sampler.h). Results keep all bits. A
  // continued run that sampled them before does so again.
  bool samplesLayers = false;
  // Whether the user asked for them. Otherwise a run is not sampled if already the first sampling
  // is expected to exceed the share of SamplingPace.
  bool isSamplingAsked = false;
  // How many steps lie between two samplings; absent to adapt to the time of steps
  std::optional<int64_t> layerInterval;
  bool startsPaused = false;
  // Whether a run whose files cannot be written waits for answerDisk(). Otherwise it fails.
  bool asksAboutDisk = false;
  std::chrono::milliseconds checkpointInterval{30000};
};

class TrainingSession {
 public:
  /// Creates a session, which does not begin before start(). `observer` must outlive the session.
  TrainingSession(SessionOptions options, RunObserver& observer);
  ~TrainingSession();
  void start();
  void pause();
  void resume();
  /// Runs one update, then pauses again.
  void step();
  /// Requests a stop. The run stops within a second, or after the longest kernel, and saves the
  /// network.
  void stop();
  void setProfiling(bool on);
  /// Switches the sampling of layers on or off before the next step. Results keep all bits.
  void setLayerSampling(bool on);
  /// Records the next steps on one time axis (step_capture.h), and writes them to trace.bin of the
  /// run. RunObserver::onTrace() tells when this is done.
  void capture(int64_t steps);
  /// Changes a setting from update `step` on; 0 means the next update. run_edits.h defines the
  /// names. The run records the change as an event. An unknown setting or a value out of range only
  /// causes a warning.
  void change(const std::string& name, double value, int64_t step = 0);
  /// Answers RunObserver::onDiskProblem().
  void answerDisk(DiskAnswer answer);
  void setLearningRate(double rate) { change("learning_rate", rate); }
  RunState state() const;
  /// Blocks until the outcome was delivered.
  RunOutcome wait();

 private:
  struct Impl;
  std::unique_ptr<Impl> m_impl;
};

}  // namespace strata
