// SPDX-License-Identifier: Apache-2.0
// The events of a run, and the interface that receives them. Not here: writing them to files
// (event_log.h, history.h).
// Thread: observers are called on the training thread and must return quickly.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/runs/device_samples.h"
#include "core/runs/history.h"
#include "core/runs/kernel_profile.h"
#include "core/runs/replica_figures.h"
#include "core/runs/step_breakdown.h"
#include "core/runs/step_memory.h"
#include "gpu/base/error.h"
#include "gpu/exec/program.h"

namespace strata {

struct Trace;
// core/layer_statistics/layer_sample.h
struct LayerSample;
// layer_sampling.h
struct LayerSampling;
// kept_batch.h
struct KeptBatch;
// core/evaluation/class_validation.h
struct ClassValidation;

enum class RunState : uint8_t { Preparing, Running, Pausing, Paused, Stopping, Ended };

struct StepMetrics {
  // Number of the step; the first one is 1
  int64_t step = 0;
  // Number of the epoch; the first one is 1
  int64_t epoch = 0;
  // Mean loss over this batch
  double loss = 0;
  // Values of the metrics over this batch, in the order of RunStart::metricNames
  std::vector<double> metrics;
  double learningRate = 0;
  // Of training so far, without pauses
  double seconds = 0;
  double samplesPerSecond = 0;
  // Those of the first replica
  size_t memoryBytes = 0;
  // Those of each replica, if there are several
  std::vector<size_t> replicaBytes;
  // How long each replica has waited for others in the step, or each process if there are several
  std::vector<double> waitSeconds;
  int64_t samples = 0;
  // With a parameter server whose workers do not wait for each other, how many updates lie between
  // the weights of the gradient and this update
  std::optional<int64_t> staleness;
  // By Measure; NaN where unknown
  Measures measures{};
};

struct RunStart {
  std::string runDirectory, device;
  // The names of the processes, such as "process 1 on node7"; empty if there is one
  std::vector<std::string> processes;
  int threads = 1;
  int64_t parameters = 0;
  size_t plannedPeakBytes = 0;
  // The samples that the device keeps, in addition to the plan
  size_t keptDataBytes = 0;
  // Memory plan of the training step
  MemoryPlan memoryPlan;
  // The memory of the step, block by block; null in a run of an earlier version
  std::shared_ptr<const StepMemory> stepMemory;
  std::vector<std::string> metricNames;
  int64_t stepsPerEpoch = 0, epochs = 0, totalSteps = 0;
  // For a resumed run, the number of steps that are already trained
  int64_t firstStep = 0;
  int64_t trainSamples = 0, validationSamples = 0, testSamples = 0, batchSize = 0;
  double setupSeconds = 0;
  // Source of the initial weights; "" if the seed generates them
  std::string weightsFrom;
  // Layers that start with these weights
  std::vector<std::string> keptLayers;
  // Whether validation, callbacks, best and final weights use the moving averages of the weights
  bool usesAverages = false;
};

/// The state of a dynamic loss scale, which float16 has.
struct LossScaleState {
  double scale = 1;
  // Steps so far without an update, because a gradient overflowed
  int64_t skippedSteps = 0;
};

struct EpochMetrics {
  int64_t epoch = 0, step = 0;
  double loss = 0, seconds = 0;
  std::vector<double> metrics;
  bool hasValidation = false;
  double validationLoss = 0;
  std::vector<double> validationMetrics;
  std::optional<LossScaleState> lossScale;
};

/// A validation within an epoch.
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
  // Size of all checkpoints and weights of the run
  uint64_t diskBytes = 0;
  // Number of checkpoints of the run
  int64_t files = 0;
  // Whether best.safetensors was written too
  bool isBest = false;
  // If isBest, the metric that selected the weights, and its value
  std::string monitor;
  double value = 0;
};

/// The event that a setting has a new value from update `step` on. The curves show a marker at this
/// step.
struct SettingChanged {
  int64_t step = 0;
  // A name from run_edits.h, such as "learning_rate" or "drop/rate". For the name "stage", `value`
  // is the number of the stage, which starts at 1.
  std::string name;
  double value = 0;
  // The cause of the change: "" for the user, "project", the type of a callback, or the name of a
  // stage
  std::string cause = {};
};

/// The time of all steps by phase. It is always measured, because this needs only a few readings of
/// the clock per step.
struct PhaseTimes {
  int64_t steps = 0;
  // Whole time of all steps. In addition to the phases below, it contains other work, such as
  // summing the loss and writing the history.
  double stepSeconds = 0;
  double waitSeconds = 0, forwardSeconds = 0, backwardSeconds = 0, updateSeconds = 0;
  // The part of the phases in which the first device of this process communicated with others or
  // waited for them
  double collectiveSeconds = 0;
  // Communication with other processes, and how much longer it made the steps. The backward pass
  // hides the rest.
  double communicationSeconds = 0, exposedSeconds = 0;
  // Processor time of communication
  double communicationProcessorSeconds = 0;
  // What this process has sent for sums, and how many sums there were
  int64_t communicationBytes = 0, collectives = 0;
  // Time that was spent on reading the clock
  double measuringSeconds = 0;
  double fractionOf(double seconds) const { return stepSeconds > 0 ? seconds / stepSeconds : 0; }
};

/// The time by phase and node over the steps since the previous snapshot. The last snapshot of a
/// run contains the mean of all measured steps.
struct ProfileSnapshot {
  // Number of steps that were measured node by node. If it is 0, only the phases are known.
  int64_t steps = 0;
  // Number of the last measured step
  int64_t step = 0;
  double stepMicroseconds = 0;
  double dataWaitFraction = 0, forwardFraction = 0, backwardFraction = 0, updateFraction = 0;
  // Communication with other devices that computing does not hide. It is part of the other phases
  double communicationFraction = 0;
  // Measured profiling overhead
  double observationFraction = 0;
  // Totals over `steps`. Together with the wait for data, they sum to about stepMicroseconds per
  // step.
  std::vector<ProfileRow> rows;
  // The kernels of the run so far; null if no step was profiled
  std::shared_ptr<const KernelProfile> kernels;
  // How many threads load batches while steps run; 0 if the training thread gathers them
  int loaderThreads = 0;
  // The breakdowns of the run so far; only in the last snapshot
  std::vector<StepBreakdown> overTime;
  // The samples of the run's devices; only in the last snapshot
  std::vector<DeviceSummary> devices;
  // What several devices did; only in the last snapshot
  ReplicaReport replicas;
};

/// Some consecutive steps that were recorded.
struct StepsTraced {
  int64_t firstStep = 0, steps = 0;
  // What the host and all devices did, since the begin of the first step
  std::shared_ptr<const Trace> trace;
  // The file with the trace; "" if there is none
  std::string path;
};

enum class Outcome : uint8_t { Finished, Stopped, Failed };

struct RunOutcome {
  Outcome outcome = Outcome::Finished;
  // The reason of the failure; set if the outcome is Failed
  std::optional<Error> error;
  int64_t steps = 0, epochs = 0;
  bool hasTest = false;
  double testLoss = 0;
  std::vector<double> testMetrics;
  int64_t testSamples = 0;
  double seconds = 0;
  size_t peakBytes = 0;
  std::string weightsPath, weightsHash;
  // The callback that ended the run before its last epoch; "" if there is none
  std::string endedBy;
  // The monitor of the best weights that were restored at the end; "" if none were restored
  std::string restoredBy;
  // The epoch of the restored weights
  int64_t restoredEpoch = 0;
  // Path of best.safetensors; "" if there is none
  std::string bestPath;
  // Size of all remaining checkpoints
  uint64_t checkpointBytes = 0;
  std::optional<LossScaleState> lossScale;
  PhaseTimes phases;
  // Since this process began to train
  std::vector<DeviceSummary> devices;
  // The samples of all steps since then
  int64_t trainedSamples = 0;
  ReplicaReport replicas;
};

class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void onState(RunState) {}
  virtual void onStart(const RunStart&) {}
  virtual void onStep(const StepMetrics&) {}
  /// What several devices did so far, about twice a second.
  virtual void onReplicas(const ReplicaReport&) {}
  virtual void onEpoch(const EpochMetrics&) {}
  virtual void onValidation(const ValidationMetrics&) {}
  /// What a validation found about each class, directly before onEpoch() or onValidation() reports
  /// the validation. Called only if an output classifies.
  virtual void onClasses(const std::shared_ptr<const ClassValidation>& /*classes*/) {}
  virtual void onCheckpoint(const CheckpointSaved&) {}
  virtual void onProfile(const std::shared_ptr<const ProfileSnapshot>& /*profile*/) {}
  virtual void onTrace(const StepsTraced&) {}
  // A few times a second while the run trains, between two steps
  virtual void onDeviceState(const DeviceSample&) {}
  virtual void onSetting(const SettingChanged&) {}
  /// How the statistics of layers are sampled, or why they are not. Called only if the session asks
  /// for them.
  virtual void onLayerSampling(const LayerSampling&) {}
  /// The statistics of all layers at a step, every some steps.
  virtual void onLayerSample(const std::shared_ptr<const LayerSample>& /*sample*/) {}
  /// The batch whose loss or gradient was not finite was written to the run directory. onOutcome()
  /// reports the failure.
  virtual void onKeptBatch(const KeptBatch&) {}
  virtual void onWarning(const std::string&) {}
  /// A warning of a kind that programs may look for, such as "slow_replica".
  virtual void onWarningOf(const std::string& /*code*/, const std::string& text) {
    onWarning(text);
  }
  // The files of the run cannot be written, and the run waits for an answer (RunControl). Called
  // only if the session asks.
  virtual void onDiskProblem(const Error&) {}
  // The run goes on in this directory.
  virtual void onMoved(const std::string&) {}
  // Called exactly once, as the last event
  virtual void onOutcome(const RunOutcome&) {}
};

}  // namespace strata
