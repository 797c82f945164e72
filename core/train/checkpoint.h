// SPDX-License-Identifier: Apache-2.0
// A checkpoint: all that a run needs to go on as if it had never stopped, in one safetensors file with a hash over everything.
// The generator needs no state: every random number is a function of (seed, step) or (seed, epoch). `checkpoints/` keeps the newest two.
// Thread: pure functions on the file system.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/interchange/safetensors.h"
#include "core/train/events.h"
#include "gpu/tensor/tensor.h"

namespace strata {

struct Checkpoint {
  int64_t step = 0;         // updates done
  int64_t epoch = 1;        // the one being trained, from 1
  int64_t stepInEpoch = 0;  // updates done in it: with the seed, the position in the data
  // Sums over the epoch so far, for its means.
  double lossSum = 0;
  std::vector<double> metricSums;
  int64_t epochSamples = 0;
  double epochSeconds = 0;
  double seconds = 0;  // of training, over all parts of the run
  uint64_t seed = 0;
  double learningRate = 0;                    // of the last update, or as a person set it for the next
  bool isLearningRateSet = false;             // by a person: the schedule does not count any more
  uint64_t historyBytes = 0, eventBytes = 0;  // what belongs to this step; the rest is cut on resuming
  std::map<std::string, Tensor> tensors;      // weights, moving statistics, optimizer state
};

/// Where the checkpoint of a step lies: DIR/checkpoints/<step>.safetensors.
std::string checkpointPath(const std::string& runDirectory, int64_t step);
/// Writes DIR/checkpoints/<step>.safetensors whole or not at all, then removes all but the newest two and `keep`. Fails: IoFailure; older ones are untouched then.
/// isDurable: survives a power cut, too; where epochs take milliseconds only one a second does, and the caller passes its path as `keep`.
CheckpointSaved saveCheckpoint(const std::string& runDirectory, const Checkpoint& checkpoint, bool isDurable = true,
                               const std::string& keep = {});
/// The same with these tensors instead of the checkpoint's own: what lies in a network's memory is written without a copy.
CheckpointSaved saveCheckpoint(const std::string& runDirectory, const Checkpoint& checkpoint, const TensorViews& tensors, bool isDurable,
                               const std::string& keep);
/// The newest checkpoint that is whole; a damaged one is passed over with a warning. Absent where there is none.
/// Fails: InvalidFile where there are some and none is whole.
std::optional<Checkpoint> loadCheckpoint(const std::string& runDirectory, std::vector<std::string>& warnings);
/// One file. Fails: InvalidFile (damaged: the hash differs), IoFailure.
Checkpoint readCheckpoint(const std::string& path);

}  // namespace strata
