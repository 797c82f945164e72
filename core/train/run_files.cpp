// SPDX-License-Identifier: Apache-2.0
#include "core/train/run_files.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "core/cost/kernel_choices_file.h"
#include "core/interchange/file_bytes.h"
#include "core/interchange/safetensors.h"
#include "core/project/json.h"
#include "core/project/line_file.h"
#include "core/project/seal.h"
#include "core/project/text.h"
#include "core/runs/moved_run.h"
#include "core/runs/own_file.h"
#include "gpu/base/error.h"
#include "gpu/base/log.h"
#include "gpu/graph/op.h"

namespace strata {

namespace fs = std::filesystem;

namespace {

// The start event lists the memory of every layer
constexpr size_t kMaxEventBytes = size_t{64} << 20;

/// Returns the settings that the user changed, according to the events after the first `bytes`
/// bytes of the file. Warns about damaged lines.
std::vector<LiveChange> changesBeyond(const std::string& path, uint64_t bytes,
                                      std::vector<std::string>& warnings) {
  std::vector<LiveChange> changes;
  LineFile events(path, kMaxEventBytes, bytes);
  for (std::string line; events.next(line);) {
    if (line.find("\"event\":\"setting\"") == std::string::npos) continue;
    try {
      const Json event = parseJson(line, path);
      if (event.contains("cause")) continue;
      if (!EventLog::isWhole(line)) throw Error(ErrorCode::InvalidFile, path, "");
      changes.push_back({event.at("step"), event.at("name"), event.at("value"), false});
    }
    catch (const std::exception&) {
      if (!events.isCutOff())
        warnings.push_back(path + ": a changed setting in this file is damaged and ignored: " +
                           excerpt(line, 100));
    }
  }
  return changes;
}

/// Returns the number of bytes up to the end of the last complete line within the first `size`
/// bytes.
uint64_t wholeLines(const std::string& path, uint64_t size) {
  if (size == 0) return 0;
  FileBytes file(path);
  uint64_t end = std::min(size, file.size());
  for (char last = 0; end > 0; --end) {
    file.read(&last, 1, end - 1);
    if (last == '\n') break;
  }
  return end;
}

// Minimum time between checkpoints that survive a power failure, because each of them waits for the
// disk twice. Other checkpoints survive only the end of the process.
constexpr std::chrono::seconds kDurableInterval{1};

std::string choicesOf(const Program& program, const KernelVariants& variants) {
  std::vector<UsedKernel> kernels;
  const auto implementations = program.implementations();
  const Graph& graph = program.graph();
  for (size_t i = 0; i < implementations.size(); ++i) {
    if (implementations[i].empty()) continue;
    const Node& node = graph.node(graph.order()[i]);
    kernels.push_back({node.op->name, node.layer, implementations[i]});
  }
  return printChoices(variants, kernels);
}

constexpr const char* kMovedFiles[] = {
    "record.json",        "environment.json", "choices.json", "memory.json",      "project.json",
    "preprocessing.json", "events.jsonl",     "history.bin",  "best.safetensors", "notes.json",
    "trace.bin",          kLayerFile,         kKeptBatchFile, kClassFile};

/// Copies a file if it exists. Does nothing after an error.
void copyIfThere(const fs::path& from, const fs::path& to, std::error_code& error) {
  if (error) return;
  const fs::file_status status = fs::status(from, error);
  if (status.type() == fs::file_type::not_found) error.clear();
  if (!error && fs::is_regular_file(status))
    fs::copy_file(from, to, fs::copy_options::overwrite_existing, error);
}

/// Copies the files of a run to its new folder. Fails: IoFailure.
void copyRun(const fs::path& from, const fs::path& to, const RunRecord& record) {
  std::error_code error;
  for (const char* name : kMovedFiles)
    copyIfThere(from / name, to / name, error);
  const fs::path checkpoints = to / "checkpoints";
  if (!error && ::mkdir(checkpoints.c_str(), 0700) != 0)
    error = std::error_code(errno, std::generic_category());
  for (const RecordedCheckpoint& each : record.checkpoints)
    if (!each.isPending)
      copyIfThere(from / "checkpoints" / each.name, checkpoints / each.name, error);
  if (error)
    throw Error(ErrorCode::IoFailure, to.string(),
                "cannot be written (" + error.message() + "). Choose another folder.");
}

/// Removes what copyRun() has written, so that the folder can be chosen again.
void removeCopy(const fs::path& to) {
  std::error_code error;
  for (const char* name : kMovedFiles)
    fs::remove(to / name, error);
  fs::remove_all(to / "checkpoints", error);
}

}  // namespace

RunFiles::RunFiles(std::string directory, bool isNew)
    : m_directory(std::move(directory)), m_isNew(isNew) {
  // The mode of a refused directory stays the same
  struct stat status {};
  if (isNew && ::lstat(m_directory.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
      status.st_uid == ::geteuid())
    requireUnused();
  requireOwnRunDirectory(m_directory, isNew);
  m_directory = fs::absolute(m_directory).lexically_normal().string();
  m_lock = std::make_unique<RunLock>(m_directory);
  if (isNew) requireUnused();
  clearTemporaries();
}

/// Refuses the directory of a new run if it contains another run, or files that would be replaced
/// although no run wrote them.
void RunFiles::requireUnused() const {
  std::error_code error;
  const auto exists = [&](const char* name) {
    return fs::exists(fs::symlink_status(fs::path(m_directory) / name, error));
  };
  for (const char* name : {"events.jsonl", "history.bin", "weights.safetensors", "best.safetensors",
                           "checkpoints", kLayerFile, kKeptBatchFile, kClassFile})
    if (exists(name))
      throw Error(ErrorCode::InvalidArgument, m_directory,
                  "already contains a run. Continue it with --resume, or name another directory.");
  requireRecorded();
}

/// Refuses the directory of a run without results if it contains files that would be replaced, but
/// that no run wrote. A run that was killed before its first step has recorded its files.
void RunFiles::requireRecorded() const {
  std::string problem;
  const std::optional<RunRecord> record = readRunRecord(m_directory, problem);
  std::error_code error;
  for (const char* name :
       {"record.json", "project.json", "environment.json", "choices.json", "memory.json",
        "preprocessing.json", "profile.json", "notes.json", "trace.bin"})
    if (fs::exists(fs::symlink_status(fs::path(m_directory) / name, error)) &&
        !isRecorded(name, record ? &*record : nullptr))
      throw Error(ErrorCode::InvalidArgument, (fs::path(m_directory) / name).string(),
                  "is in the way of a file of the run, but no run recorded it. Move it away, or "
                  "name another directory with --run-dir.");
}

/// Whether a run wrote this file of its directory: the record has its hash, or the file has a seal.
bool RunFiles::isRecorded(const std::string& name, const RunRecord* record) const {
  const std::string path = (fs::path(m_directory) / name).string();
  try {
    if (name == "record.json") return record;
    if (name == "environment.json" || name == "choices.json" || name == "memory.json")
      return sealOf(parseJson(readFile(path, kMaxJsonBytes), path)) == Seal::Whole;
    if (!record || name == "profile.json" || name == "notes.json" || name == "trace.bin")
      return record;
    const std::string hash = hashOfBytes(readFile(path, kMaxJsonBytes));
    if (name == "preprocessing.json") return hash == record->preprocessingHash;
    const std::vector<std::string>& hashes = record->projectHashes;
    return name == "project.json" && std::find(hashes.begin(), hashes.end(), hash) != hashes.end();
  }
  catch (const Error&) {
    return false;
  }
}

/// Removes temporary files of a killed process. Removes only files with names that this program
/// uses.
void RunFiles::clearTemporaries() const {
  static constexpr const char* kWhole[] = {
      "record.json",        "project.json",  "environment.json",    "choices.json",
      "preprocessing.json", "profile.json",  "weights.safetensors", "best.safetensors",
      "moved.json",         "identity.json", "notes.json",          "memory.json",
      "trace.bin",          kLayerFile,      kKeptBatchFile,        kClassFile};
  const auto isOurs = [](const std::string& name) {
    return std::any_of(std::begin(kWhole), std::end(kWhole),
                       [&](const char* whole) { return isTemporaryOf(name, whole); });
  };
  const auto isCheckpoints = [](const std::string& name) {
    const size_t end = name.find(".safetensors.");
    const std::string target =
        end == std::string::npos ? std::string() : name.substr(0, end) + ".safetensors";
    return stepOfCheckpointName(target) && isTemporaryOf(name, target);
  };
  const auto clear = [](const fs::path& folder, const auto& isTemporary) {
    std::error_code error;
    std::vector<fs::path> found;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
      if (isTemporary(it->path().filename().string())) found.push_back(it->path());
    for (const fs::path& file : found)
      fs::remove(file, error);
  };
  clear(m_directory, isOurs);
  if (const fs::path folder = fs::path(m_directory) / "checkpoints";
      requireOwnFolder(folder.string()))
    clear(folder, isCheckpoints);
}

/// Writes record.json and project.json. The record contains the hash of the project and, if the run
/// continues, the checkpoint from which it continues.
void RunFiles::beginRecord(const Opening& opening, std::vector<std::string>& warnings) {
  std::string problem;
  std::optional<RunRecord> found;
  if (opening.checkpoint) found = readRunRecord(m_directory, problem);
  for (const auto& [name, isMissing] :
       {std::pair("weights.safetensors", found && !found->weightsStep),
        std::pair("best.safetensors", found && found->bestHash.empty())}) {
    std::error_code error;
    const fs::path file = fs::path(m_directory) / name;
    if (isMissing && fs::exists(fs::symlink_status(file, error)))
      throw Error(
          ErrorCode::InvalidFile, file.string(),
          "is in the way of the weights of the run, which has recorded none. Move it away.");
  }
  m_record = found.value_or(RunRecord());
  if (const Checkpoint* from = opening.checkpoint) {
    std::erase_if(m_record.checkpoints,
                  [&](const RecordedCheckpoint& each) { return each.step == from->step; });
    for (RecordedCheckpoint& each : m_record.checkpoints)
      each.isDropped = each.isDropped || each.step > from->step;
    m_record.checkpoints.push_back(
        {checkpointName(from->step), from->step, from->hash, false, false});
  }
  const bool writesPreprocessing = keepPreprocessing(opening, warnings);
  const std::string project = printJson(opening.project.document()), hash = hashOfBytes(project);
  // The previous content of project.json also stays valid until the file is replaced.
  if (std::find(m_record.projectHashes.begin(), m_record.projectHashes.end(), hash) ==
      m_record.projectHashes.end())
    m_record.projectHashes.push_back(hash);
  writeRunRecord(m_directory, m_record);
  if (writesPreprocessing)
    writeFileAtomically((fs::path(m_directory) / "preprocessing.json").string(),
                        opening.preprocessing, Links::Replace);
  writeFileAtomically((fs::path(m_directory) / "project.json").string(), project, Links::Replace);
  // The next save of the record writes this change.
  m_record.projectHashes = {hash};
}

/// Records preprocessing.json, and returns whether it must be written. A continued run keeps this
/// file. A missing or damaged file is restored if the current data give the same content.
bool RunFiles::keepPreprocessing(const Opening& opening, std::vector<std::string>& warnings) {
  const std::string path = (fs::path(m_directory) / "preprocessing.json").string();
  const bool hasRecord = opening.checkpoint && !m_record.projectHashes.empty();
  const std::string today =
      opening.preprocessing.empty() ? std::string() : hashOfBytes(opening.preprocessing);
  std::string found;
  try {
    found = hashOfBytes(readFile(path, kMaxJsonBytes));
  }
  catch (const Error&) {
    // The file is missing or cannot be read, so `found` stays empty.
  }
  if (opening.checkpoint && (hasRecord ? found == m_record.preprocessingHash : !found.empty())) {
    m_record.preprocessingHash = found;
    return false;
  }
  if (hasRecord && today != m_record.preprocessingHash) {
    if (!m_record.preprocessingHash.empty())
      warnings.push_back(path +
                         ": is missing or damaged, and the current data would give a different "
                         "one. Restore it from a backup before predicting.");
    return false;
  }
  m_record.preprocessingHash = today;
  if (today.empty()) {
    if (opening.checkpoint || found.empty()) return false;
    // A run that was killed before it started left this file and recorded it.
    std::error_code error;
    fs::remove(path, error);
    return false;
  }
  if (opening.checkpoint)
    warnings.push_back(path + ": was missing or damaged, and was restored from the data.");
  return true;
}

void RunFiles::openEvents(const Checkpoint* checkpoint, std::vector<std::string>& warnings) {
  const std::string path = (fs::path(m_directory) / "events.jsonl").string();
  std::error_code error;
  uint64_t kept = 0;
  if (checkpoint) {
    const bool isThere = fs::is_regular_file(path, error);
    const uint64_t size = isThere ? FileBytes(path).size() : 0;
    kept = std::min(size, checkpoint->eventBytes);
    if (size > kept) m_cutChanges = changesBeyond(path, kept, warnings);
    if (size < checkpoint->eventBytes) {
      kept = wholeLines(path, size);
      warnings.push_back(path + ": is " + (isThere ? "truncated" : "missing") +
                         ", so some events of the run are lost. Training is not affected.");
    }
  }
  m_eventsBuffer = std::make_unique<OwnFileBuffer>(openOwnFile(path, kept));
  m_eventsStream.rdbuf(m_eventsBuffer.get());
  m_events = std::make_unique<EventLog>(m_eventsStream, false);
  if (!checkpoint) return;
  // The event of the checkpoint was written after the part of the file that is kept, so it is
  // written again.
  CheckpointSaved saved;
  saved.step = checkpoint->step;
  saved.path = checkpointPath(m_directory, checkpoint->step);
  saved.bytes = fs::file_size(saved.path, error);
  const DiskUse use = diskUse();
  saved.diskBytes = use.allBytes;
  saved.files = use.files;
  m_events->onCheckpoint(saved);
}

void RunFiles::open(const Opening& opening, std::vector<std::string>& warnings) {
  // A run of an earlier version may have lost its record, or have none
  if (!opening.checkpoint && !m_isNew && !isRecorded("environment.json", nullptr))
    requireRecorded();
  writeEnvironment(m_directory, opening.environment);
  writeChoices(opening.step, opening.variants);
  writeStepMemory(m_directory, opening.memory);
  beginRecord(opening, warnings);
  openEvents(opening.checkpoint, warnings);
  const std::string historyPath = (fs::path(m_directory) / "history.bin").string();
  if (const Checkpoint* from = opening.checkpoint) {
    std::string warning;
    m_history = std::make_unique<HistoryWriter>(
        historyPath, opening.metricNames,
        HistoryWriter::Place{from->historyBytes, from->historyHash, from->step}, warning);
    if (!warning.empty()) warnings.push_back(std::move(warning));
  }
  else {
    m_history = std::make_unique<HistoryWriter>(historyPath, opening.metricNames);
  }
  std::optional<int64_t> lastStep;
  if (opening.checkpoint) lastStep = opening.checkpoint->step;
  try {
    m_classes.emplace((fs::path(m_directory) / kClassFile).string(), lastStep);
  }
  catch (const Error& error) {
    // The run does not depend on them
    warnings.push_back(error.line() + " The accuracy of each class is not saved.");
  }
}

void RunFiles::writeChoices(const Program& step, const KernelVariants& variants) {
  writeFileAtomically((fs::path(m_directory) / "choices.json").string(), choicesOf(step, variants),
                      Links::Replace);
}

bool RunFiles::hasLayers() const { return fs::exists(fs::path(m_directory) / kLayerFile); }

void RunFiles::openLayers(std::shared_ptr<const WatchedLayers> layers,
                          std::optional<int64_t> lastStep, std::string& warning) {
  const std::string path = (fs::path(m_directory) / kLayerFile).string();
  m_layers = lastStep
                 ? std::make_unique<LayerFileWriter>(path, std::move(layers), *lastStep, warning)
                 : std::make_unique<LayerFileWriter>(path, std::move(layers));
}

KeptBatch RunFiles::keepBatch(KeptBatch batch, const TensorViews& tensors) {
  batch.path = (fs::path(m_directory) / kKeptBatchFile).string();
  const TensorViews all = tensorsOf(batch, tensors);
  batch.hash = weightsHash(all);
  m_record.badBatchStep = batch.step;
  m_record.badBatchHash = batch.hash;
  writeRunRecord(m_directory, m_record);
  writeKeptBatch(batch.path, batch, all);
  for (const auto& [name, view] : tensors)
    batch.tensors.push_back(name);
  return batch;
}

void RunFiles::saveLogs(bool isDurable) {
  if (isDurable)
    m_history->sync();
  else
    m_history->flush();
  // After a failure, the stream tries again.
  m_eventsStream.clear();
  m_eventsStream.flush();
  if (!m_eventsStream || (isDurable && ::fsync(m_eventsBuffer->descriptor()) != 0))
    throw Error(
        ErrorCode::IoFailure, (fs::path(m_directory) / "events.jsonl").string(),
        "cannot be written (No space left on device?). Free some space and continue the run.");
}

CheckpointSaved RunFiles::save(Checkpoint checkpoint, const TensorViews& tensors, bool isForced,
                               const std::vector<int64_t>& heldSteps) {
  const auto now = std::chrono::steady_clock::now();
  const bool isDurable = isForced || !m_lastDurable || now - *m_lastDurable >= kDurableInterval;
  saveLogs(isDurable);
  checkpoint.historyBytes = m_history->bytes();
  checkpoint.historyHash = m_history->hash();
  checkpoint.eventBytes = static_cast<uint64_t>(m_eventsStream.tellp());
  std::vector<std::string> keep{m_durableName};
  for (const int64_t step : heldSteps)
    keep.push_back(checkpointName(step));
  CheckpointSaved saved =
      saveCheckpoint(m_directory, checkpoint, tensors, m_record, isDurable, keep);
  m_lastName = checkpointName(checkpoint.step);
  if (isDurable) {
    m_lastDurable = now;
    m_durableName = m_lastName;
  }
  return saved;
}

std::string RunFiles::saveBest(const TensorViews& weights, const std::string& project, int64_t step,
                               const std::string& monitor, double value) {
  const std::map<std::string, std::string> metadata{
      {"format", "strata-weights"},   {"project", project}, {"step", std::to_string(step)},
      {"hash", weightsHash(weights)}, {"monitor", monitor}, {"value", Json(value).dump()}};
  std::string path = (fs::path(m_directory) / "best.safetensors").string();
  const std::string before = std::exchange(m_record.bestHash, metadata.at("hash"));
  try {
    writeRunRecord(m_directory, m_record);
    writeSafetensors(path, weights, metadata, true, Links::Replace);
  }
  catch (...) {
    // The former file stays
    m_record.bestHash = before;
    throw;
  }
  return path;
}

std::string RunFiles::bestPath(std::string& warning) const {
  std::string path = (fs::path(m_directory) / "best.safetensors").string();
  std::error_code error;
  if (m_record.bestHash.empty() && !fs::exists(path, error)) return {};
  try {
    const auto weights = openSafetensors(path);
    if (m_record.bestHash.empty() || weightsHash(*weights) == m_record.bestHash) return path;
    warning =
        path +
        ": is damaged or belongs to another run (its hash differs). The checkpoints are intact.";
  }
  catch (const Error& failure) {
    warning = failure.line();
  }
  return {};
}

/// Writes the last checkpoint to the disk. If the weights survive a power failure, the run must
/// also be able to continue.
void RunFiles::makeLastCheckpointDurable() const {
  if (m_lastName.empty() || m_lastName == m_durableName) return;
  const fs::path file = fs::path(m_directory) / "checkpoints" / m_lastName;
  if (::fsync(RegularFile(file.string()).descriptor()) != 0)
    throw Error(ErrorCode::IoFailure, file.string(),
                "cannot be written to disk (" + std::generic_category().message(errno) +
                    "). Free some space and continue the run.");
  syncFolder(file.parent_path().string());
}

std::string RunFiles::saveWeights(const TensorViews& weights, const std::string& project,
                                  int64_t step, const std::string& hash) {
  const std::map<std::string, std::string> metadata{{"format", "strata-weights"},
                                                    {"project", project},
                                                    {"step", std::to_string(step)},
                                                    {"hash", hash}};
  makeLastCheckpointDurable();
  m_record.weightsStep = step;
  writeRunRecord(m_directory, m_record);
  std::string path = (fs::path(m_directory) / "weights.safetensors").string();
  writeSafetensors(path, weights, metadata, true, Links::Replace);
  return path;
}

void RunFiles::moveTo(const std::string& parent) {
  const fs::path from = m_directory, to = fs::path(parent) / from.filename();
  RunFiles other(to.string(), true);
  const std::string history = (to / "history.bin").string(), layers = (to / kLayerFile).string();
  std::vector<int> opened;
  try {
    copyRun(from, to, m_record);
    opened.push_back(openOwnFile((to / "events.jsonl").string(), m_eventsBuffer->written()));
    opened.push_back(m_history->openCopy(history));
    if (m_layers) opened.push_back(m_layers->openCopy(layers));
  }
  catch (...) {
    for (const int descriptor : opened)
      ::close(descriptor);
    removeCopy(to);
    throw;
  }
  // From here on nothing fails
  m_eventsBuffer->moveTo(opened[0]);
  m_history->moveTo(history, opened[1]);
  if (m_layers) m_layers->moveTo(layers, opened[2]);
  if (m_classes) m_classes->moveTo((to / kClassFile).string());
  m_directory = std::move(other.m_directory);
  m_lock = std::move(other.m_lock);
  if (!noteMove(from.string(), m_directory))
    logLine(LogLevel::Warning, from.string() + ": cannot note that the run goes on in " +
                                   m_directory + ". Open that folder to continue it.");
}

void RunFiles::close() {
  m_events.reset();
  m_eventsStream.rdbuf(nullptr);
  m_eventsBuffer.reset();
  m_history.reset();
  m_layers.reset();
  m_lock.reset();
}

std::string RunFiles::lastCheckpoint() const {
  std::string name = m_lastName;
  // A continued run that has not saved one yet has the one from which it continued
  for (const RecordedCheckpoint& each : m_record.checkpoints)
    if (m_lastName.empty() && !each.isPending && !each.isDropped) name = each.name;
  return name.empty() ? name : (fs::path(m_directory) / "checkpoints" / name).string();
}

}  // namespace strata
