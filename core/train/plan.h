// SPDX-License-Identifier: Apache-2.0
// What a training step will need, before training: shapes, parameters, multiply-adds, memory by category, layer and instant, what is recomputed to stay below
// a limit and what that costs, the largest batch that fits, step time; and where it does not fit, what would.
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
  int64_t batchSize = 0;                   // 0: the project's
  std::optional<size_t> memoryLimitBytes;  // else the project's, else what the device has available
  std::optional<Recompute> recompute;      // else the project's
  bool findsLargestBatch = true;
  bool measuresStepTime = true;   // three trial steps on data of zeros after a warm-up, where they fit
  bool predictsStepTime = false;  // by the cost model; calibrates this machine at its first use, which takes about two seconds
  bool drawsCurve = false;        // budget -> step time
  int niceness = 0;
  std::vector<RunPart> parts;  // of a run that is about to begin; empty: those of the project
  std::stop_token stop;        // Fails: Stopped
};

/// One layer of one repeat of a Block.
struct PlanInnerLayer {
  std::string name, type;  // "block/3/layer"
  int64_t parameters = 0;
  size_t bytesAtPeak = 0;
  std::optional<double> stepMicroseconds, predictedMicroseconds;
};

struct PlanLayer {
  LayerSummary summary;
  size_t bytesAtPeak = 0;                       // of a Block with all in it
  std::optional<double> stepMicroseconds;       // measured on the trial steps
  std::optional<double> predictedMicroseconds;  // by the cost model
  std::vector<PlanInnerLayer> inner;            // of a Block, in the order of its list
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
  std::string layer, op;  // op that made it; "" a workspace
  Category category = Category::Temporary;
  size_t bytes = 0;
};

struct PlanRepeat {
  std::string layer, op;
  size_t bytes = 0;  // that need not be kept
};

/// A kernel that runs in less workspace, with the same bits.
struct PlanShrunk {
  std::string layer, op;
  size_t usualBytes = 0, bytes = 0;
};

/// What a budget costs.
struct PlanBudget {
  size_t limitBytes = 0;  // that is kept
  size_t peakBytes = 0;   // of the plan for it
  double slowdown = 0;    // share of the step that is added
  std::optional<double> stepMicroseconds;
  int repeated = 0;  // operations that run twice
};

/// What would fit where the plan does not.
struct PlanRemedy {
  std::string what;   // "batch_size", "recompute", "gradient_accumulation_steps"
  int64_t value = 0;  // batch, or steps; of "recompute": the number of operations that run twice
  size_t peakBytes = 0;
  std::optional<double> stepMicroseconds;
  bool recomputes = false;          // it fits with operations run twice
  bool setsRecompute = false;       // the project says that nothing may be recomputed, which has to change
  bool enablesPass = false;         // because its pass "recompute" is disabled
  std::vector<std::string> layers;  // of "recompute": those whose operations run twice, each once, in the step's order
};

struct TrainingPlan {
  std::string device;
  int64_t batchSize = 0;
  // Told of is the part of the run that needs the most memory with nothing recomputed; what fits, fits in all of them.
  int64_t stage = 0, stages = 0;            // of a project with stages: which one, from 1, and how many
  int64_t fromStep = 0;                     // the first update of the part, where a change of the project begins it
  bool isPeakInOtherPart = false;           // under a limit the peak may be there: peakBytes, memory, timeline and atPeak are its own
  int64_t peakStage = 0, peakFromStep = 0;  // of that part, or the one that is told of
  Project project;                          // as that part trains it
  MemoryPlan memory;                        // of the training step
  size_t peakBytes = 0, lowerBoundBytes = 0;
  bool isPeakInLastBatch =
      false;              // of an epoch, which is smaller and recomputes less; memory, timeline and atPeak are those of its largest piece
  size_t limitBytes = 0;  // where none is set: what is available beside the data set
  size_t dataBytes = 0;   // of the data set, which is held in memory beside the step
  std::string whyAboveBound;  // "": within a hundredth of the lower bound
  bool fits = false;
  std::vector<PlanInstant> timeline;
  std::vector<PlanHolder> atPeak;       // largest first
  std::optional<int64_t> largestBatch;  // absent: none fits, or not asked; kMostBatch: that one and larger ones
  Recompute recompute = Recompute::None;
  size_t keptPeakBytes = 0;  // with nothing recomputed
  std::vector<PlanRepeat> repeats;
  std::vector<PlanShrunk> shrunk;
  bool updatesEarly = false;
  double slowdown = 0;  // predicted share of the step that the limit adds: by the cost model, else by the measured times of the operations
  std::vector<PlanBudget> curve;     // from nothing recomputed to the smallest
  std::vector<PlanRemedy> remedies;  // where it does not fit
  size_t smallestPeakBytes = 0;      // of one sample, where nothing would fit
  std::vector<PlanLayer> layers;
  int64_t parameters = 0;
  double multiplyAdds = 0;
  std::optional<double> stepMicroseconds;      // absent: whyNoStepTime
  std::optional<double> keptStepMicroseconds;  // with nothing recomputed
  std::string whyNoStepTime;
  std::optional<double> predictedStepMicroseconds;  // by the cost model, before anything ran; absent: whyNoPrediction
  std::string whyNoPrediction;
  /// The calibration was made while other programs took much of the processor; it is made again ten minutes later.
  bool isPredictionDoubtful = false;
  std::optional<double> keptPredictedMicroseconds;  // likewise, with nothing recomputed
};

/// Computes numbers only. Memory is allocated just for trial steps, and only if they fit the limit and the machine.
/// Requires: a valid project. Fails: as compile; Stopped.
TrainingPlan planTraining(const CheckedProject& project, const PlanOptions& options);

}  // namespace strata
