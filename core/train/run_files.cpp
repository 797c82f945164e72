// SPDX-License-Identifier: Apache-2.0
#include "core/train/run_files.h"

#include <filesystem>

#include <nlohmann/json.hpp>

#include "core/project/atomic_file.h"
#include "core/project/json.h"
#include "gpu/base/error.h"
#include "gpu/graph/op.h"

namespace strata {

namespace fs = std::filesystem;

namespace {

/// Settings that people changed, in the whole lines behind the first `bytes` of a run's events.
std::vector<LiveChange> changesBeyond(const std::string& path, uint64_t bytes) {
  std::vector<LiveChange> changes;
  std::ifstream events(path, std::ios::binary);
  events.seekg(static_cast<std::streamoff>(bytes));
  for (std::string line; std::getline(events, line);) {
    if (line.find("\"event\":\"setting\"") == std::string::npos) continue;
    try {
      const Json event = parseJson(line, path);
      if (!event.contains("cause")) changes.push_back({event.at("step"), event.at("name"), event.at("value"), false});
    } catch (const std::exception&) {
      // A line cut short by a power cut.
    }
  }
  return changes;
}

// A checkpoint that survives a power cut costs two waits for the disk; where epochs are shorter than this, those between survive a kill only.
constexpr std::chrono::seconds kDurableInterval{1};

std::string choicesOf(const Program& program, const KernelWays& ways) {
  Json kernels = Json::array();
  const auto implementations = program.implementations();
  const Graph& graph = program.graph();
  for (size_t i = 0; i < implementations.size(); ++i) {
    if (implementations[i].empty()) continue;
    const Node& node = graph.node(graph.order()[i]);
    kernels.push_back({{"op", node.op->name}, {"layer", node.layer}, {"implementation", implementations[i]}});
  }
  Json chosen = Json::object();
  for (const auto& [kernel, way] : ways) chosen[kernel] = way;
  return printJson(Json{{"version", 1}, {"ways", chosen}, {"kernels", kernels}});
}

}  // namespace

RunFiles::RunFiles(std::string directory, bool isNew) : m_directory(std::move(directory)) {
  std::error_code error;
  fs::create_directories(m_directory, error);
  if (error)
    throw Error(ErrorCode::IoFailure, m_directory,
                "the run directory cannot be made (" + error.message() + "). Choose a folder you may write to.");
  m_directory = fs::absolute(m_directory).lexically_normal().string();
  if (isNew && fs::exists(fs::path(m_directory) / "events.jsonl", error))
    throw Error(ErrorCode::InvalidArgument, m_directory, "holds a run already. Continue it with --resume or name another directory.");
  m_lock = std::make_unique<RunLock>(m_directory);
}

void RunFiles::open(const Project& project, const RunEnvironment& environment, const Program& step, const KernelWays& ways,
                    const std::vector<std::string>& metricNames, const Checkpoint* checkpoint) {
  const fs::path folder(m_directory);
  writeEnvironment(m_directory, environment);
  writeChoices(step, ways);
  writeFileAtomically((folder / "project.json").string(), printJson(project.document()));
  const std::string eventsPath = (folder / "events.jsonl").string();
  if (checkpoint) {
    std::error_code error;
    const auto size = fs::file_size(eventsPath, error);
    const bool isAbsent = error == std::errc::no_such_file_or_directory;  // the events so far are lost, the run is not
    if (!error && size > checkpoint->eventBytes) m_cutChanges = changesBeyond(eventsPath, checkpoint->eventBytes);
    if (!error && size > checkpoint->eventBytes) fs::resize_file(eventsPath, checkpoint->eventBytes, error);
    if (error && !isAbsent)
      throw Error(ErrorCode::IoFailure, eventsPath, "cannot be continued (" + error.message() + "). Start a new run.");
  }
  m_eventsFile.open(eventsPath, checkpoint ? std::ios::binary | std::ios::app : std::ios::binary | std::ios::trunc);
  if (!m_eventsFile) throw Error(ErrorCode::IoFailure, eventsPath, "cannot be written. Choose a folder you may write to.");
  m_events = std::make_unique<EventLog>(m_eventsFile, false);
  if (checkpoint) {  // its own event stood after the part that it counts, and was cut with the rest or never written
    CheckpointSaved saved;
    saved.step = checkpoint->step;
    saved.path = checkpointPath(m_directory, checkpoint->step);
    std::error_code error;
    saved.bytes = fs::file_size(saved.path, error);
    const DiskUse use = diskUseOf(m_directory);
    saved.diskBytes = use.allBytes;
    saved.files = use.files;
    m_events->onCheckpoint(saved);
  }
  const std::string historyPath = (folder / "history.bin").string();
  m_history = checkpoint ? std::make_unique<HistoryWriter>(historyPath, metricNames, checkpoint->historyBytes)
                         : std::make_unique<HistoryWriter>(historyPath, metricNames);
}

void RunFiles::writeChoices(const Program& step, const KernelWays& ways) {
  writeFileAtomically((fs::path(m_directory) / "choices.json").string(), choicesOf(step, ways));
}

CheckpointSaved RunFiles::save(Checkpoint checkpoint, const TensorViews& tensors, bool isForced, const std::vector<int64_t>& heldSteps) {
  const auto now = std::chrono::steady_clock::now();
  const bool isDurable = isForced || !m_lastDurable || now - *m_lastDurable >= kDurableInterval;
  if (isDurable)
    m_history->sync();
  else
    m_history->flush();
  m_eventsFile.flush();
  if (!m_eventsFile)
    throw Error(ErrorCode::IoFailure, (fs::path(m_directory) / "events.jsonl").string(),
                "cannot be written (No space left on device?). Free some space and continue the run.");
  checkpoint.historyBytes = m_history->bytes();
  checkpoint.eventBytes = static_cast<uint64_t>(m_eventsFile.tellp());
  std::vector<std::string> keep{m_durablePath};
  for (const int64_t step : heldSteps) keep.push_back(checkpointPath(m_directory, step));
  CheckpointSaved saved = saveCheckpoint(m_directory, checkpoint, tensors, isDurable, keep);
  if (isDurable) {
    m_lastDurable = now;
    m_durablePath = saved.path;
  }
  return saved;
}

std::string RunFiles::saveBest(const TensorViews& weights, const std::string& project, int64_t step, const std::string& monitor,
                               double value) {
  const std::map<std::string, std::string> metadata{{"format", "strata-weights"},   {"project", project}, {"step", std::to_string(step)},
                                                    {"hash", weightsHash(weights)}, {"monitor", monitor}, {"value", Json(value).dump()}};
  const std::string path = (fs::path(m_directory) / "best.safetensors").string();
  writeSafetensors(path, weights, metadata);
  return path;
}

std::string RunFiles::saveWeights(const TensorViews& weights, const std::string& project, int64_t step, const std::string& hash) {
  const std::map<std::string, std::string> metadata{
      {"format", "strata-weights"}, {"project", project}, {"step", std::to_string(step)}, {"hash", hash}};
  const std::string path = (fs::path(m_directory) / "weights.safetensors").string();
  writeSafetensors(path, weights, metadata);
  return path;
}

void RunFiles::close() {
  m_eventsFile.close();
  m_history.reset();
  m_lock.reset();
}

}  // namespace strata
