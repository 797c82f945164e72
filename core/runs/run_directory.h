// SPDX-License-Identifier: Apache-2.0
// Run directories on disk: where they are, their environment.json, and the list of the runs of a
// project with their results. README.md lists the files of a run. Not here: writing the other files
// (the rest of this folder, core/train/run_files.h).
// Thread: pure functions on the file system; the thread that trains holds a RunLock.
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
  // A process holds its lock
  Running,
  Finished,
  Stopped,
  Failed,
  // No end event, and no process holds the lock: killed, or a power failure
  Interrupted,
};
// "finished", ...
std::string runStatusName(RunStatus status);

struct RunInfo {
  std::string directory;
  // The number NNN; 0 where the directory has another name
  int number = 0;
  std::string projectName, device;
  RunStatus status = RunStatus::Interrupted;
  // Set where the status is Failed
  std::string error;
  // UTC, "2026-11-21T19:05:00Z"
  std::string started;
  int64_t parameters = 0, batchSize = 0;
  // Trained so far
  int64_t steps = 0;
  // Planned
  int64_t totalSteps = 0, epochs = 0;
  double seconds = 0;
  uint64_t plannedPeakBytes = 0, peakBytes = 0;
  std::optional<double> testLoss, validationLoss;
  std::vector<std::pair<std::string, double>> testMetrics, validationMetrics;
  // "" where no weights were written
  std::string weightsPath, weightsHash;
  // The newest checkpoint, from which the run can continue; "" none
  std::string checkpoint;
  // The steps at which a setting was changed
  std::vector<int64_t> settingSteps;
  // The last start event, without metric names; its memory plan has only the bytes at the peak
  RunStart start;
};

/// Folders that may contain runs of this project only: one next to its file, then one in the user's
/// data folder (XDG_DATA_HOME/strata/runs) whose name contains a hash of the project's absolute
/// path.
std::vector<std::string> runFolders(const Project& project);
/// Runs of the project, oldest first. Damaged runs are listed with what can be read of them.
std::vector<RunInfo> listRuns(const Project& project);
/// Fails: InvalidFile where the directory is not a run.
RunInfo readRun(const std::string& directory);
/// The project that the run in this directory trained. Its relative paths start at `projectFile`,
/// as they did in the run.
Result<Project> projectOfRun(const std::string& directory, const std::string& projectFile);
/// Removes the directory and its contents. Fails: InvalidArgument where it is not a run or is being
/// trained; IoFailure.
void deleteRun(const std::string& directory);

/// Creates the next free `<project stem>.runs/NNN`, or `<stem>-<hash>.runs/NNN` in the user's data
/// folder where the project's folder is read-only. Fails: IoFailure.
std::string makeRunDirectory(const Project& project);
/// The run of the project with the highest number; "" if there is none.
std::string latestRunDirectory(const Project& project);
/// True for a folder whose process ended before it wrote project.json: it has nothing to continue
/// from and nothing to lose.
bool holdsNoRunYet(const std::string& directory);

/// Locks a run directory while a process trains in it, so that no second process does.
class RunLock {
 public:
  /// Fails: InvalidArgument where another process holds it; IoFailure.
  explicit RunLock(const std::string& directory);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  int m_descriptor = -1;
};

/// The device and limits of a run; environment.json also has the program, compiler and time.
struct RunEnvironment {
  std::string device, processor;
  int threads = 0;
  // The option --steps of train
  std::optional<int64_t> maxSteps;
  // JSON pointers of project values that were overridden for this run
  std::vector<std::string> overrides = {};
};
void writeEnvironment(const std::string& directory, const RunEnvironment& environment);
/// A missing file is a warning. Fails: InvalidFile where the file is damaged, since it decides how
/// a run continues.
RunEnvironment readEnvironment(const std::string& directory, std::vector<std::string>& warnings);

}  // namespace strata
