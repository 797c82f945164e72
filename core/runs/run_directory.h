// SPDX-License-Identifier: Apache-2.0
// Run directories on disk: where they lie, what they hold, and the list of a project's runs with
// their key figures.
//   project.json (as run)  record.json (hashes)  events.jsonl (rare events)  history.bin (every step)  environment.json
//   choices.json  preprocessing.json  checkpoints/  weights.safetensors  best.safetensors  profile.json (where measured)
// Thread: pure functions on the file system; a RunLock is held by the thread that trains.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/project/project.h"
#include "core/runs/events.h"

namespace strata {

enum class RunStatus : uint8_t {
  // A process holds it
  Running,
  Finished,
  Stopped,
  Failed,
  // No end was written and nobody holds it: killed, or a power cut
  Interrupted,
};
// "finished", ...
std::string runStatusName(RunStatus status);

struct RunInfo {
  std::string directory;
  // Of NNN; 0 where the directory has another name
  int number = 0;
  std::string projectName, device;
  RunStatus status = RunStatus::Interrupted;
  // Of Failed
  std::string error;
  // UTC, "2026-11-21T19:05:00Z"
  std::string started;
  int64_t parameters = 0, batchSize = 0;
  // Done, planned, planned
  int64_t steps = 0, totalSteps = 0, epochs = 0;
  double seconds = 0;
  uint64_t plannedPeakBytes = 0, peakBytes = 0;
  std::optional<double> testLoss, validationLoss;
  std::vector<std::pair<std::string, double>> testMetrics, validationMetrics;
  // "" where none was written
  std::string weightsPath, weightsHash;
  // Newest, "" where none: what Continue starts from
  std::string checkpoint;
  // From which on a live setting was another
  std::vector<int64_t> settingSteps;
  // What it told at its last start; without names of metrics, of its memory plan what is live at
  // the peak
  RunStart start;
};

/// Folders that may hold runs of this project and of no other: beside the file, then one in the
/// user's data folder (XDG_DATA_HOME/strata/runs) whose name holds a hash of the project's absolute
/// path.
std::vector<std::string> runFolders(const Project& project);
/// Runs of the project, oldest first. Damaged ones are listed with what can be read.
std::vector<RunInfo> listRuns(const Project& project);
/// Fails: InvalidFile where the directory is no run.
RunInfo readRun(const std::string& directory);
/// The project as the run in this directory trained it; relative paths in it start at
/// `projectFile`, as they did.
Result<Project> projectOfRun(const std::string& directory, const std::string& projectFile);
/// Removes the directory with all it holds. Fails: InvalidArgument where it is no run or is being
/// trained; IoFailure.
void deleteRun(const std::string& directory);

/// The next free `<project stem>.runs/NNN` (or `<stem>-<hash>.runs/NNN` in the user's data folder
/// where that place is read-only); made on disk. Fails: IoFailure.
std::string makeRunDirectory(const Project& project);
/// The highest run of the project; "" where none.
std::string latestRunDirectory(const Project& project);
/// True for a folder that a process made for a run and died in before project.json was written:
/// there is nothing in it to go on from or to lose.
bool holdsNoRunYet(const std::string& directory);

/// Held while a run is trained, so that no second process trains into the same directory.
class RunLock {
 public:
  /// Fails: InvalidArgument where another holds it; IoFailure.
  explicit RunLock(const std::string& directory);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  int m_descriptor = -1;
};

/// What a run ran on and under which limits; environment.json adds program, compiler and time.
struct RunEnvironment {
  std::string device, processor;
  int threads = 0;
  // Of train --steps
  std::optional<int64_t> maxSteps;
  // JSON pointers of the project that were set for this run alone
  std::vector<std::string> overrides = {};
};
void writeEnvironment(const std::string& directory, const RunEnvironment& environment);
/// A lost file is a warning. Fails: InvalidFile where it is damaged, since it decides how a run
/// goes on.
RunEnvironment readEnvironment(const std::string& directory, std::vector<std::string>& warnings);

}  // namespace strata
