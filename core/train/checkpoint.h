// SPDX-License-Identifier: Apache-2.0
// A checkpoint: everything that a run needs to continue as if it had never stopped, in one
// safetensors file with a hash over its content. There is no generator state: every random number
// is a function of (seed, step) or (seed, epoch). `checkpoints/` keeps the two newest ones. Not
// here: when to save one (training_run.h). Thread: pure functions on the file system.
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
  // The epoch being trained, from 1
  int64_t epoch = 1;
  // Updates done in this epoch
  int64_t stepInEpoch = 0;
  // Position in the data; with the seed it decides the next samples. A pass through the data is an
  // epoch unless `steps_per_epoch` is set.
  int64_t pass = 1, stepInPass = 0, passSamples = 0;
  // Sums over the epoch so far, for its means
  double lossSum = 0;
  std::vector<double> metricSums;
  int64_t epochSamples = 0;
  double epochSeconds = 0;
  // Training time of the whole run
  double seconds = 0;
  uint64_t seed = 0;
  // That of the last update, or the one set for the next update
  double learningRate = 0;
  // Set by the user or a callback: the schedule no longer applies
  bool isLearningRateSet = false;
  // The stage being trained, from 0, and where it began; the stage whose learning rate applies (-1:
  // that of the optimizer) and where it began.
  int64_t stage = 0, stageStep = 0, stageEpoch = 1, rateStage = -1, rateStep = 0;
  // Steps before the last reset of the optimizer
  int64_t updateOffset = 0;
  // Step of the last validation within an epoch
  int64_t validatedStep = 0;
  // The callback that ended the run; "" none
  std::string endedBy;
  // State of the callbacks: CallbackRunner::text()
  std::string callbacks;
  // Changes of settings, past and planned: textOfChanges()
  std::string changes;
  // Size of both files at this step; the rest is cut on resuming
  uint64_t historyBytes = 0, eventBytes = 0;
  // Hash of the history up to that size
  std::string historyHash;
  // Hash of the checkpoint, where it was read from a file
  std::string hash;
  // Weights, moving statistics, optimizer state, best weights of callbacks
  std::map<std::string, Tensor> tensors;
};

/// The path of the checkpoint of a step: DIR/checkpoints/<step>.safetensors.
std::string checkpointPath(const std::string& runDirectory, int64_t step);
/// Adds the checkpoint to the record of the run, writes its file atomically, then removes recorded
/// checkpoints except the newest two and `keep` (names). Fails: IoFailure, and then older ones are
/// untouched; InvalidFile where DIR/checkpoints is a link.
/// isDurable: also survives a power failure; this is slow, so callers with short epochs ask for it
/// once a second, and keep that checkpoint. tensors: written instead of the checkpoint's own,
/// without copying them from the memory of a network.
CheckpointSaved saveCheckpoint(const std::string& runDirectory, const Checkpoint& checkpoint,
                               const TensorViews& tensors, RunRecord& record, bool isDurable,
                               const std::vector<std::string>& keep);
/// The newest recorded checkpoint that is intact; damaged ones are skipped with a warning. Absent
/// where the run recorded neither a checkpoint nor final weights. For a run without a record (of an
/// earlier version), every file with the name of a checkpoint counts.
/// Fails: InvalidFile where checkpoints were recorded and none can be used, or DIR/checkpoints is a
/// link; IoFailure where it cannot be read.
std::optional<Checkpoint> loadCheckpoint(const std::string& runDirectory,
                                         std::vector<std::string>& warnings);
/// Number and size of the checkpoints of a run; allBytes includes its weights.
struct DiskUse {
  int64_t files = 0;
  uint64_t checkpointBytes = 0, allBytes = 0;
};
DiskUse diskUseOf(const std::string& runDirectory, const RunRecord& record);
/// Reads one file. Fails: InvalidFile (also where the hash differs), IoFailure.
Checkpoint readCheckpoint(const std::string& path);

}  // namespace strata
