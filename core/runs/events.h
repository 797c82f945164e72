// SPDX-License-Identifier: Apache-2.0
// What a run tells the outside. Observers are called on the training thread and must return at
// once.
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
  // From 1
  int64_t step = 0;
  // From 1
  int64_t epoch = 0;
  // Mean over this batch
  double loss = 0;
  // As RunStart::metricNames, over this batch
  std::vector<double> metrics;
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
  // Of the training step
  MemoryPlan memoryPlan;
  std::vector<std::string> metricNames;
  int64_t stepsPerEpoch = 0, epochs = 0, totalSteps = 0;
  // Steps done before (resumed)
  int64_t firstStep = 0;
  int64_t trainSamples = 0, validationSamples = 0, testSamples = 0, batchSize = 0;
  double setupSeconds = 0;
  // Where its first weights are from, "" the seed
  std::string weightsFrom;
  // The layers that took them over
  std::vector<std::string> keptLayers;
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
  // Of all checkpoints and weights of the run now
  uint64_t diskBytes = 0;
  // Checkpoints of the run now
  int64_t files = 0;
  // Best.safetensors was written, too
  bool isBest = false;
  // Of the best: what it is the best by
  std::string monitor;
  double value = 0;
};

/// A setting is another from update `step` on. A marker on the curves.
struct SettingChanged {
  int64_t step = 0;
  // "learning_rate", "clipnorm", "drop/rate", as in run_edits.h; "stage": its number, from 1
  std::string name;
  double value = 0;
  // "" a person; "project", a callback's type, or a stage's name
  std::string cause = {};
};

/// Where the time of all steps of a run went, by a few readings of the clock in each. Always on.
struct PhaseTimes {
  int64_t steps = 0;
  // Of all of them; the parts below leave out what lies between: sums of the loss, history
  double stepSeconds = 0;
  double waitSeconds = 0, forwardSeconds = 0, backwardSeconds = 0, updateSeconds = 0;
  // What the readings themselves take
  double measuringSeconds = 0;
  double fractionOf(double seconds) const { return stepSeconds > 0 ? seconds / stepSeconds : 0; }
};

/// Time by phase and node over the steps since the last one, at the end of a run the mean of those
/// that were watched; latest wins.
struct ProfileSnapshot {
  // Measured ones; none where nodes are not watched: then the phases alone are told
  int64_t steps = 0;
  // The last of them
  int64_t step = 0;
  double stepMicroseconds = 0;
  double dataWaitFraction = 0, forwardFraction = 0, backwardFraction = 0, updateFraction = 0;
  // Measured cost of watching
  double observationFraction = 0;
  // Totals over `steps`; with the wait for data they add up to about stepMicroseconds a step
  std::vector<ProfileRow> rows;
};

enum class Outcome : uint8_t { Finished, Stopped, Failed };

struct RunOutcome {
  Outcome outcome = Outcome::Finished;
  // Of Failed
  std::optional<Error> error;
  int64_t steps = 0, epochs = 0;
  bool hasTest = false;
  double testLoss = 0;
  std::vector<double> testMetrics;
  int64_t testSamples = 0;
  double seconds = 0;
  size_t peakBytes = 0;
  std::string weightsPath, weightsHash;
  // The callback that ended it before its last epoch, "" none
  std::string endedBy;
  // The monitor whose best weights it ends with, "" none
  std::string restoredBy;
  // Theirs
  int64_t restoredEpoch = 0;
  // Best.safetensors where there is one
  std::string bestPath;
  // Of all checkpoints that are kept
  uint64_t checkpointBytes = 0;
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
  // Exactly once, last
  virtual void onOutcome(const RunOutcome&) {}
};

}  // namespace strata
