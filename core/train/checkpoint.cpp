// SPDX-License-Identifier: Apache-2.0
#include "core/train/checkpoint.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <set>

#include <sys/stat.h>

#include "core/project/line_file.h"
#include "core/runs/own_file.h"
#include "gpu/base/error.h"

namespace strata {

namespace fs = std::filesystem;

namespace {

constexpr size_t kKept = 2;
constexpr size_t kMaxEventBytes = size_t{64} << 20;

std::string textOf(double value) {
  char buffer[40];
  // to_chars returns the shortest text that preserves all bits.
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

std::string textOf(const std::vector<double>& values) {
  std::string text;
  for (const double value : values)
    text += (text.empty() ? "" : " ") + textOf(value);
  return text;
}

/// Returns a hash of tensors and metadata, which detects any changed bit.
std::string hashOf(const TensorViews& tensors, const std::map<std::string, std::string>& texts) {
  std::string text;
  for (const auto& [key, value] : texts)
    if (key != "hash") text += key + "=" + value + "\n";
  std::map<std::string, Tensor> metadata;
  metadata.emplace(
      "metadata",
      Tensor::from<uint8_t>(Shape{static_cast<int64_t>(text.size())},
                            std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size())));
  return weightsHash(tensors) + weightsHash(metadata);
}

class Fields {
 public:
  Fields(const std::string& path, const std::map<std::string, std::string>& metadata)
      : m_path(path), m_metadata(metadata) {}
  const std::string& text(const char* key) const {
    const auto it = m_metadata.find(key);
    if (it == m_metadata.end()) fail(key);
    return it->second;
  }
  bool has(const char* key) const { return m_metadata.contains(key); }
  template <class T>
  T number(const char* key) const {
    const std::string& value = text(key);
    return parse<T>(key, value.data(), value.data() + value.size());
  }
  std::vector<double> numbers(const char* key) const {
    std::vector<double> result;
    const std::string& value = text(key);
    for (size_t begin = 0; begin < value.size();) {
      const size_t end = std::min(value.find(' ', begin), value.size());
      result.push_back(parse<double>(key, value.data() + begin, value.data() + end));
      begin = end + 1;
    }
    return result;
  }

 private:
  template <class T>
  T parse(const char* key, const char* begin, const char* end) const {
    T result{};
    const auto [stop, error] = std::from_chars(begin, end, result);
    if (error != std::errc() || stop != end) fail(key);
    return result;
  }
  [[noreturn]] void fail(const char* key) const {
    throw Error(ErrorCode::InvalidFile, m_path,
                std::string("is not a checkpoint (metadata \"") + key +
                    "\" is missing or wrong). Start a new run.");
  }
  const std::string& m_path;
  const std::map<std::string, std::string>& m_metadata;
};

/// Adds a checkpoint to the record before its file is written, and marks older checkpoints that
/// need not be kept as dropped.
void recordCheckpoint(RunRecord& record, const fs::path& folder, RecordedCheckpoint added,
                      const std::vector<std::string>& keep) {
  std::error_code error;
  std::vector<RecordedCheckpoint>& all = record.checkpoints;
  std::erase_if(all, [&](const RecordedCheckpoint& each) {
    const bool isThere = fs::exists(fs::symlink_status(folder / each.name, error));
    return (!isThere && (each.isPending || each.isDropped)) ||
           (each.isDropped && each.name == added.name);
  });
  for (RecordedCheckpoint& each : all)
    each.isPending = false;
  all.push_back(std::move(added));
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.step < b.step; });
  // Drops all checkpoints except the newest ones and those in `keep`.
  std::set<std::string> kept;
  for (auto each = all.rbegin(); each != all.rend(); ++each) {
    if (each->isDropped) continue;
    if (kept.size() < kKept) kept.insert(each->name);
    each->isDropped =
        !kept.contains(each->name) && std::find(keep.begin(), keep.end(), each->name) == keep.end();
  }
}

}  // namespace

// Names of optimizer state contain one ':', so this one contains two
std::string collectedName(size_t index) { return "metrics:collected:" + std::to_string(index); }

TensorView viewOf(const std::vector<CollectedElement>& elements) {
  static_assert(sizeof(CollectedElement) == 3 * sizeof(float));
  if (elements.empty()) return {};
  return {{DType::F32, Shape{std::ssize(elements), 3}},
          reinterpret_cast<const std::byte*>(elements.data())};
}

std::vector<std::vector<CollectedElement>> collectedIn(const std::map<std::string, Tensor>& tensors,
                                                       size_t count, const std::string& file) {
  std::vector<std::vector<CollectedElement>> result(count);
  for (size_t i = 0; i < count; ++i) {
    const auto found = tensors.find(collectedName(i));
    if (found == tensors.end()) continue;
    const Tensor& tensor = found->second;
    if (tensor.dtype() != DType::F32 || tensor.shape().rank() != 2 || tensor.shape()[1] != 3)
      throw Error(ErrorCode::InvalidFile, file,
                  "the checkpoint does not fit the project at \"" + collectedName(i) +
                      "\" (expected f32 in rows of 3). Start a new run.");
    result[i].resize(static_cast<size_t>(tensor.shape()[0]));
    if (!result[i].empty()) std::memcpy(result[i].data(), tensor.data(), tensor.bytes());
  }
  return result;
}

std::string checkpointPath(const std::string& runDirectory, int64_t step) {
  return (fs::path(runDirectory) / "checkpoints" / checkpointName(step)).string();
}

std::map<std::string, std::string> checkpointFields(const Checkpoint& checkpoint) {
  return {{"format", "strata-checkpoint"},
          {"version", "1"},
          {"step", std::to_string(checkpoint.step)},
          {"epoch", std::to_string(checkpoint.epoch)},
          {"step_in_epoch", std::to_string(checkpoint.stepInEpoch)},
          {"loss_sum", textOf(checkpoint.lossSum)},
          {"metric_sums", textOf(checkpoint.metricSums)},
          {"epoch_samples", std::to_string(checkpoint.epochSamples)},
          {"epoch_seconds", textOf(checkpoint.epochSeconds)},
          {"seconds", textOf(checkpoint.seconds)},
          {"seed", std::to_string(checkpoint.seed)},
          {"learning_rate", textOf(checkpoint.learningRate)},
          {"learning_rate_set", checkpoint.isLearningRateSet ? "1" : "0"},
          {"pass", std::to_string(checkpoint.pass)},
          {"pass_samples", std::to_string(checkpoint.passSamples)},
          {"stage", std::to_string(checkpoint.stage)},
          {"stage_step", std::to_string(checkpoint.stageStep)},
          {"stage_epoch", std::to_string(checkpoint.stageEpoch)},
          {"rate_stage", std::to_string(checkpoint.rateStage)},
          {"rate_step", std::to_string(checkpoint.rateStep)},
          {"update_offset", std::to_string(checkpoint.updateOffset)},
          {"validated_step", std::to_string(checkpoint.validatedStep)},
          {"ended_by", checkpoint.endedBy},
          {"callbacks", checkpoint.callbacks},
          {"changes", checkpoint.changes},
          {"history_bytes", std::to_string(checkpoint.historyBytes)},
          {"history_hash", checkpoint.historyHash},
          {"event_bytes", std::to_string(checkpoint.eventBytes)}};
}

CheckpointSaved saveCheckpoint(const std::string& runDirectory, const Checkpoint& checkpoint,
                               const TensorViews& tensors, RunRecord& record, bool isDurable,
                               const std::vector<std::string>& keep) {
  const auto start = std::chrono::steady_clock::now();
  const fs::path folder = fs::path(runDirectory) / "checkpoints";
  std::error_code error;
  // If the folder cannot be created, opening the file reports the failure.
  if (!requireOwnFolder(folder.string())) ::mkdir(folder.c_str(), 0700);
  std::map<std::string, std::string> metadata = checkpointFields(checkpoint);
  metadata["hash"] = hashOf(tensors, metadata);
  CheckpointSaved saved;
  saved.step = checkpoint.step;
  saved.path = checkpointPath(runDirectory, checkpoint.step);
  recordCheckpoint(
      record, folder,
      {checkpointName(checkpoint.step), checkpoint.step, metadata["hash"], true, false}, keep);
  writeRunRecord(runDirectory, record, isDurable);
  writeSafetensors(saved.path, tensors, metadata, isDurable, Links::Replace);
  saved.bytes = fs::file_size(saved.path, error);
  for (const RecordedCheckpoint& each : record.checkpoints)
    if (each.isDropped) fs::remove(folder / each.name, error);
  for (RecordedCheckpoint& each : record.checkpoints)
    each.isPending = false;
  try {
    if (isDurable) writeRunRecord(runDirectory, record);
  }
  catch (const Error&) {
    // The checkpoint is complete and can be loaded, although the record still lists it as pending.
  }
  const DiskUse use = diskUseOf(runDirectory, record);
  saved.diskBytes = use.allBytes;
  saved.files = use.files;
  saved.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return saved;
}

DiskUse diskUseOf(const std::string& runDirectory, const RunRecord& record) {
  DiskUse use;
  std::error_code error;
  const auto sizeOf = [&](const fs::path& file) {
    const auto bytes = fs::file_size(file, error);
    return error ? uint64_t{0} : static_cast<uint64_t>(bytes);
  };
  for (const std::string& file : checkpointFiles(runDirectory, record)) {
    ++use.files;
    use.checkpointBytes += sizeOf(file);
  }
  use.allBytes = use.checkpointBytes;
  for (const char* name : {"weights.safetensors", "best.safetensors"})
    use.allBytes += sizeOf(fs::path(runDirectory) / name);
  return use;
}

Checkpoint checkpointOf(const std::map<std::string, std::string>& metadata,
                        const std::string& path) {
  const Fields fields(path, metadata);
  Checkpoint checkpoint;
  checkpoint.step = fields.number<int64_t>("step");
  checkpoint.epoch = fields.number<int64_t>("epoch");
  checkpoint.stepInEpoch = fields.number<int64_t>("step_in_epoch");
  checkpoint.lossSum = fields.number<double>("loss_sum");
  checkpoint.metricSums = fields.numbers("metric_sums");
  checkpoint.epochSamples = fields.number<int64_t>("epoch_samples");
  checkpoint.epochSeconds = fields.number<double>("epoch_seconds");
  checkpoint.seconds = fields.number<double>("seconds");
  checkpoint.seed = fields.number<uint64_t>("seed");
  checkpoint.learningRate = fields.number<double>("learning_rate");
  // Checkpoints of early versions do not have this field.
  checkpoint.isLearningRateSet =
      fields.has("learning_rate_set") && fields.text("learning_rate_set") == "1";
  // The fields that these functions read are optional, because checkpoints of earlier versions may
  // lack them.
  const auto integerOr = [&](const char* key, int64_t other) {
    return fields.has(key) ? fields.number<int64_t>(key) : other;
  };
  const auto textOr = [&](const char* key) {
    return fields.has(key) ? fields.text(key) : std::string();
  };
  checkpoint.pass = integerOr("pass", checkpoint.epoch);
  checkpoint.passSamples = integerOr("pass_samples", checkpoint.epochSamples);
  checkpoint.stage = integerOr("stage", 0);
  checkpoint.stageStep = integerOr("stage_step", 0);
  checkpoint.stageEpoch = integerOr("stage_epoch", 1);
  checkpoint.rateStage = integerOr("rate_stage", -1);
  checkpoint.rateStep = integerOr("rate_step", 0);
  checkpoint.updateOffset = integerOr("update_offset", 0);
  checkpoint.validatedStep = integerOr("validated_step", 0);
  checkpoint.endedBy = textOr("ended_by");
  checkpoint.callbacks = textOr("callbacks");
  checkpoint.changes = textOr("changes");
  checkpoint.historyHash = textOr("history_hash");
  checkpoint.historyBytes = fields.number<uint64_t>("history_bytes");
  checkpoint.eventBytes = fields.number<uint64_t>("event_bytes");
  if (checkpoint.step < 0 || checkpoint.epoch < 1 || checkpoint.stepInEpoch < 0 ||
      checkpoint.epochSamples < 0)
    throw Error(ErrorCode::InvalidFile, path,
                "has a negative step, epoch or number of samples. Start a new run.");
  return checkpoint;
}

Checkpoint readCheckpoint(const std::string& path) {
  TensorFile file = readSafetensors(path);
  const Fields fields(path, file.metadata);
  if (fields.text("format") != "strata-checkpoint")
    throw Error(
        ErrorCode::InvalidFile, path,
        "is not a checkpoint (metadata \"format\"). Name a file in the checkpoints folder of a "
        "run.");
  if (fields.text("version") != "1")
    throw Error(ErrorCode::InvalidFile, path,
                "is a checkpoint of version " + fields.text("version").substr(0, 20) +
                    " (expected 1). Continue the run with a newer version of Strata.");
  if (fields.text("hash") != hashOf(viewsOf(file.tensors), file.metadata))
    throw Error(
        ErrorCode::InvalidFile, path,
        "is damaged (its hash does not match its content). An older checkpoint may be intact.");
  Checkpoint checkpoint = checkpointOf(file.metadata, path);
  checkpoint.hash = fields.text("hash");
  checkpoint.tensors = std::move(file.tensors);
  return checkpoint;
}

/// Whether a run without a record has results that a start at step 0 would overwrite.
static bool hasResults(const fs::path& runDirectory) {
  std::error_code error;
  for (const char* name : {"weights.safetensors", "best.safetensors"})
    if (fs::exists(fs::symlink_status(runDirectory / name, error))) return true;
  const std::string events = (runDirectory / "events.jsonl").string();
  if (!fs::exists(events, error)) return false;
  LineFile file(events, kMaxEventBytes);
  for (std::string line; file.next(line);)
    if (line.find("\"event\":\"checkpoint\"") != std::string::npos) return true;
  return false;
}

/// Reads a checkpoint, and checks that its file name and its record are correct. Fails:
/// InvalidFile; IoFailure.
static Checkpoint readRecorded(const std::string& file, const std::optional<RunRecord>& record) {
  const std::string name = fs::path(file).filename().string();
  Checkpoint checkpoint = readCheckpoint(file);
  if (checkpointName(checkpoint.step) != name)
    throw Error(ErrorCode::InvalidFile, file,
                "is the checkpoint of step " + std::to_string(checkpoint.step) +
                    ", which does not fit its name.");
  if (record && std::none_of(record->checkpoints.begin(), record->checkpoints.end(),
                             [&](const RecordedCheckpoint& each) {
                               return each.name == name && each.hash == checkpoint.hash;
                             }))
    throw Error(ErrorCode::InvalidFile, file,
                "is not the checkpoint that the run recorded (its hash differs).");
  return checkpoint;
}

Checkpoint loadCheckpointOf(const std::string& runDirectory, int64_t step) {
  requireOwnFolder((fs::path(runDirectory) / "checkpoints").string());
  std::string problem;
  const std::optional<RunRecord> record = readRunRecord(runDirectory, problem);
  const std::vector<std::string> files = checkpointFiles(runDirectory, record);
  std::string steps;
  for (const std::string& file : files) {
    const std::string name = fs::path(file).filename().string();
    if (name == checkpointName(step)) return readRecorded(file, record);
    steps += (steps.empty() ? "" : ", ") + std::to_string(stepOfCheckpointName(name).value_or(0));
  }
  throw Error(ErrorCode::InvalidArgument, runDirectory,
              "has no checkpoint of step " + std::to_string(step) +
                  (steps.empty() ? ", and no other one. Train it first."
                                 : " (expected one of: " + steps + "). Choose one of these."));
}

std::optional<Checkpoint> loadCheckpoint(const std::string& runDirectory,
                                         std::vector<std::string>& warnings) {
  const fs::path folder = fs::path(runDirectory) / "checkpoints";
  std::string problem;
  const std::optional<RunRecord> record = readRunRecord(runDirectory, problem);
  // Whether the run recorded a complete checkpoint with this name, even if the file is missing
  const auto isExpected = [&](const std::string& name) {
    return record && std::any_of(record->checkpoints.begin(), record->checkpoints.end(),
                                 [&](const RecordedCheckpoint& each) {
                                   return each.name == name && !each.isPending && !each.isDropped;
                                 });
  };
  requireOwnFolder(folder.string());
  // The reasons why newer checkpoints are skipped
  std::vector<std::string> reasons;
  std::error_code error;
  for (const std::string& name : checkpointNames(runDirectory, record)) {
    const std::string file = (folder / name).string();
    if (!fs::exists(fs::symlink_status(file, error))) {
      if (isExpected(name)) reasons.push_back(file + ": is missing, although the run recorded it.");
      continue;
    }
    try {
      Checkpoint checkpoint = readRecorded(file, record);
      for (const std::string& reason : reasons)
        warnings.push_back(reason + " The run continues from the checkpoint of step " +
                           std::to_string(checkpoint.step) + ".");
      if (!record)
        warnings.push_back(runDirectory + ": " + problem + ", so Strata can't check whether " +
                           name + " is the last checkpoint.");
      return checkpoint;
    }
    catch (const Error& failure) {
      if (failure.code() != ErrorCode::InvalidFile && failure.code() != ErrorCode::IoFailure) throw;
      reasons.push_back(failure.line());
    }
  }
  if (!reasons.empty() ||
      (record ? record->hasCheckpoint() || record->weightsStep : hasResults(runDirectory)))
    throw Error(
        ErrorCode::InvalidFile, runDirectory,
        "none of its checkpoints can be used. " +
            (reasons.empty() ? "The folder checkpoints is missing or empty." : reasons.front()) +
            " Starting at step 0 would overwrite what the run has trained. Restore the "
            "folder checkpoints from a backup, or start a new run, optionally from the "
            "weights of this run (initial_weights).");
  return std::nullopt;
}

}  // namespace strata
