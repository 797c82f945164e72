// SPDX-License-Identifier: Apache-2.0
// A checkpoint: all that a run needs to go on as if it had never stopped, in one safetensors file
// with a hash over everything. The generator needs no state: every random number is a function of
// (seed, step) or (seed, epoch). `checkpoints/` keeps the newest two.
// Thread: pure functions on the file system.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/interchange/safetensors.h"
#include "core/runs/events.h"
#include "core/runs/run_record.h"
#include "gpu/tensor/tensor.h"

namespace strata {

struct Checkpoint {
  // Updates done
  int64_t step = 0;
  // The one being trained, from 1
  int64_t epoch = 1;
  // Updates done in it
  int64_t stepInEpoch = 0;
  // Place in the data: with the seed, which samples come next. A pass is an epoch unless
  // `steps_per_epoch` says otherwise.
  int64_t pass = 1, stepInPass = 0, passSamples = 0;
  // Sums over the epoch so far, for its means.
  double lossSum = 0;
  std::vector<double> metricSums;
  int64_t epochSamples = 0;
  double epochSeconds = 0;
  // Of training, over all parts of the run
  double seconds = 0;
  uint64_t seed = 0;
  // Of the last update, or as a person set it for the next
  double learningRate = 0;
  // By a person or a callback: the schedule does not count any more
  bool isLearningRateSet = false;
  // The stage being trained, from 0, and where it began; the stage whose learning rate counts (-1:
  // the optimizer's) and where that began.
  int64_t stage = 0, stageStep = 0, stageEpoch = 1, rateStage = -1, rateStep = 0;
  // Steps before the optimizer began anew
  int64_t updateOffset = 0;
  // Of the last validation inside an epoch
  int64_t validatedStep = 0;
  // The callback that ended the run, "" none
  std::string endedBy;
  // Their state: CallbackRunner::text()
  std::string callbacks;
  // Of settings, done or still to come: textOfChanges()
  std::string changes;
  // What belongs to this step; the rest is cut on resuming
  uint64_t historyBytes = 0, eventBytes = 0;
  // Of that part
  std::string historyHash;
  // Over all of it, where it was read from a file
  std::string hash;
  // Weights, moving statistics, optimizer state, best weights of callbacks
  std::map<std::string, Tensor> tensors;
};

/// Where the checkpoint of a step lies: DIR/checkpoints/<step>.safetensors.
std::string checkpointPath(const std::string& runDirectory, int64_t step);
/// Puts the checkpoint into the record of the run, writes DIR/checkpoints/<step>.safetensors whole
/// or not at all, then removes those of the record but the newest two and `keep` (names). Fails:
/// IoFailure; older ones are untouched then; InvalidFile where DIR/checkpoints is a link.
/// isDurable: survives a power cut, too; where epochs take milliseconds only one a second does, and
/// the caller keeps it. tensors: in place of the checkpoint's own, so that what lies in a network's
/// memory is written without a copy.
CheckpointSaved saveCheckpoint(const std::string& runDirectory, const Checkpoint& checkpoint,
                               const TensorViews& tensors, RunRecord& record, bool isDurable,
                               const std::vector<std::string>& keep);
/// The newest checkpoint that the run recorded and that is whole; others are passed over with a
/// warning. Absent where the run recorded neither a checkpoint nor final weights. A run without a
/// record (of an earlier version) has those with the names of checkpoints.
/// Fails: InvalidFile where it recorded some and none can be used, or DIR/checkpoints is a link;
/// IoFailure where it cannot be read.
std::optional<Checkpoint> loadCheckpoint(const std::string& runDirectory,
                                         std::vector<std::string>& warnings);
/// The checkpoints of the run and their bytes, with those of its weights.
struct DiskUse {
  int64_t files = 0;
  uint64_t checkpointBytes = 0, allBytes = 0;
};
DiskUse diskUseOf(const std::string& runDirectory, const RunRecord& record);
/// One file. Fails: InvalidFile (damaged: the hash differs), IoFailure.
Checkpoint readCheckpoint(const std::string& path);

}  // namespace strata
