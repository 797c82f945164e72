// SPDX-License-Identifier: Apache-2.0
// Run directories on disk: their location, and the list of a project's runs with their results.
// README.md lists the files of a run. Not here: writing the other files (the rest of this folder,
// core/train/run_files.h).
// Thread: the functions only access the file system. The training thread holds a RunLock.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/project/project.h"
#include "core/runs/events.h"
#include "core/runs/run_environment.h"
#include "core/runs/run_marks.h"
#include "core/runs/run_record.h"

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

/// The smallest and the largest finite value of a validation metric, and their epochs. Ties belong
/// to the first epoch.
struct MetricRange {
  double smallest = 0, largest = 0;
  int64_t smallestEpoch = 0, largestEpoch = 0;
};

struct RunInfo {
  std::string directory;
  // The directory of the run among those of its project. It differs from `directory` if the run
  // went on elsewhere (moved_run.h). Only listRuns() knows it; otherwise it is `directory`.
  std::string listedAt;
  // The number in the directory's name; 0 if the name is not a number
  int number = 0;
  std::string projectName, device;
  RunStatus status = RunStatus::Interrupted;
  // The reason of the failure; "" unless the status is Failed
  std::string error;
  // Damaged files of the run and what is unknown without them, one sentence each
  std::vector<std::string> problems;
  // Time in UTC, such as "2026-11-21T19:05:00Z"
  std::string started;
  int64_t parameters = 0, batchSize = 0;
  // Number of trained steps
  int64_t steps = 0;
  // The last epoch that was trained to its end
  int64_t trainedEpochs = 0;
  // Planned numbers of steps and epochs
  int64_t totalSteps = 0, epochs = 0;
  double seconds = 0;
  uint64_t plannedPeakBytes = 0, peakBytes = 0;
  // The reason why the run ended early, such as a callback's name, or ""
  std::string endedBy;
  // The monitor and the epoch of the best weights that were restored at the end; "" if none were
  std::string restoredBy;
  int64_t restoredEpoch = 0;
  // The validation values are those of the restored epoch, or else of the last one.
  std::optional<double> testLoss, validationLoss;
  std::vector<std::pair<std::string, double>> testMetrics, validationMetrics;
  // The validation metrics of all epochs by name, including "loss"
  std::map<std::string, MetricRange, std::less<>> validationRanges;
  // Path and hash of the weights; both are "" if no weights were written
  std::string weightsPath, weightsHash;
  // What the devices did in the last process of the run, and the samples that it trained
  std::vector<DeviceSummary> devices;
  int64_t trainedSamples = 0;
  // The newest checkpoint, from which the run can continue, or ""; and its step. A run on a full
  // disk may have trained further.
  std::string checkpoint;
  int64_t checkpointStep = 0;
  // The run from which this one branched off; absent if it began at step 0
  std::optional<RunOrigin> origin;
  // What curves mark, in the order of the events
  std::vector<RunMark> marks;
  // The last values that the user gave to settings during the run
  std::map<std::string, double, std::less<>> settings;
  // The last start event, without metric names. Its memory plan contains only the bytes at the
  // peak.
  RunStart start;
};

/// Returns the folders that may contain runs of this project. The first one is next to the project
/// file. The second one is in the user's data folder (XDG_DATA_HOME/strata/runs), and its name
/// contains a hash of the project's absolute path.
std::vector<std::string> runFolders(const Project& project);
/// Returns the runs of a project, oldest first. Runs that went on in another folder have that
/// directory (moved_run.h). Damaged runs are listed with all values that can be
/// read.
std::vector<RunInfo> listRuns(const Project& project);
/// The directory of a run among those of its project, and its number there.
struct ListedRun {
  int number = 0;
  std::string directory;
};
/// Returns the directories that listRuns() reads, oldest first, without reading them.
std::vector<ListedRun> listedRuns(const Project& project);
/// Reads the values of a run. `project`, if not null, becomes the project of the run if it can be
/// read. Fails: InvalidFile if the directory is not a run.
RunInfo readRun(const std::string& directory, std::optional<Project>* project = nullptr);
/// Returns the project that the run in this directory trained. Its relative paths start at
/// `projectFile`, as during the run.
Result<Project> projectOfRun(const std::string& directory, const std::string& projectFile);

/// The folder among the runs of a project with those that the user deleted. Their names there begin
/// with their number and a dot. Not here: deleting (core/run_list/trash.h).
inline constexpr const char* kTrashFolder = ".trash";
/// Creates the next unused `<project stem>.runs/NNN`. Numbers of runs in the trash count as used.
/// If the project's folder is read-only, or its `.runs` is a link or belongs to another user,
/// creates `<stem>-<hash>.runs/NNN` in the user's data folder. All of these folders are OwnFolders.
/// The second case adds a warning. Fails: IoFailure.
std::string makeRunDirectory(const Project& project, std::vector<std::string>* warnings = nullptr);
/// Adds a run that was trained before the project had a file to the project's runs, as a note
/// (moved_run.h). The run stays in its directory. Keeps its number if it is the highest. Fails:
/// IoFailure.
void adoptRun(const Project& project, const std::string& directory);
/// Opens the directory of a run as an OwnFolder, so that it is one that only this user may write,
/// and not a link. With `makes`, makes it if it is missing. Fails as OwnFolder.
void requireOwnRunDirectory(const std::string& directory, bool makes);
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

}  // namespace strata
