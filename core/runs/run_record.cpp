// SPDX-License-Identifier: Apache-2.0
#include "core/runs/run_record.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "core/project/atomic_file.h"
#include "core/project/seal.h"
#include "gpu/base/error.h"

namespace strata {

namespace fs = std::filesystem;

namespace {

constexpr const char* kFormat = "strata-run-record";
constexpr const char* kSuffix = ".safetensors";
constexpr size_t kStepDigits = 12;
constexpr size_t kMaxRecordBytes = size_t{64} << 20;

std::string recordPath(const std::string& runDirectory) {
  return (fs::path(runDirectory) / "record.json").string();
}

RunRecord parseRecord(const Json& json) {
  RunRecord record;
  record.projectHashes = json.at("project").get<std::vector<std::string>>();
  for (const Json& each : json.at("checkpoints")) {
    RecordedCheckpoint checkpoint;
    checkpoint.name = each.at("file").get<std::string>();
    checkpoint.step = each.at("step").get<int64_t>();
    checkpoint.hash = each.at("hash").get<std::string>();
    checkpoint.isPending = each.value("pending", false);
    checkpoint.isDropped = each.value("dropped", false);
    // The file may be forged, so the name must not refer to another folder.
    if (stepOfCheckpointName(checkpoint.name) != checkpoint.step) throw std::out_of_range("file");
    record.checkpoints.push_back(std::move(checkpoint));
  }
  if (const Json& weights = json.at("weights"); !weights.is_null())
    record.weightsStep = weights.at("step").get<int64_t>();
  record.preprocessingHash = json.at("preprocessing").get<std::string>();
  record.bestHash = json.at("best").get<std::string>();
  if (const auto batch = json.find("bad_batch"); batch != json.end()) {
    record.badBatchStep = batch->at("step").get<int64_t>();
    record.badBatchHash = batch->at("hash").get<std::string>();
  }
  if (json.contains("origin"))
    record.origin = RunOrigin{json["origin"].at("run").get<std::string>(),
                              json["origin"].at("step").get<int64_t>()};
  return record;
}

}  // namespace

bool RunRecord::hasCheckpoint() const {
  return std::any_of(checkpoints.begin(), checkpoints.end(),
                     [](const auto& each) { return !each.isPending; });
}

std::string checkpointName(int64_t step) {
  const std::string digits = std::to_string(step);
  return std::string(digits.size() < kStepDigits ? kStepDigits - digits.size() : 0, '0') + digits +
         kSuffix;
}

std::optional<int64_t> stepOfCheckpointName(const std::string& name) {
  if (!name.ends_with(kSuffix)) return std::nullopt;
  int64_t step = -1;
  const char* const end = name.data() + name.size() - std::string_view(kSuffix).size();
  const auto [stop, error] = std::from_chars(name.data(), end, step);
  if (error != std::errc() || stop != end || step < 0 || checkpointName(step) != name)
    return std::nullopt;
  return step;
}

std::optional<RunRecord> readRunRecord(const std::string& runDirectory, std::string& problem) {
  const std::string path = recordPath(runDirectory);
  std::error_code error;
  if (!fs::exists(fs::symlink_status(path, error))) {
    problem = "has no record.json (an earlier version wrote the run, or the file is missing)";
    return std::nullopt;
  }
  const std::string text = readFile(path, kMaxRecordBytes);
  int64_t version = 1;
  try {
    const Json json = parseJson(text, path);
    if (sealOf(json) != Seal::Whole || json.at("format") != kFormat)
      throw std::out_of_range("hash");
    version = json.at("version").get<int64_t>();
    problem.clear();
    if (version == 1) return parseRecord(json);
  }
  catch (const std::bad_alloc&) {
    throw;
  }
  catch (const std::exception&) {
    problem = "has a damaged record.json";
    return std::nullopt;
  }
  throw Error(ErrorCode::InvalidFile, path,
              "has version " + std::to_string(version) +
                  " (expected 1). Continue the run with a newer version of Strata.");
}

void writeRunRecord(const std::string& runDirectory, const RunRecord& record, bool isDurable) {
  Json checkpoints = Json::array();
  for (const RecordedCheckpoint& each : record.checkpoints) {
    Json entry{{"file", each.name}, {"step", each.step}, {"hash", each.hash}};
    if (each.isPending) entry["pending"] = true;
    if (each.isDropped) entry["dropped"] = true;
    checkpoints.push_back(std::move(entry));
  }
  Json json{{"format", kFormat},
            {"version", 1},
            {"project", record.projectHashes},
            {"checkpoints", std::move(checkpoints)}};
  json["weights"] = record.weightsStep ? Json{{"step", *record.weightsStep}} : Json();
  json["preprocessing"] = record.preprocessingHash;
  json["best"] = record.bestHash;
  if (record.badBatchStep > 0)
    json["bad_batch"] = {{"step", record.badBatchStep}, {"hash", record.badBatchHash}};
  if (record.origin) json["origin"] = {{"run", record.origin->run}, {"step", record.origin->step}};
  AtomicFile file(recordPath(runDirectory), Links::Replace);
  file.write(printSealed(std::move(json)));
  file.commit(isDurable);
}

std::vector<std::string> checkpointNames(const std::string& runDirectory,
                                         const std::optional<RunRecord>& record) {
  std::vector<std::string> names;
  if (record) {
    for (const RecordedCheckpoint& each : record->checkpoints)
      names.push_back(each.name);
  }
  else {
    std::error_code error;
    for (fs::directory_iterator it(fs::path(runDirectory) / "checkpoints", error), end;
         !error && it != end; it.increment(error))
      if (const std::string name = it->path().filename().string(); stepOfCheckpointName(name))
        names.push_back(name);
  }
  std::sort(names.begin(), names.end(), [](const std::string& x, const std::string& y) {
    return stepOfCheckpointName(x).value_or(0) > stepOfCheckpointName(y).value_or(0);
  });
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<std::string> checkpointFiles(const std::string& runDirectory,
                                         const std::optional<RunRecord>& record) {
  std::vector<std::string> files;
  for (const std::string& name : checkpointNames(runDirectory, record)) {
    const fs::path file = fs::path(runDirectory) / "checkpoints" / name;
    std::error_code error;
    if (fs::is_regular_file(fs::status(file, error))) files.push_back(file.string());
  }
  return files;
}

Result<Project> loadRunProject(const std::string& runDirectory) {
  const std::string path = (fs::path(runDirectory) / "project.json").string();
  try {
    std::string expected, found;
    // Tries twice before the file counts as damaged, because a process that continues the run may
    // replace project.json and the record between the two reads.
    for (int attempt = 0; attempt < 2; ++attempt) {
      const std::string text = readFile(path, kMaxJsonBytes);
      std::string problem;
      const std::optional<RunRecord> record = readRunRecord(runDirectory, problem);
      found = hashOfBytes(text);
      if (record && !record->projectHashes.empty()) {
        const std::vector<std::string>& hashes = record->projectHashes;
        expected = hashes.back();
        if (std::find(hashes.begin(), hashes.end(), found) == hashes.end()) continue;
      }
      Result<Project> project = parseProject(text, path);
      if (project) project->setPath(fs::absolute(path).lexically_normal().string());
      return project;
    }
    return Error(ErrorCode::InvalidFile, path,
                 "was changed or damaged after the run wrote it (expected the hash " + expected +
                     ", got " + found +
                     "). Restore it from a backup, or start a new run from the weights of this "
                     "run.");
  }
  catch (const Error& error) {
    return error;
  }
}

}  // namespace strata
