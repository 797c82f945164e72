// SPDX-License-Identifier: Apache-2.0
#include "core/train/run_branch.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <map>
#include <system_error>

#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "core/evaluation/class_file.h"
#include "core/interchange/file_bytes.h"
#include "core/project/atomic_file.h"
#include "core/project/json.h"
#include "core/project/line_file.h"
#include "core/project/seal.h"
#include "core/runs/own_file.h"
#include "gpu/base/error.h"

namespace strata {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMaxValidationBytes = size_t{64} << 20;

// The last one makes a directory a run
constexpr const char* kWholeFiles[] = {"preprocessing.json", "choices.json", "memory.json",
                                       "environment.json", "project.json"};

using NamedValues = std::vector<std::pair<std::string, double>>;

/// Returns the results of validations by step, "loss" first.
std::map<int64_t, NamedValues> validationsIn(const std::string& runDirectory) {
  std::map<int64_t, NamedValues> validations;
  const std::string path = (fs::path(runDirectory) / "events.jsonl").string();
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return validations;
  LineFile events(path, kMaxValidationBytes);
  for (std::string line; events.next(line);) {
    if (line.find("\"val_loss\"") == std::string::npos) continue;
    try {
      const Json event = parseJson(line, path);
      const Json& step = memberOf(event, "step");
      const Json& loss = memberOf(event, "val_loss");
      if (!step.is_number_integer() || !loss.is_number()) continue;
      NamedValues values{{"loss", loss.get<double>()}};
      for (const auto& [name, value] : memberOf(event, "val_metrics").items())
        if (value.is_number()) values.emplace_back(name, value.get<double>());
      validations.insert_or_assign(step.get<int64_t>(), std::move(values));
    }
    catch (const std::exception&) {
      // A damaged line has no results
    }
  }
  return validations;
}

int64_t writtenAt(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? int64_t{status.st_mtim.tv_sec} : 0;
}

/// Copies the first `bytes` bytes of a file, or fewer if it is shorter. Does nothing if the file is
/// missing.
void copyBegin(const fs::path& from, const fs::path& to, uint64_t bytes) {
  std::error_code error;
  if (!fs::is_regular_file(from, error)) return;
  FileBytes file(from.string());
  AtomicFile copy(to.string(), Links::Replace);
  std::array<char, size_t{1} << 16> buffer;
  for (uint64_t at = 0, end = std::min<uint64_t>(bytes, file.size()); at < end;) {
    const size_t count = std::min<uint64_t>(buffer.size(), end - at);
    file.read(buffer.data(), count, at);
    copy.write(std::string_view(buffer.data(), count));
    at += count;
  }
  copy.commit();
}

}  // namespace

std::vector<ListedCheckpoint> listCheckpoints(const std::string& runDirectory) {
  const std::string folder = (fs::path(runDirectory) / "checkpoints").string();
  if (!requireOwnFolder(folder)) return {};
  std::string problem;
  const std::map<int64_t, NamedValues> validations = validationsIn(runDirectory);
  std::vector<ListedCheckpoint> list;
  for (const std::string& path :
       checkpointFiles(runDirectory, readRunRecord(runDirectory, problem))) {
    ListedCheckpoint each;
    each.path = path;
    each.step = stepOfCheckpointName(fs::path(path).filename().string()).value_or(0);
    std::error_code error;
    each.bytes = fs::file_size(path, error);
    each.savedAt = writtenAt(path);
    if (const auto found = validations.find(each.step); found != validations.end())
      each.validation = found->second;
    try {
      const Checkpoint header = checkpointOf(openSafetensors(path)->metadata(), path);
      // At the end of an epoch, the position is already that of the next one
      each.epoch = header.stepInEpoch > 0 ? header.epoch : std::max<int64_t>(1, header.epoch - 1);
    }
    catch (const Error&) {
      // Loading it says what is wrong
    }
    list.push_back(std::move(each));
  }
  return list;
}

/// Copies what the run has up to the checkpoint. project.json comes last.
static void copyUpTo(const Checkpoint& checkpoint, const fs::path& from, const fs::path& to) {
  const std::string name = checkpointName(checkpoint.step);
  if (::mkdir((to / "checkpoints").c_str(), 0700) != 0)
    throw Error(ErrorCode::IoFailure, (to / "checkpoints").string(),
                "cannot be written (" + std::generic_category().message(errno) +
                    "). Choose another directory with --run-dir.");
  copyBegin(from / "checkpoints" / name, to / "checkpoints" / name, UINT64_MAX);
  std::error_code error;
  if (!fs::exists(to / "checkpoints" / name, error))
    throw Error(ErrorCode::IoFailure, (from / "checkpoints" / name).string(),
                "was removed meanwhile. Choose another checkpoint.");
  copyBegin(from / "history.bin", to / "history.bin", checkpoint.historyBytes);
  copyBegin(from / "events.jsonl", to / "events.jsonl", checkpoint.eventBytes);
  // The new run cuts it after the checkpoint
  copyBegin(from / kClassFile, to / kClassFile, UINT64_MAX);
  for (const char* file : kWholeFiles)
    copyBegin(from / file, to / file, UINT64_MAX);
}

void branchRun(const std::string& source, const Checkpoint& checkpoint, const std::string& target) {
  const fs::path from = source, to = target;
  std::string problem;
  std::error_code error;
  RunRecord record;
  if (const auto own = readRunRecord(source, problem)) {
    record.projectHashes = own->projectHashes;
    record.preprocessingHash = own->preprocessingHash;
  }
  else if (const fs::path kept = from / "preprocessing.json"; fs::is_regular_file(kept, error)) {
    // Without a record, the copy is the only one that the new run can compare with
    record.preprocessingHash = hashOfBytes(readFile(kept.string(), kMaxJsonBytes));
  }
  record.checkpoints = {
      {checkpointName(checkpoint.step), checkpoint.step, checkpoint.hash, false, false}};
  record.origin = RunOrigin{fs::absolute(from).lexically_normal().string(), checkpoint.step};
  if (record.projectHashes.empty())
    record.projectHashes = {hashOfBytes(readFile((from / "project.json").string(), kMaxJsonBytes))};
  try {
    writeRunRecord(target, record);
    copyUpTo(checkpoint, from, to);
  }
  catch (...) {
    // The directory can be used again
    for (const char* file : {"record.json", "history.bin", "events.jsonl", kClassFile})
      fs::remove(to / file, error);
    for (const char* file : kWholeFiles)
      fs::remove(to / file, error);
    fs::remove_all(to / "checkpoints", error);
    throw;
  }
}

}  // namespace strata
