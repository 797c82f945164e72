// SPDX-License-Identifier: Apache-2.0
// Run directories on disk: their location, their environment.json, and the list of a project's runs
// with their results. README.md lists the files of a run. Not here: writing the other files (the
// rest of this folder, core/train/run_files.h).
// Thread: the functions only access the file system. The training thread holds a RunLock.
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
  // A process holds the lock of the run.
  Running,
  Finished,
  Stopped,
  Failed,
  // There is no end event, and no process holds the lock. The process was killed, or the power
  // failed.
  Interrupted,
};
// Returns the name of a status, such as "finished".
std::string runStatusName(RunStatus status);

struct RunInfo {
  std::string directory;
  // The number in the directory's name; 0 if the name is not a number
  int number = 0;
  std::string projectName, device;
  RunStatus status = RunStatus::Interrupted;
  // The reason of the failure; "" unless the status is Failed
  std::string error;
  // Time in UTC, such as "2026-11-21T19:05:00Z"
  std::string started;
  int64_t parameters = 0, batchSize = 0;
  // Number of trained steps
  int64_t steps = 0;
  // Planned numbers of steps and epochs
  int64_t totalSteps = 0, epochs = 0;
  double seconds = 0;
  uint64_t plannedPeakBytes = 0, peakBytes = 0;
  std::optional<double> testLoss, validationLoss;
  std::vector<std::pair<std::string, double>> testMetrics, validationMetrics;
  // Path and hash of the weights; both are "" if no weights were written
  std::string weightsPath, weightsHash;
  // The newest checkpoint, from which the run can continue; "" if there is none
  std::string checkpoint;
  // The steps at which a setting was changed
  std::vector<int64_t> settingSteps;
  // The last start event, without metric names. Its memory plan contains only the bytes at the
  // peak.
  RunStart start;
};

/// Returns the folders that may contain runs of this project. The first one is next to the project
/// file. The second one is in the user's data folder (XDG_DATA_HOME/strata/runs), and its name
/// contains a hash of the project's absolute path.
std::vector<std::string> runFolders(const Project& project);
/// Returns the runs of a project, oldest first. Damaged runs are listed with all values that can be
/// read.
std::vector<RunInfo> listRuns(const Project& project);
/// Reads the values of a run. Fails: InvalidFile if the directory is not a run.
RunInfo readRun(const std::string& directory);
/// Returns the project that the run in this directory trained. Its relative paths start at
/// `projectFile`, as during the run.
Result<Project> projectOfRun(const std::string& directory, const std::string& projectFile);
/// Removes the directory and its contents. Fails: InvalidArgument if it is not a run or is being
/// trained; IoFailure.
void deleteRun(const std::string& directory);

/// Creates the next unused `<project stem>.runs/NNN`. If the project's folder is read-only, creates
/// `<stem>-<hash>.runs/NNN` in the user's data folder. Fails: IoFailure.
std::string makeRunDirectory(const Project& project);
/// Returns the run with the highest number, or "" if there is none.
std::string latestRunDirectory(const Project& project);
/// Whether the directory contains only files that are written before project.json, because the
/// process ended early. Such a directory contains no run that could be continued.
bool holdsNoRunYet(const std::string& directory);

/// Locks a run directory while a process trains in it, so that no other process can train there.
class RunLock {
 public:
  /// Takes the lock. Fails: InvalidArgument if another process holds the lock; IoFailure.
  explicit RunLock(const std::string& directory);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  int m_descriptor = -1;
};

/// The part of environment.json that is read again: the device, limits and overrides of a run. The
/// file also contains the program, the compiler and the time.
struct RunEnvironment {
  std::string device, processor;
  int threads = 0;
  // The option --steps of `strata train`
  std::optional<int64_t> maxSteps;
  // JSON pointers of project values that were overridden for this run
  std::vector<std::string> overrides = {};
};
void writeEnvironment(const std::string& directory, const RunEnvironment& environment);
/// Reads environment.json. If the file is missing, adds a warning. Fails: InvalidFile if the file
/// is damaged, because a run cannot continue correctly without it.
RunEnvironment readEnvironment(const std::string& directory, std::vector<std::string>& warnings);

}  // namespace strata
