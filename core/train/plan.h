// SPDX-License-Identifier: Apache-2.0
// Plans a training step before training: shapes, parameters, multiply-adds, memory by category,
// layer and instant, recomputation under a limit with its cost, the largest batch that fits and the
// step time; where the step does not fit, the changes that would make it fit. Not here: plans for
// devices known by a data sheet (device_plan.h).
// Thread: blocks the caller; do not call it on the thread of the window.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/check/checked_project.h"
#include "core/model/model.h"
#include "core/recipe/options.h"
#include "gpu/memory/liveness.h"

namespace strata {

struct PlanOptions {
  std::string device = "auto";
  int threads = 0;
  // 0: the project's
  int64_t batchSize = 0;
  // Absent: the project's, or else the available memory of the device
  std::optional<size_t> memoryLimitBytes;
  // Absent: the project's
  std::optional<Recompute> recompute;
  bool findsLargestBatch = true;
  // Runs a few trial steps on zeros after a warm-up step, if they fit
  bool measuresStepTime = true;
  // Uses the cost model; the first use calibrates this machine, which takes a few seconds
  bool predictsStepTime = false;
  // Computes the curve from memory budget to step time
  bool drawsCurve = false;
  int niceness = 0;
  // The parts of the run; empty: the project's own
  std::vector<RunPart> parts;
  // Fails: Stopped
  std::stop_token stop;
};

/// One layer in one repeat of a Block.
struct PlanInnerLayer {
  // "block/3/layer"
  std::string name, type;
  int64_t parameters = 0;
  size_t bytesAtPeak = 0;
  std::optional<double> stepMicroseconds, predictedMicroseconds;
};

struct PlanLayer {
  LayerSummary summary;
  // A Block counts with all its layers
  size_t bytesAtPeak = 0;
  // Measured in the trial steps
  std::optional<double> stepMicroseconds;
  // Predicted by the cost model
  std::optional<double> predictedMicroseconds;
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
  // The op that computes the value; "": a workspace
  std::string layer, op;
  Category category = Category::Temporary;
  size_t bytes = 0;
};

/// An operation that is recomputed.
struct PlanRepeat {
  std::string layer, op;
  // Bytes that need not be kept
  size_t bytes = 0;
};

/// A kernel that runs in a smaller workspace, with bit-identical results.
struct PlanShrunk {
  std::string layer, op;
  size_t usualBytes = 0, bytes = 0;
};

/// The cost of a memory budget.
struct PlanBudget {
  // The budget
  size_t limitBytes = 0;
  // The peak of the plan for this budget
  size_t peakBytes = 0;
  // Additional time as a fraction of the step
  double slowdown = 0;
  std::optional<double> stepMicroseconds;
  // Number of recomputed operations
  int repeated = 0;
};

/// A change that makes a step fit that does not.
struct PlanRemedy {
  // "batch_size", "recompute", "gradient_accumulation_steps"
  std::string what;
  // The new value; for "recompute", the number of recomputed operations
  int64_t value = 0;
  size_t peakBytes = 0;
  std::optional<double> stepMicroseconds;
  // Some operations are recomputed
  bool recomputes = false;
  // The project forbids recomputation, which has to change
  bool setsRecompute = false;
  // The project disables the pass "recompute", which has to change
  bool enablesPass = false;
  // For "recompute": the layers with recomputed operations, each once, in the order of the step
  std::vector<std::string> layers;
};

struct TrainingPlan {
  std::string device;
  int64_t batchSize = 0;
  // The plan describes the part of the run that needs the most memory without recomputation. `fits`
  // is about all parts. With stages: the stage of that part, from 1, and the number of stages
  int64_t stage = 0, stages = 0;
  // The first update of the part, if a change of a setting starts it
  int64_t fromStep = 0;
  // Under a limit, another part may have the peak: peakBytes, memory, timeline and atPeak are then
  // those of the other part
  bool isPeakInOtherPart = false;
  // The part with the peak
  int64_t peakStage = 0, peakFromStep = 0;
  // The project with the stage and settings of the described part
  Project project;
  // Memory of the training step
  MemoryPlan memory;
  size_t peakBytes = 0, lowerBoundBytes = 0;
  // The peak is in the last batch of an epoch, which is smaller and recomputes less. memory,
  // timeline and atPeak are then those of its largest micro-batch
  bool isPeakInLastBatch = false;
  // The limit; if none is set, the available memory without the data set
  size_t limitBytes = 0;
  // Memory of the data set, in addition to the step
  size_t dataBytes = 0;
  // Why the peak exceeds the lower bound; "": by at most 1%
  std::string whyAboveBound;
  bool fits = false;
  std::vector<PlanInstant> timeline;
  // Largest first
  std::vector<PlanHolder> atPeak;
  // Absent: no batch fits, or not computed; kMostBatch: that one and larger ones
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
  // From no recomputation to the smallest budget
  std::vector<PlanBudget> curve;
  // Set where the step does not fit
  std::vector<PlanRemedy> remedies;
  // Peak for one sample, where no remedy exists
  size_t smallestPeakBytes = 0;
  std::vector<PlanLayer> layers;
  int64_t parameters = 0;
  double multiplyAdds = 0;
  // Measured; where absent, whyNoStepTime has the reason
  std::optional<double> stepMicroseconds;
  // Measured without recomputation
  std::optional<double> keptStepMicroseconds;
  std::string whyNoStepTime;
  // Predicted by the cost model; where absent, whyNoPrediction has the reason
  std::optional<double> predictedStepMicroseconds;
  std::string whyNoPrediction;
  /// Other programs used much of the processor during calibration. The calibration is repeated ten
  /// minutes later.
  bool isPredictionDoubtful = false;
  // Predicted without recomputation
  std::optional<double> keptPredictedMicroseconds;
};

/// Allocates memory only for trial steps, and only if these fit the limit and the machine.
/// Requires: a valid project. Fails like compiling; Stopped.
TrainingPlan planTraining(const CheckedProject& project, const PlanOptions& options);

}  // namespace strata
