// SPDX-License-Identifier: Apache-2.0
// What a run itself wrote, in `record.json` of its directory: the hash of its project, its
// checkpoints (name, step, hash), its final weights. Only these are the run's; nothing else in the
// directory is read as a checkpoint or deleted. A file is recorded before it is written, so that a
// process that is killed in between leaves nothing unknown behind.
// Not here: reading and writing the files themselves (core/train/checkpoint.h). Thread: values and
// pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/project/project.h"

namespace strata {

struct RecordedCheckpoint {
  // In checkpoints/
  std::string name;
  int64_t step = 0;
  // As in its metadata
  std::string hash;
  // Recorded, and perhaps not written yet
  bool isPending = false;
  // It may be deleted, and perhaps is
  bool isDropped = false;
};

struct RunRecord {
  /// Of the bytes of project.json; two while one replaces the other.
  std::vector<std::string> projectHashes;
  /// By step. One name may stand here twice while a checkpoint replaces another of the same step.
  std::vector<RecordedCheckpoint> checkpoints;
  // Of weights.safetensors
  std::optional<int64_t> weightsStep;
  // Of the bytes of preprocessing.json; "" where the run has none
  std::string preprocessingHash;
  // Of the weights in best.safetensors; "" where the run has none
  std::string bestHash;

  /// Was one written?
  bool hasCheckpoint() const;
};

/// Name of the checkpoint of a step: its digits, at least twelve, so that names sort by step.
std::string checkpointName(int64_t step);
/// The step of a name that checkpointName() makes; absent for any other.
std::optional<int64_t> stepOfCheckpointName(const std::string& name);

/// Absent if the file is missing (a run of an earlier version) or damaged; `problem` then says
/// which, else it is "".
/// Fails: InvalidFile where it cannot be opened or is of a later version; IoFailure.
std::optional<RunRecord> readRunRecord(const std::string& runDirectory, std::string& problem);
/// Whole or not at all. Fails: IoFailure.
void writeRunRecord(const std::string& runDirectory, const RunRecord& record,
                    bool isDurable = true);

/// Names of the run's checkpoints, newest first: those of its record, also where they are lost;
/// without one, of files named so.
std::vector<std::string> checkpointNames(const std::string& runDirectory,
                                         const std::optional<RunRecord>& record);
/// Paths of the checkpoints above that exist.
std::vector<std::string> checkpointFiles(const std::string& runDirectory,
                                         const std::optional<RunRecord>& record);
/// project.json of a run, compared with the recorded hash. Fails: as loadProject; InvalidFile where
/// the hash differs.
Result<Project> loadRunProject(const std::string& runDirectory);

}  // namespace strata
