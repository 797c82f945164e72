// SPDX-License-Identifier: Apache-2.0
// What a training step will need, before training: shapes, parameters, multiply-adds, memory by
// category, layer and instant, what is recomputed to stay below a limit and what that costs, the
// largest batch that fits, step time; and where it does not fit, what would.
// Thread: blocks the caller; call it off the window's thread.
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
  // Else the project's, else what the device has available
  std::optional<size_t> memoryLimitBytes;
  // Else the project's
  std::optional<Recompute> recompute;
  bool findsLargestBatch = true;
  // Three trial steps on data of zeros after a warm-up, where they fit
  bool measuresStepTime = true;
  // By the cost model; calibrates this machine at its first use, which takes about two seconds
  bool predictsStepTime = false;
  // Budget -> step time
  bool drawsCurve = false;
  int niceness = 0;
  // Of a run that is about to begin; empty: those of the project
  std::vector<RunPart> parts;
  // Fails: Stopped
  std::stop_token stop;
};

/// One layer of one repeat of a Block.
struct PlanInnerLayer {
  // "block/3/layer"
  std::string name, type;
  int64_t parameters = 0;
  size_t bytesAtPeak = 0;
  std::optional<double> stepMicroseconds, predictedMicroseconds;
};

struct PlanLayer {
  LayerSummary summary;
  // Of a Block with all in it
  size_t bytesAtPeak = 0;
  // Measured on the trial steps
  std::optional<double> stepMicroseconds;
  // By the cost model
  std::optional<double> predictedMicroseconds;
  // Of a Block, in the order of its list
  std::vector<PlanInnerLayer> inner;
};

/// One instruction of the step and what is live while it runs.
struct PlanInstant {
  std::string op, layer;
  Phase phase = Phase::Forward;
  bool isRepeat = false;
  BytesByCategory bytes{};
  size_t liveBytes = 0;
};

/// Who holds bytes at the peak.
struct PlanHolder {
  // op that made it; "" a workspace
  std::string layer, op;
  Category category = Category::Temporary;
  size_t bytes = 0;
};

struct PlanRepeat {
  std::string layer, op;
  // That need not be kept
  size_t bytes = 0;
};

/// A kernel that runs in less workspace, with the same bits.
struct PlanShrunk {
  std::string layer, op;
  size_t usualBytes = 0, bytes = 0;
};

/// What a budget costs.
struct PlanBudget {
  // That is kept
  size_t limitBytes = 0;
  // Of the plan for it
  size_t peakBytes = 0;
  // Share of the step that is added
  double slowdown = 0;
  std::optional<double> stepMicroseconds;
  // Operations that run twice
  int repeated = 0;
};

/// What would fit where the plan does not.
struct PlanRemedy {
  // "batch_size", "recompute", "gradient_accumulation_steps"
  std::string what;
  // Batch, or steps; of "recompute": the number of operations that run twice
  int64_t value = 0;
  size_t peakBytes = 0;
  std::optional<double> stepMicroseconds;
  // It fits with operations run twice
  bool recomputes = false;
  // The project says that nothing may be recomputed, which has to change
  bool setsRecompute = false;
  // Because its pass "recompute" is disabled
  bool enablesPass = false;
  // Of "recompute": those whose operations run twice, each once, in the step's order
  std::vector<std::string> layers;
};

struct TrainingPlan {
  std::string device;
  int64_t batchSize = 0;
  // Told of is the part of the run that needs the most memory with nothing recomputed; what fits,
  // fits in all of them. Of a project with stages: which one, from 1, and how many
  int64_t stage = 0, stages = 0;
  // The first update of the part, where a change of the project begins it
  int64_t fromStep = 0;
  // Under a limit the peak may be there: peakBytes, memory, timeline and atPeak are its own
  bool isPeakInOtherPart = false;
  // Of that part, or the one that is told of
  int64_t peakStage = 0, peakFromStep = 0;
  // As that part trains it
  Project project;
  // Of the training step
  MemoryPlan memory;
  size_t peakBytes = 0, lowerBoundBytes = 0;
  // Of an epoch, which is smaller and recomputes less; memory, timeline and atPeak are those of its
  // largest piece
  bool isPeakInLastBatch = false;
  // Where none is set: what is available beside the data set
  size_t limitBytes = 0;
  // Of the data set, which is held in memory beside the step
  size_t dataBytes = 0;
  // "": within a hundredth of the lower bound
  std::string whyAboveBound;
  bool fits = false;
  std::vector<PlanInstant> timeline;
  // Largest first
  std::vector<PlanHolder> atPeak;
  // absent: none fits, or not asked; kMostBatch: that one and larger ones
  std::optional<int64_t> largestBatch;
  Recompute recompute = Recompute::None;
  // With nothing recomputed
  size_t keptPeakBytes = 0;
  std::vector<PlanRepeat> repeats;
  std::vector<PlanShrunk> shrunk;
  bool updatesEarly = false;
  // Predicted share of the step that the limit adds: by the cost model, else by the measured times
  // of the operations
  double slowdown = 0;
  // From nothing recomputed to the smallest
  std::vector<PlanBudget> curve;
  // Where it does not fit
  std::vector<PlanRemedy> remedies;
  // Of one sample, where nothing would fit
  size_t smallestPeakBytes = 0;
  std::vector<PlanLayer> layers;
  int64_t parameters = 0;
  double multiplyAdds = 0;
  // absent: whyNoStepTime
  std::optional<double> stepMicroseconds;
  // With nothing recomputed
  std::optional<double> keptStepMicroseconds;
  std::string whyNoStepTime;
  // By the cost model, before anything ran; absent: whyNoPrediction
  std::optional<double> predictedStepMicroseconds;
  std::string whyNoPrediction;
  /// The calibration was made while other programs took much of the processor; it is made again ten
  /// minutes later.
  bool isPredictionDoubtful = false;
  // Likewise, with nothing recomputed
  std::optional<double> keptPredictedMicroseconds;
};

/// Computes numbers only. Memory is allocated just for trial steps, and only if they fit the limit
/// and the machine.
/// Requires: a valid project. Fails: as compile; Stopped.
TrainingPlan planTraining(const CheckedProject& project, const PlanOptions& options);

}  // namespace strata
