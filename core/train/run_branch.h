// SPDX-License-Identifier: Apache-2.0
// The checkpoints of a run from which training can go on, and new runs that begin with one of them.
// Not here: the files of checkpoints (checkpoint.h), which checkpoints a run keeps
// (training_run.h).
// Thread: the functions only access the file system.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/train/checkpoint.h"

namespace strata {

/// A checkpoint as a list shows it.
struct ListedCheckpoint {
  int64_t step = 0;
  // The epoch to which its last step belongs; 0 if the file cannot be read
  int64_t epoch = 0;
  std::string path;
  uint64_t bytes = 0;
  // When the file was written, in seconds since 1970
  int64_t savedAt = 0;
  // The results of the validation at this step, "loss" first; empty if there was none
  std::vector<std::pair<std::string, double>> validation;
};
/// Returns the checkpoints of a run that exist, newest first. Only their headers are read, so a
/// damaged one may be among them. Fails: InvalidFile if the record of the run has a later version,
/// or if DIR/checkpoints is a link.
std::vector<ListedCheckpoint> listCheckpoints(const std::string& runDirectory);

/// Makes `target` a run that is `source` up to this checkpoint of it: with its project, choices,
/// events and history so far. The record of the target names its origin. `source` is only read.
/// project.json comes last, so a directory that a killed process leaves is no run. Requires: the
/// caller holds the lock of the empty directory `target`. Fails: IoFailure, which leaves nothing in
/// `target`; InvalidFile if a file of `source` cannot be read.
void branchRun(const std::string& source, const Checkpoint& checkpoint, const std::string& target);

}  // namespace strata
