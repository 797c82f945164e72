// SPDX-License-Identifier: Apache-2.0
// The list of files that a run wrote, in `record.json` of its directory: the hash of its project,
// its checkpoints (name, step, hash), its final weights. Only recorded files are read as
// checkpoints or deleted. A file is recorded before it is written, so that a process killed in
// between leaves no unknown file.
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
  // File name in checkpoints/
  std::string name;
  int64_t step = 0;
  // The hash in the metadata of the file
  std::string hash;
  // Recorded, but perhaps not written yet
  bool isPending = false;
  // May be deleted, and perhaps is already
  bool isDropped = false;
};

struct RunRecord {
  /// Hashes of the bytes of project.json; two while one version replaces the other.
  std::vector<std::string> projectHashes;
  /// Sorted by step. A name may occur twice while a checkpoint replaces another of the same step.
  std::vector<RecordedCheckpoint> checkpoints;
  // Step of weights.safetensors; absent where the run has none
  std::optional<int64_t> weightsStep;
  // Hash of the bytes of preprocessing.json; "" where the run has none
  std::string preprocessingHash;
  // Hash of the weights in best.safetensors; "" where the run has none
  std::string bestHash;

  /// True if a checkpoint was written.
  bool hasCheckpoint() const;
};

/// File name of the checkpoint of a step: at least twelve digits, so that names sort by step.
std::string checkpointName(int64_t step);
/// The step of a name made by checkpointName(); absent for any other name.
std::optional<int64_t> stepOfCheckpointName(const std::string& name);

/// Absent if the file is missing (a run of an earlier version) or damaged; `problem` then says
/// which, otherwise it is "".
/// Fails: InvalidFile where it cannot be opened or is of a later version; IoFailure.
std::optional<RunRecord> readRunRecord(const std::string& runDirectory, std::string& problem);
/// Writes the file atomically. Fails: IoFailure.
void writeRunRecord(const std::string& runDirectory, const RunRecord& record,
                    bool isDurable = true);

/// Names of the checkpoints of a run, newest first: those in its record, even if a file is missing;
/// without a record, those of files with such a name.
std::vector<std::string> checkpointNames(const std::string& runDirectory,
                                         const std::optional<RunRecord>& record);
/// Paths of those checkpoints that exist.
std::vector<std::string> checkpointFiles(const std::string& runDirectory,
                                         const std::optional<RunRecord>& record);
/// Loads project.json of a run and compares it with the recorded hash. Fails like loadProject;
/// InvalidFile where the hash differs.
Result<Project> loadRunProject(const std::string& runDirectory);

}  // namespace strata
