// SPDX-License-Identifier: Apache-2.0
// Plans a training step before training. The plan contains shapes, parameters, multiply-adds, the
// step time, the largest batch that fits, and the memory by category, layer and instruction. It
// also contains the recomputation that a limit requires, and its cost. If the step does not fit,
// the plan suggests changes. Not here: plans for devices from their data sheets (device_plan.h).
// Thread: the function blocks the calling thread, so do not call it on the GUI thread.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/check/checked_project.h"
#include "core/model/model.h"
#include "core/recipe/options.h"
#include "core/runs/layer_times.h"
#include "core/train/algorithms.h"
#include "core/train/memory_figures.h"
#include "core/train/planned_parts.h"
#include "gpu/memory/liveness.h"

namespace strata {

/// What the command line and the window say about times that were measured on a busy machine.
inline constexpr Text kBusyTimes =
    STRATA_TEXT("Plan",
                "The times may be much too long: another program was busy while they were "
                "measured.");

struct PlanOptions {
  // Name of the device; "" for the project's
  std::string device = {};
  int threads = 0;
  // Batch size; 0 for the project's batch size. Both are limited to the number of samples, as in
  // training.
  int64_t batchSize = 0;
  // Memory limit; absent to use the project's limit or the available memory of the device
  std::optional<size_t> memoryLimitBytes;
  // How to recompute; absent to use the project's setting
  std::optional<Recompute> recompute;
  bool findsLargestBatch = true;
  // Whether to measure the step time in a few trial steps on zeros, if they fit
  bool measuresStepTime = true;
  // Whether to predict the step time with the cost model. Its first use calibrates this machine,
  // which takes a few seconds.
  bool predictsStepTime = false;
  // Whether to compute the step time for several memory budgets
  bool drawsCurve = false;
  // Whether to list the algorithms of libraries on a card
  bool listsAlgorithms = false;
  int niceness = 0;
  // The parts of the run; empty for the parts of the project
  std::vector<RunPart> parts;
  // A stop request ends planning, which then fails with Stopped.
  std::stop_token stop;
};

/// A layer in one repeat of a Block.
struct PlanInnerLayer {
  // Name, such as "block/3/layer"
  std::string name, type;
  int64_t parameters = 0;
  size_t bytesAtPeak = 0;
  std::optional<double> stepMicroseconds, predictedMicroseconds;
};

struct PlanLayer {
  LayerSummary summary;
  // Bytes at the peak. A Block includes all its layers.
  size_t bytesAtPeak = 0;
  // Time of the forward and backward passes per step: measured in the trial steps, and predicted by
  // the cost model. They are those of TrainingPlan::measuredTimes and predictedTimes.
  std::optional<double> stepMicroseconds, predictedMicroseconds;
  // The layers of a Block, in the order of its list
  std::vector<PlanInnerLayer> inner;
};

/// One instruction of the step, with the bytes that are live while it runs.
struct PlanInstant {
  std::string op, layer;
  Phase phase = Phase::Forward;
  bool isRepeat = false;
  BytesByCategory bytes{};
  size_t liveBytes = 0;
};

/// A value or workspace that is live at the peak.
struct PlanHolder {
  // The op that computes the value; "" for a workspace
  std::string layer, op;
  Category category = Category::Temporary;
  size_t bytes = 0;
};

/// An operation that is recomputed.
struct PlanRepeat {
  std::string layer, op;
  // Bytes that recomputation saves
  size_t bytes = 0;
};

/// A kernel that runs in a smaller workspace with bit-identical results.
struct PlanShrunk {
  std::string layer, op;
  size_t usualBytes = 0, bytes = 0;
};

/// The cost of a memory budget.
struct PlanBudget {
  // The memory budget
  size_t limitBytes = 0;
  // The peak of the plan for this budget
  size_t peakBytes = 0;
  // Additional time as a fraction of the step
  double slowdown = 0;
  std::optional<double> stepMicroseconds;
  // Number of recomputed operations
  int repeated = 0;
  // Their layers in the order of the step. Each occurs once.
  std::vector<std::string> layers = {};
};

/// A change that makes the step fit.
struct PlanRemedy {
  // "batch_size", "recompute" or "gradient_accumulation_steps"
  std::string what;
  // The new value. For "recompute", the number of recomputed operations.
  int64_t value = 0;
  size_t peakBytes = 0;
  std::optional<double> stepMicroseconds;
  // Whether operations are recomputed
  bool recomputes = false;
  // Whether recomputation must be allowed, because the project forbids it
  bool setsRecompute = false;
  // Whether the pass "recompute" must be enabled, because the project disables it
  bool enablesPass = false;
  // For "recompute", the layers with recomputed operations in the order of the step. Each layer
  // occurs once.
  std::vector<std::string> layers;
};

struct TrainingPlan {
  std::string device;
  // The batch size, which is at most the number of samples, and the one that was requested
  int64_t batchSize = 0, requestedBatchSize = 0;
  // The plan describes the part of the run that needs the most memory without recomputation. `fits`
  // applies to all parts. If the run has stages, `stage` is the number of that part's stage, which
  // starts at 1, and `stages` is the number of stages.
  int64_t stage = 0, stages = 0;
  // The first update of the part, if a change of a setting starts it
  int64_t fromStep = 0;
  // Whether another part has the peak, which is possible under a limit. peakBytes, memory, timeline
  // and atPeak then describe that part.
  bool isPeakInOtherPart = false;
  // Stage and first update of the part with the peak
  int64_t peakStage = 0, peakFromStep = 0;
  // The project with the stage and settings of the described part
  Project project;
  // Memory of the training step
  MemoryPlan memory;
  size_t peakBytes = 0, lowerBoundBytes = 0;
  // Whether the peak is in the last batch of an epoch, which is smaller and recomputes less.
  // memory, timeline and atPeak then describe the largest micro-batch of that batch.
  bool isPeakInLastBatch = false;
  // The memory limit. If no limit is set, it is the available memory without the data set.
  size_t limitBytes = 0;
  // Memory of the data set, in addition to the step
  size_t dataBytes = 0;
  // What the training samples take on a card if it keeps them, in addition to the step
  size_t keptDataBytes = 0;
  // On a card, what its driver, kernels and libraries take, and the memory through which inputs and
  // results pass. limitBytes is what they and other programs leave, unless the user sets a limit.
  size_t contextBytes = 0, transferBytes = 0;
  // Whether contextBytes is an estimate, as on simulated cards
  bool isContextEstimated = false;
  // The memory of the card; 0 for other devices
  size_t cardBytes = 0;
  // What each device does if the layers are on several devices. memory and peakBytes are those of
  // the whole step.
  PlannedParts devices;
  // The reason why the peak exceeds the lower bound; "" if it exceeds it by at most 1%
  std::string whyAboveBound;
  bool fits = false;
  std::vector<PlanInstant> timeline;
  // Values and workspaces that are live at the peak, from largest to smallest
  std::vector<PlanHolder> atPeak;
  // Largest batch size that fits; absent if no batch fits or if it was not computed. kMaxBatch
  // means that a larger batch may fit too.
  std::optional<int64_t> largestBatch;
  Recompute recompute = Recompute::None;
  // Peak without recomputation
  size_t keptPeakBytes = 0;
  std::vector<PlanRepeat> repeats;
  std::vector<PlanShrunk> shrunk;
  bool updatesEarly = false;
  // Additional time under the limit as a fraction of the step, from the cost model or from measured
  // times of the operations
  double slowdown = 0;
  // Budgets, from the peak without recomputation to the smallest budget
  std::vector<PlanBudget> curve;
  // Changes that make the step fit; empty if it already fits
  std::vector<PlanRemedy> remedies;
  // Peak for one sample, if no remedy exists
  size_t smallestPeakBytes = 0;
  std::vector<PlanLayer> layers;
  // The algorithms of libraries, if they are listed
  std::vector<LayerAlgorithm> algorithms;
  // The kernels of ops for which the device has several kinds
  std::vector<LayerKernel> paths;
  int64_t parameters = 0;
  double multiplyAdds = 0;
  // Measured time. If it is absent, whyNoStepTime contains the reason.
  std::optional<double> stepMicroseconds;
  // Measured time without recomputation
  std::optional<double> keptStepMicroseconds;
  std::string whyNoStepTime;
  // Time from the cost model. If it is absent, whyNoPrediction contains the reason.
  std::optional<double> predictedStepMicroseconds;
  std::string whyNoPrediction;
  // Whether the prediction leaves out what devices send each other, because they compute different
  // layers, or send gradients to a server
  bool leavesOutExchange = false;
  // The same times by layer
  std::optional<LayerTimes> measuredTimes, predictedTimes;
  /// Whether other programs used much of the processor during calibration. The calibration is
  /// repeated after ten minutes.
  bool isPredictionDoubtful = false;
  /// Whether other programs used much of the processor during the calibration, the comparison with
  /// the present speed, or the trial steps. Times of this machine are then too long.
  bool isMeasuredBusy = false;
  // Predicted time without recomputation
  std::optional<double> keptPredictedMicroseconds;

  /// Returns the memory that a run takes.
  MemoryFigures memoryFigures() const;
};

/// Plans a training step. Allocates memory only for trial steps, if they fit the limit and the
/// machine. Requires: a valid project. Fails with the errors of StepBuilder, or with Stopped.
TrainingPlan planTraining(const CheckedProject& project, const PlanOptions& options);

}  // namespace strata
