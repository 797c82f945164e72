// SPDX-License-Identifier: Apache-2.0
#include "core/runs/run_directory.h"

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>
#include <nlohmann/json.hpp>

#include "core/project/json.h"
#include "core/project/line_file.h"
#include "core/runs/event_damage.h"
#include "core/runs/moved_run.h"
#include "core/runs/run_record.h"
#include "gpu/base/debug.h"
#include "gpu/base/own_folder.h"

namespace strata {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMaxEventBytes = size_t{64} << 20;

std::string stemOf(const Project& project) {
  std::string stem = fs::path(project.path()).stem().string();
  if (!stem.empty()) return stem;
  std::string name;
  for (const char c : project.name())
    name += c == '/' || c == '\0' ? '-' : c;
  return name.empty() || name[0] == '.' ? "untitled" : name;
}

/// Returns a suffix with a hash of the project's path, or "" for a project without a path. All
/// projects share the data folder, and the suffix distinguishes projects with the same name.
std::string placeOf(const Project& project) {
  if (project.path().empty()) return "";
  std::error_code error;
  fs::path path = fs::weakly_canonical(project.path(), error);
  if (error) path = fs::absolute(project.path(), error).lexically_normal();
  const std::string text = path.string();
  const uint64_t hash = XXH3_64bits(text.data(), text.size());
  static const char kDigits[] = "0123456789abcdef";
  std::string result = "-";
  for (int shift = 60; shift >= 32; shift -= 4)
    result += kDigits[hash >> shift & 15];
  return result;
}

/// A folder for runs: a folder of the user, and the names of Strata's folders in it.
struct RunPlace {
  fs::path outer;
  std::vector<std::string> names;
  std::string path() const {
    fs::path whole = outer;
    for (const std::string& name : names)
      whole /= name;
    return whole.string();
  }
};

RunPlace dataPlace(const std::string& name) {
  // The folder for user data in the XDG base directory specification
  if (const auto home = environmentVariable("XDG_DATA_HOME"); home && home->front() == '/')
    return {*home, {"strata", "runs", name}};
  if (const auto home = environmentVariable("HOME"); home && home->front() == '/')
    return {fs::path(*home) / ".local" / "share", {"strata", "runs", name}};
  std::error_code error;
  fs::path temporary = fs::temp_directory_path(error);
  if (error) temporary = "/tmp";
  return {temporary, {"strata-" + std::to_string(::geteuid()), "runs", name}};
}

/// Returns the places of runFolders().
std::vector<RunPlace> runPlaces(const Project& project) {
  std::vector<RunPlace> places;
  const std::string stem = stemOf(project);
  if (!project.path().empty()) {
    const fs::path folder = fs::path(project.path()).parent_path();
    places.push_back({folder.empty() ? "." : folder, {stem + ".runs"}});
  }
  places.push_back(dataPlace(stem + placeOf(project) + ".runs"));
  return places;
}

/// Returns the number of a run directory, or 0 if its name is not a number.
int numberOf(const fs::path& directory) {
  const std::string name = directory.filename().string();
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc() && end == name.data() + name.size() && number > 0 ? number : 0;
}

std::string numberName(int number) {
  const std::string digits = std::to_string(number);
  return digits.size() < 3 ? std::string(3 - digits.size(), '0') + digits : digits;
}

/// A run in a folder: its number, its directory there, and the one in which it went on.
struct NumberedRun {
  int number = 0;
  fs::path listed, place;
};

std::vector<NumberedRun> numberedRuns(const fs::path& folder) {
  std::vector<NumberedRun> runs;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (const int number = numberOf(it->path()); number > 0 && it->is_directory(error)) {
      const std::string place = placeOfRun(it->path().string());
      // A note about a directory that does not exist any more
      const bool isLost = place == it->path() && fs::exists(it->path() / "moved.json", error) &&
                          !fs::exists(it->path() / "project.json", error);
      if (!isLost) runs.push_back({number, it->path(), place});
    }
  std::ranges::sort(runs, {}, &NumberedRun::number);
  return runs;
}

/// Returns the highest number of a run in the trash of this folder, or 0.
int highestDeleted(const fs::path& folder) {
  // Numbers of more digits come from no run
  constexpr size_t kMaxDigits = 9;
  int highest = 0;
  std::error_code error;
  for (fs::directory_iterator it(folder / kTrashFolder, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    const size_t dot = name.find('.');
    if (dot != std::string::npos && dot <= kMaxDigits)
      highest = std::max(highest, numberOf(name.substr(0, dot)));
  }
  return highest;
}

bool isHeld(const std::string& directory) {
  const int descriptor = ::open((fs::path(directory) / "lock").c_str(),
                                O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool held = ::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(descriptor);
  return held;
}

/// Returns the value of a member as an integer. Returns `other` if the member is missing or not a
/// number, and 0 if it is too large.
int64_t countIn(const Json& json, const char* key, int64_t other = 0) {
  const auto it = json.find(key);
  if (it == json.end() || !it->is_number()) return other;
  const double value = it->get<double>();
  return std::abs(value) < 9e18 ? static_cast<int64_t>(value) : 0;
}

double numberOr(const Json& json, const char* key, double other) {
  const auto it = json.find(key);
  return it != json.end() && it->is_number() ? it->get<double>() : other;
}

std::string textOr(const Json& json, const char* key) {
  const auto it = json.find(key);
  return it != json.end() && it->is_string() ? it->get<std::string>() : "";
}

std::vector<std::pair<std::string, double>> metricsOf(const Json& json, const char* key) {
  std::vector<std::pair<std::string, double>> metrics;
  const auto it = json.find(key);
  if (it == json.end() || !it->is_object()) return metrics;
  for (const auto& [name, value] : it->items())
    if (value.is_number()) metrics.emplace_back(name, value.get<double>());
  return metrics;
}

void readStart(const Json& event, RunStart& start) {
  const auto integer = [&](const char* key) {
    return countIn(event, key);
  };
  start = {};
  start.device = textOr(event, "device");
  if (const auto processes = event.find("processes");
      processes != event.end() && processes->is_array())
    for (const Json& each : *processes)
      if (each.is_string()) start.processes.push_back(each.get<std::string>());
  start.threads = static_cast<int>(integer("threads"));
  start.parameters = integer("parameters");
  start.plannedPeakBytes = static_cast<size_t>(integer("planned_peak_bytes"));
  start.keptDataBytes = static_cast<size_t>(integer("kept_data_bytes"));
  start.stepsPerEpoch = integer("steps_per_epoch");
  start.epochs = integer("epochs");
  start.totalSteps = integer("total_steps");
  start.firstStep = integer("first_step");
  start.batchSize = integer("batch_size");
  start.trainSamples = integer("train_samples");
  start.validationSamples = integer("validation_samples");
  start.testSamples = integer("test_samples");
  start.setupSeconds = numberOr(event, "setup_seconds", 0);
  start.weightsFrom = textOr(event, "weights_from");
  start.memoryPlan.holesBytes = static_cast<size_t>(integer("memory_holes_bytes"));
  if (const auto memory = event.find("memory_at_peak");
      memory != event.end() && memory->is_object())
    for (size_t i = 0; i < start.memoryPlan.byCategoryAtPeak.size(); ++i)
      start.memoryPlan.byCategoryAtPeak[i] = static_cast<size_t>(
          countIn(*memory, std::string(categoryName(static_cast<Category>(i))).c_str()));
  if (const auto layers = event.find("memory_at_peak_by_layer");
      layers != event.end() && layers->is_object())
    for (const auto& [layer, bytes] : layers->items())
      if (bytes.is_number_unsigned())
        start.memoryPlan.byLayerAtPeak.push_back({layer, bytes.get<size_t>()});
}

RunStatus statusOfOutcome(const std::string& outcome) {
  if (outcome == "finished") return RunStatus::Finished;
  return outcome == "stopped" ? RunStatus::Stopped : RunStatus::Failed;
}

/// The results of an epoch on the validation data.
struct Validation {
  std::optional<double> loss;
  std::vector<std::pair<std::string, double>> metrics;
};

/// Takes a value of an epoch into the range of a metric.
void extend(RunInfo& info, const std::string& name, double value, int64_t epoch) {
  const auto [found, isNew] =
      info.validationRanges.try_emplace(name, MetricRange{value, value, epoch, epoch});
  MetricRange& range = found->second;
  if (isNew) return;
  if (value < range.smallest) {
    range.smallest = value;
    range.smallestEpoch = epoch;
  }
  if (value > range.largest) {
    range.largest = value;
    range.largestEpoch = epoch;
  }
}

/// Reads what the devices did, from the end event.
void readDevices(const Json& event, RunInfo& info) {
  info.trainedSamples = countIn(event, "trained_samples");
  info.devices.clear();
  const auto devices = event.find("devices");
  if (devices == event.end() || !devices->is_array()) return;
  try {
    for (const Json& device : *devices)
      info.devices.push_back(summaryFromJson(device));
  }
  catch (const Json::exception&) {
    // A run of another version has other values
    info.devices.clear();
  }
}

/// `validations` contains the results by epoch.
void applyEvent(const Json& event, RunInfo& info, std::map<int64_t, Validation>& validations) {
  const std::string kind = textOr(event, "event");
  if (kind == "start") {
    info.device = textOr(event, "device");
    info.parameters = countIn(event, "parameters");
    info.batchSize = countIn(event, "batch_size");
    info.totalSteps = countIn(event, "total_steps");
    info.epochs = countIn(event, "epochs");
    info.plannedPeakBytes = static_cast<uint64_t>(countIn(event, "planned_peak_bytes"));
    const std::string before = info.start.weightsFrom;
    readStart(event, info.start);
    // The event of a continuation does not repeat them
    if (info.start.firstStep > 0 && info.start.weightsFrom.empty()) info.start.weightsFrom = before;
    // The run counts as interrupted unless an end event follows. A resumed run has several start
    // events.
    info.status = RunStatus::Interrupted;
    info.error.clear();
    info.devices.clear();
  }
  else if (kind == "epoch" || kind == "checkpoint" || kind == "validation") {
    info.steps = std::max(info.steps, countIn(event, "step"));
    if (kind == "epoch") info.trainedEpochs = countIn(event, "epoch");
    if (event.contains("val_loss")) {
      if (event["val_loss"].is_number()) info.validationLoss = event["val_loss"].get<double>();
      info.validationMetrics = metricsOf(event, "val_metrics");
      const int64_t epoch = countIn(event, "epoch");
      if (kind == "epoch") validations[epoch] = {info.validationLoss, info.validationMetrics};
      if (event["val_loss"].is_number()) extend(info, "loss", *info.validationLoss, epoch);
      for (const auto& [name, value] : info.validationMetrics)
        extend(info, name, value, epoch);
    }
  }
  else if (kind == "setting") {
    // Changes by a callback, a stage or the project have a cause.
    if (!event.contains("cause") && event.contains("value") && event["value"].is_number())
      info.settings.insert_or_assign(textOr(event, "name"), event["value"].get<double>());
  }
  else if (kind == "end") {
    const std::string outcome = textOr(event, "outcome");
    info.status = statusOfOutcome(outcome);
    info.error = textOr(event, "error");
    info.steps = countIn(event, "steps", info.steps);
    info.seconds = numberOr(event, "seconds", 0);
    info.peakBytes = static_cast<uint64_t>(countIn(event, "peak_bytes"));
    if (event.contains("test_loss")) info.testLoss = numberOr(event, "test_loss", 0);
    info.testMetrics = metricsOf(event, "test_metrics");
    info.endedBy = textOr(event, "ended_by");
    info.restoredBy.clear();
    if (const auto restored = event.find("restored"); restored != event.end()) {
      info.restoredBy = textOr(*restored, "monitor");
      info.restoredEpoch = countIn(*restored, "epoch");
      if (const auto best = validations.find(info.restoredEpoch); best != validations.end()) {
        info.validationLoss = best->second.loss;
        info.validationMetrics = best->second.metrics;
      }
    }
    info.weightsHash = textOr(event, "weights_hash");
    readDevices(event, info);
  }
}

/// Reads the events of a run. A file that cannot be opened has none.
FoundEvents applyEvents(const fs::path& path, RunInfo& info) {
  FoundEvents found;
  std::map<int64_t, Validation> validations;
  try {
    LineFile events(path.string(), kMaxEventBytes);
    size_t bytes = 0;
    for (std::string line; bytes < kMaxEventBytes && events.next(line);) {
      if (isDeviceSample(line)) continue;
      bytes += line.size();
      try {
        const Json event = parseJson(line, "events.jsonl");
        if (!event.is_object()) {
          ++found.numUnreadable;
          continue;
        }
        applyEvent(event, info, validations);
        addMarkOfEvent(info.marks, event);
        const std::string kind = textOr(event, "event");
        found.hasStart = found.hasStart || kind == "start";
        found.hasEnd = kind == "end" || (found.hasEnd && kind != "start");
      }
      catch (const Error&) {
        // A power failure may truncate a line.
        if (!events.isCutOff()) ++found.numUnreadable;
      }
    }
  }
  catch (const Error&) {
    // The run is listed without its results.
  }
  return found;
}

/// Reads the newest checkpoint and the origin of a run. Returns the step of its recorded weights.
std::optional<int64_t> readRecordOf(const std::string& directory, RunInfo& info) {
  std::optional<int64_t> weightsStep;
  try {
    std::string problem;
    const std::optional<RunRecord> record = readRunRecord(directory, problem);
    if (record) {
      info.origin = record->origin;
      weightsStep = record->weightsStep;
    }
    const std::vector<std::string> files = checkpointFiles(directory, record);
    if (files.empty()) return weightsStep;
    info.checkpoint = files.front();
    info.checkpointStep =
        stepOfCheckpointName(fs::path(info.checkpoint).filename().string()).value_or(0);
  }
  catch (const Error&) {
    // The problem is reported when the run is continued.
  }
  return weightsStep;
}

}  // namespace

std::string runStatusName(RunStatus status) {
  switch (status) {
    case RunStatus::Running: return "running";
    case RunStatus::Finished: return "finished";
    case RunStatus::Stopped: return "stopped";
    case RunStatus::Failed: return "failed";
    case RunStatus::Interrupted: return "interrupted";
  }
  return "unknown";
}

std::vector<std::string> runFolders(const Project& project) {
  std::vector<std::string> folders;
  for (const RunPlace& place : runPlaces(project))
    folders.push_back(place.path());
  return folders;
}

RunInfo readRun(const std::string& directory, std::optional<Project>* project) {
  const fs::path path(directory);
  std::error_code error;
  if (!fs::is_regular_file(path / "project.json", error))
    throw Error(ErrorCode::InvalidFile, directory,
                "is not a run directory (expected a project.json in it). Name a folder such as "
                "mnist-cnn.runs/001.");
  RunInfo info;
  info.directory = info.listedAt = directory;
  info.number = numberOf(path);
  if (auto loaded = loadProject((path / "project.json").string())) {
    info.projectName = loaded->name();
    if (project) *project = std::move(loaded).value();
  }
  else {
    info.problems.push_back((path / "project.json").string() +
                            ": is damaged, so the settings and the design of the run are unknown.");
  }
  try {
    const Json environment = parseJson(
        readFile((path / "environment.json").string(), size_t{1} << 20), "environment.json");
    info.started = textOr(environment, "started");
  }
  catch (const Error&) {
    // The run is listed without its date.
  }
  const FoundEvents found = applyEvents(path / "events.jsonl", info);
  if (isHeld(directory)) info.status = RunStatus::Running;
  if (fs::is_regular_file(path / "weights.safetensors", error))
    info.weightsPath = (path / "weights.safetensors").string();
  const std::optional<int64_t> weightsStep = readRecordOf(directory, info);
  if (std::string damage = eventDamage(info, found, weightsStep); !damage.empty())
    info.problems.push_back(std::move(damage));
  info.start.runDirectory = directory;
  return info;
}

std::vector<RunInfo> listRuns(const Project& project) {
  std::vector<RunInfo> runs;
  for (const std::string& folder : runFolders(project))
    for (const NumberedRun& each : numberedRuns(folder)) {
      try {
        runs.push_back(readRun(each.place.string()));
        runs.back().number = each.number;
        runs.back().listedAt = each.listed.string();
      }
      catch (const Error&) {
        // The directory is not a run yet, because the process ended before it wrote project.json.
      }
    }
  std::stable_sort(runs.begin(), runs.end(),
                   [](const RunInfo& a, const RunInfo& b) { return a.number < b.number; });
  return runs;
}

std::vector<ListedRun> listedRuns(const Project& project) {
  std::vector<ListedRun> runs;
  for (const std::string& folder : runFolders(project))
    for (const NumberedRun& each : numberedRuns(folder))
      runs.push_back({each.number, each.listed.string()});
  std::ranges::stable_sort(runs, {}, &ListedRun::number);
  return runs;
}

Result<Project> projectOfRun(const std::string& directory, const std::string& projectFile) {
  Result<Project> project = loadRunProject(directory);
  if (project && !projectFile.empty()) project->setPath(projectFile);
  return project;
}

namespace {

/// Implements makeRunDirectory() with a number of at least `least`.
std::string makeDirectory(const Project& project, int least, std::vector<std::string>* warnings) {
  const std::vector<RunPlace> places = runPlaces(project);
  // The numbers are unique across all folders.
  int highest = least - 1;
  for (const RunPlace& place : places) {
    if (const auto runs = numberedRuns(place.path()); !runs.empty())
      highest = std::max(highest, runs.back().number);
    // After the runs: one that is deleted meanwhile counts here
    highest = std::max(highest, highestDeleted(place.path()));
  }
  std::string lastReason;
  for (const RunPlace& place : places) {
    try {
      const OwnFolder folder = OwnFolder::make(place.outer, place.names, OthersMay::Read);
      for (int number = highest + 1; number < highest + 1000; ++number) {
        const int failed = folder.makeFolder(numberName(number));
        if (failed == 0) return (folder.path() / numberName(number)).string();
        if (failed == EEXIST) continue;
        lastReason = std::generic_category().message(failed);
        break;
      }
    }
    catch (const Error& error) {
      lastReason = error.line();
      if (lastReason.ends_with('.')) lastReason.pop_back();
      if (error.code() == ErrorCode::InvalidFile && warnings)
        warnings->push_back(error.line() + " This run is in another folder.");
    }
  }
  throw Error(ErrorCode::IoFailure, places.back().path(),
              "a run directory can't be created (" + lastReason +
                  "). Set XDG_DATA_HOME to a folder you may write to, or name one with --run-dir.");
}

}  // namespace

std::string makeRunDirectory(const Project& project, std::vector<std::string>* warnings) {
  return makeDirectory(project, 1, warnings);
}

void adoptRun(const Project& project, const std::string& directory) {
  const std::string note = makeDirectory(project, std::max(1, numberOf(directory)), nullptr);
  if (!noteMove(note, fs::absolute(directory).string()))
    throw Error(ErrorCode::IoFailure, note,
                "cannot be written. Check that you may write to the folder.");
}

void requireOwnRunDirectory(const std::string& directory, bool makes) {
  fs::path path = fs::absolute(directory).lexically_normal();
  if (path.filename().empty()) path = path.parent_path();
  // The root folder has no name
  const std::string name = path.filename().empty() ? "." : path.filename().string();
  if (makes) {
    (void)OwnFolder::make(path.parent_path(), {name}, OthersMay::Read);
  }
  else if (!OwnFolder::find(path.parent_path(), {name}, OthersMay::Read)) {
    throw Error(ErrorCode::InvalidArgument, directory,
                "does not exist (expected a run directory). Name a folder such as "
                "mnist-cnn.runs/001.");
  }
}

std::string latestRunDirectory(const Project& project) {
  std::pair<int, fs::path> latest{0, {}};
  for (const std::string& folder : runFolders(project))
    if (const auto runs = numberedRuns(folder); !runs.empty() && runs.back().number > latest.first)
      latest = {runs.back().number, runs.back().place};
  return latest.second.string();
}

bool holdsNoRunYet(const std::string& directory) {
  std::error_code error;
  fs::directory_iterator it(directory, error);
  if (error) return false;
  for (const fs::directory_iterator end; !error && it != end; it.increment(error)) {
    const fs::path name = it->path().filename();
    if (name != "lock" && name != "environment.json" && name != "choices.json" &&
        name != "memory.json" && name != "record.json" && name != "preprocessing.json" &&
        name.extension() != ".tmp")
      return false;
  }
  return !error;
}

RunLock::RunLock(const std::string& directory) {
  const std::string path = (fs::path(directory) / "lock").string();
  m_descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  if (m_descriptor < 0) {
    if (errno == ELOOP)
      throw Error(ErrorCode::InvalidFile, path,
                  "is a link (expected a file that the run wrote). Remove it; the run creates it "
                  "again.");
    throw Error(ErrorCode::IoFailure, path,
                "cannot be written (" + std::generic_category().message(errno) +
                    "). Choose a folder you may write to.");
  }
  // The lock may be taken briefly by a process that lists runs.
  int failed = ::flock(m_descriptor, LOCK_EX | LOCK_NB);
  for (int attempt = 0; attempt < 20 && failed != 0 && errno == EWOULDBLOCK; ++attempt) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    failed = ::flock(m_descriptor, LOCK_EX | LOCK_NB);
  }
  if (failed != 0 && errno == EWOULDBLOCK) {
    ::close(m_descriptor);
    throw Error(ErrorCode::InvalidArgument, directory,
                "is being trained by another process. Stop that process first, or start a new "
                "run.");
  }
}

RunLock::~RunLock() {
  if (m_descriptor >= 0) ::close(m_descriptor);
}

}  // namespace strata
