// SPDX-License-Identifier: Apache-2.0
// The list of files that a run wrote, in `record.json` of its directory: the hash of its project,
// its checkpoints (name, step, hash) and its final weights. Only recorded files are read as
// checkpoints or deleted. A file is recorded before it is written, so that a killed process leaves
// no unknown file.
// Not here: reading and writing the files themselves (core/train/checkpoint.h).
// Thread: value types, and functions that only access the file system.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/project/project.h"

namespace strata {

struct RecordedCheckpoint {
  // File name in the folder checkpoints/
  std::string name;
  int64_t step = 0;
  // Hash in the metadata of the file
  std::string hash;
  // Whether the checkpoint is only recorded, so that its file may not exist yet
  bool isPending = false;
  // Whether the file may be deleted or is already deleted
  bool isDropped = false;
};

/// The run from which another one branched off.
struct RunOrigin {
  // Its directory at that time, an absolute path
  std::string run;
  // The step of the checkpoint with which the other run began
  int64_t step = 0;
};

struct RunRecord {
  /// Hashes of the bytes of project.json. There are two hashes while a new version of the file
  /// replaces the old one.
  std::vector<std::string> projectHashes;
  /// Checkpoints sorted by step. A name occurs twice while a checkpoint replaces another one with
  /// the same step.
  std::vector<RecordedCheckpoint> checkpoints;
  // Step of weights.safetensors; absent if the file does not exist
  std::optional<int64_t> weightsStep;
  // Hash of the bytes of preprocessing.json; "" if the file does not exist
  std::string preprocessingHash;
  // Hash of the weights in best.safetensors; "" if the file does not exist
  std::string bestHash;
  // Step and hash of bad_batch.safetensors (kept_batch.h); step 0 if the file does not exist
  int64_t badBatchStep = 0;
  std::string badBatchHash = {};
  // Absent if the run began at step 0
  std::optional<RunOrigin> origin;

  /// Returns whether a checkpoint was written.
  bool hasCheckpoint() const;
};

/// Returns the file name of a step's checkpoint. The number has at least twelve digits, so that
/// names sort by step.
std::string checkpointName(int64_t step);
/// Returns the step of a name from checkpointName(), or nullopt for any other name.
std::optional<int64_t> stepOfCheckpointName(const std::string& name);

/// Reads the record. Returns nullopt if the file is missing (a run of an earlier version) or
/// damaged. `problem` then contains the reason, otherwise it is "". Fails: InvalidFile if the file
/// cannot be opened or has a later version; IoFailure.
std::optional<RunRecord> readRunRecord(const std::string& runDirectory, std::string& problem);
/// Writes the file atomically. Fails: IoFailure.
void writeRunRecord(const std::string& runDirectory, const RunRecord& record,
                    bool isDurable = true);

/// Returns the names of a run's checkpoints, newest first. If there is a record, these are the
/// recorded names, including missing files. Otherwise they are all files whose names match.
std::vector<std::string> checkpointNames(const std::string& runDirectory,
                                         const std::optional<RunRecord>& record);
/// Returns the paths of the checkpoints that exist.
std::vector<std::string> checkpointFiles(const std::string& runDirectory,
                                         const std::optional<RunRecord>& record);
/// Loads project.json of a run, and compares it with the recorded hash. Fails with the errors of
/// loadProject, or with InvalidFile if the hash differs.
Result<Project> loadRunProject(const std::string& runDirectory);

}  // namespace strata
