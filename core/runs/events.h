// SPDX-License-Identifier: Apache-2.0
// What a run tells the outside. Observers are called on the training thread and must return at once.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/base/error.h"
#include "gpu/exec/program.h"

namespace strata {

enum class RunState : uint8_t { Preparing, Running, Pausing, Paused, Stopping, Ended };

struct StepMetrics {
  int64_t step = 0;             // from 1
  int64_t epoch = 0;            // from 1
  double loss = 0;              // mean over this batch
  std::vector<double> metrics;  // as RunStart::metricNames, over this batch
  double learningRate = 0;
  double samplesPerSecond = 0;
  size_t memoryBytes = 0;
  int64_t samples = 0;
};

struct RunStart {
  std::string runDirectory, device;
  int threads = 1;
  int64_t parameters = 0;
  size_t plannedPeakBytes = 0;
  MemoryPlan memoryPlan;  // of the training step
  std::vector<std::string> metricNames;
  int64_t stepsPerEpoch = 0, epochs = 0, totalSteps = 0;
  int64_t firstStep = 0;  // steps done before (resumed)
  int64_t trainSamples = 0, validationSamples = 0, testSamples = 0, batchSize = 0;
  double setupSeconds = 0;
  std::string weightsFrom;              // where its first weights are from, "" the seed
  std::vector<std::string> keptLayers;  // the layers that took them over
};

struct EpochMetrics {
  int64_t epoch = 0, step = 0;
  double loss = 0, seconds = 0;
  std::vector<double> metrics;
  bool hasValidation = false;
  double validationLoss = 0;
  std::vector<double> validationMetrics;
};

/// Validation between two epochs' ends.
struct ValidationMetrics {
  int64_t step = 0, epoch = 0;
  double loss = 0, seconds = 0;
  std::vector<double> metrics;
};

struct CheckpointSaved {
  int64_t step = 0;
  std::string path;
  uint64_t bytes = 0;
  double seconds = 0;
  uint64_t diskBytes = 0;  // of all checkpoints and weights of the run now
  int64_t files = 0;       // checkpoints of the run now
  bool isBest = false;     // best.safetensors was written, too
  std::string monitor;     // of the best: what it is the best by
  double value = 0;
};

/// A setting is another from update `step` on. A marker on the curves.
struct SettingChanged {
  int64_t step = 0;
  std::string name;  // "learning_rate", "clipnorm", "drop/rate", as in run_edits.h; "stage": its number, from 1
  double value = 0;
  std::string cause = {};  // "" a person; "project", a callback's type, or a stage's name
};

/// Where the time of all steps of a run went, by a few readings of the clock in each. Always on.
struct PhaseTimes {
  int64_t steps = 0;
  double stepSeconds = 0;  // of all of them; the parts below leave out what lies between: sums of the loss, history
  double waitSeconds = 0, forwardSeconds = 0, backwardSeconds = 0, updateSeconds = 0;
  double measuringSeconds = 0;  // what the readings themselves take
  double fractionOf(double seconds) const { return stepSeconds > 0 ? seconds / stepSeconds : 0; }
};

/// Time by phase and node over the steps since the last one, at the end of a run the mean of those that were watched; latest wins.
struct ProfileSnapshot {
  int64_t steps = 0;  // measured ones; none where nodes are not watched: then the phases alone are told
  int64_t step = 0;   // the last of them
  double stepMicroseconds = 0;
  double dataWaitFraction = 0, forwardFraction = 0, backwardFraction = 0, updateFraction = 0;
  double observationFraction = 0;  // measured cost of watching
  std::vector<ProfileRow> rows;    // totals over `steps`; with the wait for data they add up to about stepMicroseconds a step
};

enum class Outcome : uint8_t { Finished, Stopped, Failed };

struct RunOutcome {
  Outcome outcome = Outcome::Finished;
  std::optional<Error> error;  // of Failed
  int64_t steps = 0, epochs = 0;
  bool hasTest = false;
  double testLoss = 0;
  std::vector<double> testMetrics;
  int64_t testSamples = 0;
  double seconds = 0;
  size_t peakBytes = 0;
  std::string weightsPath, weightsHash;
  std::string endedBy;           // the callback that ended it before its last epoch, "" none
  std::string restoredBy;        // the monitor whose best weights it ends with, "" none
  int64_t restoredEpoch = 0;     // theirs
  std::string bestPath;          // best.safetensors where there is one
  uint64_t checkpointBytes = 0;  // of all checkpoints that are kept
  PhaseTimes phases;
};

class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void onState(RunState) {}
  virtual void onStart(const RunStart&) {}
  virtual void onStep(const StepMetrics&) {}
  virtual void onEpoch(const EpochMetrics&) {}
  virtual void onValidation(const ValidationMetrics&) {}
  virtual void onCheckpoint(const CheckpointSaved&) {}
  virtual void onProfile(std::shared_ptr<const ProfileSnapshot>) {}
  virtual void onSetting(const SettingChanged&) {}
  virtual void onWarning(const std::string&) {}
  virtual void onOutcome(const RunOutcome&) {}  // exactly once, last
};

}  // namespace strata
