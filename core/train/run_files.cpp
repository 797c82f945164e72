// SPDX-License-Identifier: Apache-2.0
#include "core/train/run_files.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <unistd.h>
#include <ext/stdio_filebuf.h>

#include <nlohmann/json.hpp>

#include "core/data/transforms.h"
#include "core/interchange/file_bytes.h"
#include "core/interchange/safetensors.h"
#include "core/project/json.h"
#include "core/project/seal.h"
#include "core/project/text.h"
#include "core/runs/own_file.h"
#include "gpu/base/error.h"
#include "gpu/graph/op.h"

namespace strata {

namespace fs = std::filesystem;

namespace {

/// Returns the settings that the user changed, according to the events after the first `bytes`
/// bytes of the file. Warns about damaged lines.
std::vector<LiveChange> changesBeyond(const std::string& path, uint64_t bytes,
                                      std::vector<std::string>& warnings) {
  std::vector<LiveChange> changes;
  std::ifstream events(path, std::ios::binary);
  events.seekg(static_cast<std::streamoff>(bytes));
  for (std::string line; std::getline(events, line);) {
    if (line.find("\"event\":\"setting\"") == std::string::npos) continue;
    try {
      const Json event = parseJson(line, path);
      if (event.contains("cause")) continue;
      if (!EventLog::isWhole(line)) throw Error(ErrorCode::InvalidFile, path, "");
      changes.push_back({event.at("step"), event.at("name"), event.at("value"), false});
    }
    catch (const std::exception&) {
      if (!events.eof())
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
  Json kernels = Json::array();
  const auto implementations = program.implementations();
  const Graph& graph = program.graph();
  for (size_t i = 0; i < implementations.size(); ++i) {
    if (implementations[i].empty()) continue;
    const Node& node = graph.node(graph.order()[i]);
    kernels.push_back(
        {{"op", node.op->name}, {"layer", node.layer}, {"implementation", implementations[i]}});
  }
  Json chosen = Json::object();
  for (const auto& [kernel, variant] : variants)
    chosen[kernel] = variant;
  return printSealed(Json{{"version", 1}, {"ways", chosen}, {"kernels", kernels}});
}

}  // namespace

RunFiles::RunFiles(std::string directory, bool isNew) : m_directory(std::move(directory)) {
  std::error_code error;
  if (isNew) fs::create_directories(m_directory, error);
  if (error)
    throw Error(ErrorCode::IoFailure, m_directory,
                "the run directory can't be created (" + error.message() +
                    "). Choose a folder you may write to.");
  m_directory = fs::absolute(m_directory).lexically_normal().string();
  m_lock = std::make_unique<RunLock>(m_directory);
  for (const char* name :
       {"events.jsonl", "history.bin", "weights.safetensors", "best.safetensors", "checkpoints"})
    if (isNew && fs::exists(fs::symlink_status(fs::path(m_directory) / name, error)))
      throw Error(ErrorCode::InvalidArgument, m_directory,
                  "already contains a run. Continue it with --resume, or name another directory.");
  clearTemporaries();
}

/// Removes temporary files of a killed process. Removes only files with names that this program
/// uses.
void RunFiles::clearTemporaries() const {
  static constexpr const char* kWhole[] = {
      "record.json",        "project.json", "environment.json",    "choices.json",
      "preprocessing.json", "profile.json", "weights.safetensors", "best.safetensors"};
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
  if (opening.checkpoint) m_record = readRunRecord(m_directory, problem).value_or(RunRecord());
  if (const Checkpoint* from = opening.checkpoint) {
    std::erase_if(m_record.checkpoints,
                  [&](const RecordedCheckpoint& each) { return each.step == from->step; });
    for (RecordedCheckpoint& each : m_record.checkpoints)
      each.isDropped = each.isDropped || each.step > from->step;
    m_record.checkpoints.push_back(
        {checkpointName(from->step), from->step, from->hash, false, false});
  }
  keepPreprocessing(opening, warnings);
  const std::string project = printJson(opening.project.document()), hash = hashOfBytes(project);
  // The previous content of project.json also stays valid until the file is replaced.
  if (std::find(m_record.projectHashes.begin(), m_record.projectHashes.end(), hash) ==
      m_record.projectHashes.end())
    m_record.projectHashes.push_back(hash);
  writeRunRecord(m_directory, m_record);
  writeFileAtomically((fs::path(m_directory) / "project.json").string(), project, Links::Replace);
  // The next save of the record writes this change.
  m_record.projectHashes = {hash};
}

/// Writes preprocessing.json for a new run. A continued run keeps this file. A missing or damaged
/// file is restored if the current data gives the same content.
void RunFiles::keepPreprocessing(const Opening& opening, std::vector<std::string>& warnings) {
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
    return;
  }
  if (hasRecord && today != m_record.preprocessingHash) {
    if (!m_record.preprocessingHash.empty())
      warnings.push_back(path +
                         ": is missing or damaged, and the current data would give a different "
                         "one. Restore it from a backup before predicting.");
    return;
  }
  m_record.preprocessingHash = today;
  if (today.empty()) {
    if (opening.checkpoint || found.empty()) return;
    // A run that was killed before it started left this file. It is removed only if it is a valid
    // preprocessing file.
    std::error_code error;
    (void)parsePreprocessing(parseJson(readFile(path, kMaxJsonBytes), path), path);
    fs::remove(path, error);
    return;
  }
  writeFileAtomically(path, opening.preprocessing, Links::Replace);
  if (opening.checkpoint)
    warnings.push_back(path + ": was missing or damaged, and was restored from the data.");
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
  const int descriptor = openOwnFile(path, kept);
  m_eventsDescriptor = descriptor;
  m_eventsBuffer = std::make_unique<__gnu_cxx::stdio_filebuf<char>>(
      descriptor, std::ios::out | std::ios::binary);
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
  writeEnvironment(m_directory, opening.environment);
  writeChoices(opening.step, opening.variants);
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
}

void RunFiles::writeChoices(const Program& step, const KernelVariants& variants) {
  writeFileAtomically((fs::path(m_directory) / "choices.json").string(), choicesOf(step, variants),
                      Links::Replace);
}

CheckpointSaved RunFiles::save(Checkpoint checkpoint, const TensorViews& tensors, bool isForced,
                               const std::vector<int64_t>& heldSteps) {
  const auto now = std::chrono::steady_clock::now();
  const bool isDurable = isForced || !m_lastDurable || now - *m_lastDurable >= kDurableInterval;
  if (isDurable)
    m_history->sync();
  else
    m_history->flush();
  m_eventsStream.flush();
  if (!m_eventsStream || (isDurable && ::fsync(m_eventsDescriptor) != 0))
    throw Error(
        ErrorCode::IoFailure, (fs::path(m_directory) / "events.jsonl").string(),
        "cannot be written (No space left on device?). Free some space and continue the run.");
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
  m_record.bestHash = metadata.at("hash");
  writeRunRecord(m_directory, m_record);
  std::string path = (fs::path(m_directory) / "best.safetensors").string();
  writeSafetensors(path, weights, metadata, true, Links::Replace);
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

void RunFiles::close() {
  m_events.reset();
  m_eventsStream.rdbuf(nullptr);
  m_eventsBuffer.reset();
  m_history.reset();
  m_lock.reset();
}

std::string RunFiles::lastCheckpoint() const {
  if (m_lastName.empty()) return {};
  return (fs::path(m_directory) / "checkpoints" / m_lastName).string();
}

}  // namespace strata
