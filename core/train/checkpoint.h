// SPDX-License-Identifier: Apache-2.0
// A checkpoint: everything that a run needs to continue as if it had never stopped, in one
// safetensors file with a hash of its contents. Random generators have no state to save, because
// every random number is a function of (seed, step) or (seed, epoch). The folder `checkpoints/`
// contains the two newest checkpoints, and those that callbacks keep. Not here: when to save a
// checkpoint (training_run.h). Thread: the functions only access the file system.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/interchange/safetensors.h"
#include "core/recipe/metrics.h"
#include "core/runs/events.h"
#include "core/runs/run_record.h"
#include "gpu/tensor/tensor.h"

namespace strata {

struct Checkpoint {
  // Number of updates so far
  int64_t step = 0;
  // The current epoch; the first one is 1
  int64_t epoch = 1;
  // Number of updates in this epoch so far
  int64_t stepInEpoch = 0;
  // Position in the data, which determines the next samples together with the seed. A pass through
  // the data is an epoch unless `steps_per_epoch` is set.
  int64_t pass = 1, stepInPass = 0, passSamples = 0;
  // Sums over the epoch so far, from which the means of the epoch are computed
  double lossSum = 0;
  std::vector<double> metricSums;
  // Elements that metrics collected in the epoch so far. A file contains them as tensors with the
  // names collectedName().
  std::vector<std::vector<CollectedElement>> collected;
  int64_t epochSamples = 0;
  double epochSeconds = 0;
  // Training time of the whole run
  double seconds = 0;
  uint64_t seed = 0;
  // Learning rate of the last update, or the rate that was set for the next one
  double learningRate = 0;
  // Whether the user or a callback has set the learning rate, so that the schedule no longer
  // applies
  bool isLearningRateSet = false;
  // The current stage (the first one is 0), and the step and epoch at which it began. rateStage is
  // the stage whose learning rate applies, or -1 if that of the optimizer applies. rateStep is the
  // step at which its schedule began.
  int64_t stage = 0, stageStep = 0, stageEpoch = 1, rateStage = -1, rateStep = 0;
  // Number of steps before the last reset of the optimizer
  int64_t updateOffset = 0;
  // Step of the last validation within an epoch
  int64_t validatedStep = 0;
  // The callback that ended the run; "" if there is none
  std::string endedBy;
  // State of the callbacks from CallbackRunner::text()
  std::string callbacks;
  // Past and planned changes of settings, from textOfChanges()
  std::string changes;
  // Sizes of history and events at this step. A continued run removes everything after these sizes.
  uint64_t historyBytes = 0, eventBytes = 0;
  // Hash of the first `historyBytes` of the history
  std::string historyHash;
  // Hash of the checkpoint, if it was read from a file
  std::string hash;
  // Weights, moving statistics, optimizer state, and best weights of callbacks
  std::map<std::string, Tensor> tensors;
};

/// Returns the name under which a checkpoint stores what metric `index` collected. Only metrics
/// that collect elements are counted.
std::string collectedName(size_t index);
/// Returns the elements as f32[elements,3], or an empty view if there are none.
TensorView viewOf(const std::vector<CollectedElement>& elements);
/// Sets the elements of `count` metrics from the tensors of a checkpoint. Fails: InvalidFile if a
/// tensor has the wrong shape.
std::vector<std::vector<CollectedElement>> collectedIn(const std::map<std::string, Tensor>& tensors,
                                                       size_t count, const std::string& file);

/// Returns the position of a checkpoint as texts, and reads them again. checkpointOf() fails with
/// InvalidFile and names `path`.
std::map<std::string, std::string> checkpointFields(const Checkpoint& checkpoint);
Checkpoint checkpointOf(const std::map<std::string, std::string>& fields, const std::string& path);
/// Returns the path of a step's checkpoint: DIR/checkpoints/<step>.safetensors.
std::string checkpointPath(const std::string& runDirectory, int64_t step);
/// Adds the checkpoint to the record of the run, and writes its file atomically. Then removes
/// recorded checkpoints except the newest two and those named in `keep`. `tensors` are written
/// instead of checkpoint.tensors, so that the network's memory need not be copied. With `isDurable`
/// the checkpoint survives a power failure. This is slow, so callers with short epochs request it
/// only once a second, and name the last durable checkpoint in `keep`.
/// Fails: IoFailure, which leaves older checkpoints unchanged; InvalidFile if DIR/checkpoints is a
/// link.
CheckpointSaved saveCheckpoint(const std::string& runDirectory, const Checkpoint& checkpoint,
                               const TensorViews& tensors, RunRecord& record, bool isDurable,
                               const std::vector<std::string>& keep);
/// Loads the newest recorded checkpoint that is intact. Damaged checkpoints are skipped with a
/// warning. Returns nullopt if the run recorded neither checkpoints nor final weights. If the run
/// has no record (from an earlier version), every file with the name of a checkpoint counts. Fails:
/// InvalidFile if no recorded checkpoint can be used, or if DIR/checkpoints is a link; IoFailure if
/// it cannot be read.
std::optional<Checkpoint> loadCheckpoint(const std::string& runDirectory,
                                         std::vector<std::string>& warnings);
/// Loads the recorded checkpoint of this step. Fails: InvalidArgument if the run has none of this
/// step, and names those that it has; InvalidFile if it is damaged; IoFailure.
Checkpoint loadCheckpointOf(const std::string& runDirectory, int64_t step);
/// Number and size of a run's checkpoints. allBytes includes its weights.
struct DiskUse {
  int64_t files = 0;
  uint64_t checkpointBytes = 0, allBytes = 0;
};
DiskUse diskUseOf(const std::string& runDirectory, const RunRecord& record);
/// Reads the checkpoint in a file. Fails: InvalidFile (also if the hash differs); IoFailure.
Checkpoint readCheckpoint(const std::string& path);

}  // namespace strata
