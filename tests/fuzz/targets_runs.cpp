// SPDX-License-Identifier: Apache-2.0
// Targets that read the files of runs: the run directory as a whole, and each file in it.
#include <sys/socket.h>

#include <sstream>

#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "core/cost/kernel_choices_file.h"
#include "core/data/dataset.h"
#include "core/data/inputs.h"
#include "core/interchange/safetensors.h"
#include "core/launch/control_server.h"
#include "core/project/json.h"
#include "core/project/project.h"
#include "core/project/seal.h"
#include "core/recipe/callbacks.h"
#include "core/recipe/options.h"
#include "core/recipe/run_edits.h"
#include "core/runs/card_recording.h"
#include "core/runs/event_log.h"
#include "core/runs/history.h"
#include "core/runs/profile_file.h"
#include "core/runs/run_directory.h"
#include "core/runs/run_record.h"
#include "core/runs/step_memory.h"
#include "core/runs/trace_file.h"
#include "core/train/callback_runner.h"
#include "core/train/checkpoint.h"
#include "core/train/run_branch.h"
#include "gpu/base/error.h"
#include "tests/fuzz/repair.h"
#include "tests/fuzz/target.h"
#include "tests/support/image_files.h"
#include "tests/support/paths.h"

namespace strata::fuzz {

namespace fs = std::filesystem;

namespace {

constexpr const char* kProject =
    R"({"format": "strata-project", "version": 1, "name": "Run", "data": {"source": {"type": "values", "x": [[1], [2], [3]], "y": [2, 4, 6]}},
 "model": {"layers": [{"type": "Input", "name": "x", "shape": [1]}, {"type": "Dense", "name": "y", "units": 1}]},
 "training": {"loss": "mean_squared_error", "optimizer": "sgd", "metrics": ["mean_absolute_error"], "batch_size": 2, "epochs": 4,
  "callbacks": [{"type": "EarlyStopping", "monitor": "loss", "patience": 3}, {"type": "ReduceLROnPlateau", "monitor": "loss"}]}})";

constexpr const char* kTableProject =
    R"({"format": "strata-project", "version": 1, "data": {"source": {"type": "csv", "path": "a.csv", "missing": "mean"},
  "transforms": [{"type": "standardize"}, {"type": "clip", "minimum": -3, "maximum": 3}]}, "model": {"layers": []}, "training": {"loss": "sparse_categorical_crossentropy"}})";
constexpr const char* kTable = "a,kind,label\n1,x,u\n2.5,y,v\n,x,u\n4,z,v\n";

constexpr const char* kEnvironment =
    R"({"program": "strata 0.1.0", "compiler": "g++", "device": "cpu", "processor": "A processor", "threads": 2, "max_steps": 40, "overrides": ["/training/epochs"], "started": "2026-11-24T10:00:00Z", "command": ["strata", "train", "p.json"], "commit": "0123456789012345678901234567890123456789", "branch": "main", "versions": {"kernel": "Linux 6.1", "oneDNN": "2.6.3"}})";
constexpr const char* kChoices =
    R"({"version": 1, "ways": {"conv2d f32[64,28,28,1],f32[3,3,1,32] -> f32[64,26,26,32] {}": "direct"}, "kernels": [{"op": "conv2d", "layer": "conv", "implementation": "direct"}]})";

constexpr const char* kStepMemory =
    R"({"version": 1, "batch_size": 4, "persistent_bytes": 128, "input_bytes": 64, "transient_bytes": 256, "lower_bound_bytes": 448, "peak_instruction": 1, "categories": ["parameter"], "lanes": ["persistent"], "phases": ["forward"], "texts": ["matmul", "dense", "dense/kernel"], "instructions": [[0, 1, 0], [0, 1, 1]], "blocks": [[2, 1, 0, 0, 100, 0, 0, 1], [0, 1, 3, 2, 256, 192, 1, 1]]})";

const std::vector<std::string> kMetrics{"mean_absolute_error"};

CallbackRunner callbacks() {
  Diagnostics ignored;
  return {parseTraining(*parseProject(kProject, "seed"), ignored), kMetrics};
}

Checkpoint sampleCheckpoint() {
  Checkpoint made;
  made.step = 12;
  made.epoch = 3;
  made.stepInEpoch = 2;
  made.lossSum = 0.5;
  made.metricSums = {1.25, 3};
  made.epochSamples = 4;
  made.epochSeconds = made.seconds = 0.125;
  made.seed = 7;
  made.learningRate = 0.01;
  made.callbacks = callbacks().text();
  made.changes =
      textOfChanges({{10, "learning_rate", 0.005, true}, {14, "learning_rate", 0.001, false}});
  made.tensors.emplace("y/kernel", counted<float>({1, 1}));
  made.tensors.emplace("y/bias", counted<float>({1}));
  return made;
}

std::string checkpointBytes(const Checkpoint& checkpoint) {
  const TemporaryFolder folder;
  RunRecord record;
  return bytesOf(saveCheckpoint(folder.path().string(), checkpoint, viewsOf(checkpoint.tensors),
                                record, false, {})
                     .path);
}

/// Reads a checkpoint as a resumed run does.
std::string readCheckpointFile(const std::string& path) {
  const Checkpoint read = readCheckpoint(path);
  const std::vector<LiveChange> changes = changesOfText(read.changes, path);
  CallbackRunner runner = callbacks();
  std::vector<std::string> warnings;
  runner.restore(read.callbacks, path, warnings);
  std::ostringstream text;
  text << valuesOf(read.tensors) << read.step << ' ' << read.epoch << ' ' << read.stepInEpoch << ' '
       << read.lossSum << ' ' << read.seed << ' ' << read.learningRate << ' ' << read.epochSamples
       << ' ' << read.historyBytes << ' ' << read.eventBytes << ' ' << runner.text()
       << textOfChanges(changes);
  return text.str();
}

std::string historyBytes() {
  return bytesWritten([](const std::string& path) {
    HistoryWriter writer(path, kMetrics);
    for (int64_t step = 1; step <= 12; ++step) {
      const std::vector<double> metrics{1.0 / static_cast<double>(step)};
      const HistoryKind kind = step % 4 == 0 ? HistoryKind::Epoch : HistoryKind::Step;
      writer.append({step, static_cast<int32_t>(1 + step / 4), kind,
                     0.01 * static_cast<double>(step), 0.01, 2, 0.5, metrics});
    }
  });
}

std::string readHistory(const std::string& path) {
  std::vector<std::string> names;
  uint64_t size = 0;
  {
    const HistoryReader reader(path);
    names = reader.metricNames();
    double sum = 0;
    for (size_t i = 0; i < reader.size(); ++i) {
      const HistoryRecord record = reader[i];
      sum += record.loss;
      for (const double metric : record.metrics)
        sum += metric;
    }
    (void)reader.firstOfStep(5);
    size = fs::file_size(path);
  }
  std::string warning;
  // Appends a row, as a resumed run does.
  HistoryWriter writer(path, names, {size, "", 12}, warning);
  writer.append({13, 4, HistoryKind::Step, 1, 0.01, 2, 0.5, {}});
  writer.flush();
  return "";
}

std::string events() {
  std::ostringstream out;
  EventLog log(out, false);
  RunStart start;
  start.runDirectory = "run";
  start.device = "cpu";
  start.parameters = 2;
  start.metricNames = kMetrics;
  start.totalSteps = 12;
  start.memoryPlan.byLayerAtPeak.push_back({"y", 64});
  log.onStart(start);
  EpochMetrics epoch;
  epoch.epoch = 1;
  epoch.step = 4;
  epoch.hasValidation = true;
  epoch.metrics = epoch.validationMetrics = {0.75};
  log.onEpoch(epoch);
  log.onValidation({6, 2, 0.5, 0.1, {0.5}});
  log.onSetting({7, "learning_rate", 0.005});
  CheckpointSaved saved;
  saved.step = 8;
  saved.path = "run/checkpoints/8";
  log.onCheckpoint(saved);
  log.onWarning("a warning");
  RunOutcome outcome;
  outcome.steps = 12;
  outcome.hasTest = true;
  outcome.testMetrics = {0.5};
  outcome.weightsHash = "0123456789abcdef";
  log.onOutcome(outcome);
  return out.str();
}

std::string profileBytes() {
  ProfileSnapshot profile;
  profile.steps = 10;
  profile.step = 12;
  profile.stepMicroseconds = 120.5;
  profile.rows.push_back(
      {{}, "matmul", "y", "blas", Phase::Forward, 10, std::chrono::nanoseconds(1000), 64});
  KernelProfile kernels;
  kernels.device = "simulated:card";
  StepRecords records;
  records.source = StepRecords::Source::Predicted;
  KernelRecord record;
  record.name = "matmul host";
  record.stream = "compute";
  record.instruction = 0;
  record.duration = std::chrono::nanoseconds(1000);
  records.records.assign(2, record);
  kernels.add(12, records);
  kernels.memory = {{0, {64, 128}}};
  profile.kernels = std::make_shared<const KernelProfile>(std::move(kernels));
  const TemporaryFolder folder;
  writeProfile(folder.path().string(), profile);
  return bytesOf(folder / "profile.json");
}

/// Reads a profile, and writes its trace and table.
void readTrace(const std::string& directory) {
  const auto profile = readProfile(directory);
  if (!profile || !profile->kernels) return;
  (void)printTrace(*profile->kernels);
  (void)printKernelTable(*profile->kernels);
}

/// Returns what `strata train --events` writes, with steps.
std::string eventsWithSteps() {
  std::ostringstream out;
  EventLog log(out);
  RunStart start;
  start.device = "simulated:card";
  start.metricNames = kMetrics;
  start.batchSize = 2;
  log.onStart(start);
  StepMetrics step;
  for (step.step = 1; step.step <= 6; ++step.step) {
    step.epoch = 1;
    step.metrics = {0.5};
    step.seconds = 0.1 * static_cast<double>(step.step);
    step.samplesPerSecond = 20;
    log.onStep(step);
  }
  EpochMetrics epoch;
  epoch.epoch = 1;
  epoch.step = 6;
  epoch.hasValidation = true;
  epoch.metrics = epoch.validationMetrics = {0.75};
  log.onEpoch(epoch);
  return out.str();
}

/// Reads a folder of a card test as a replay does.
std::string readCardRecording(const Mutant& mutant) {
  const std::vector<std::pair<std::string, std::string>> whole{
      {"recording-mnist-cnn.jsonl", eventsWithSteps()}, {"recording-profile.json", profileBytes()}};
  for (const auto& [name, bytes] : whole)
    if (name != mutant.file) mutant.put("card/" + name, bytes);
  mutant.put("card/" + mutant.file);
  fs::create_directories(mutant.folder / "run");
  const std::string run = (mutant.folder / "run").string();
  makeRunOfCardRecording((mutant.folder / "card").string(), *parseProject(kProject, "seed"), run);
  const RunInfo info = readRun(run);
  (void)readDeviceSamples(run);
  (void)readTrace(run);
  const HistoryReader reader(run + "/history.bin");
  for (size_t i = 0; i < reader.size(); ++i)
    if (reader[i].metrics.size() != reader.metricNames().size())
      throw std::logic_error("a step has other metrics");
  return "";
}

std::string preprocessingBytes() {
  const TemporaryFolder folder;
  const Mutant files("", "", 0, folder.path());
  files.put("a.csv", kTable);
  const Project project(parseJson(kTableProject, "seed"), (folder / "project.json").string());
  return printPreprocessing(loadDataset(project)->preprocessing());
}

constexpr const char* kFirstPreprocessing =
    R"({"format": "strata-preprocessing", "version": 1, "scale": 0.5, "offset": 0, "steps": [{"kind": "clip", "low": 0, "high": 1}, {"kind": "log1p"}], "encoding": null, "classes": ["a", "b"]})";

constexpr const char* kOfImages =
    R"({"format": "strata-preprocessing", "version": 2, "inputs": [{"scale": 0.5, "offset": 0, "steps": [{"kind": "affine", "shift": {"values": [0, 1], "count": 24}, "scale": {"values": [1], "count": 24}}], "encoding": {"type": "image", "crop_to_aspect_ratio": true}}], "classes": [["a", "b"]]})";

constexpr const char* kExact =
    R"({"format": "strata-preprocessing", "version": 2, "inputs": [{"scale": 1, "offset": 0, "exact": true, "steps": [{"kind": "affine", "shift": {"values": [1700000000.5], "count": 4}, "scale": {"values": [1], "count": 4}}], "encoding": null}], "classes": [[]]})";

/// Reads preprocessing.json as `strata predict` does, and applies it to a matching sample.
std::string readPreprocessing(const Mutant& mutant) {
  mutant.put("preprocessing.json");
  const Project project(parseJson(kTableProject, "seed"),
                        (mutant.folder / "project.json").string());
  const Preprocessing read = preprocessingOf(project, mutant.folder.string());
  std::vector<WantedInput> inputs;
  for (size_t i = 0; i < read.transforms.size(); ++i)
    inputs.push_back({i == 0 ? "x" : "x" + std::to_string(i), Shape{4}});
  const auto& encoding = read.encodings[0];
  std::string sample = encoding ? mutant.put("row.csv", "a,kind\n2,x\n,nothing\n")
                                : mutant.put("row.csv", "1,2,3,4\n");
  if (encoding && encoding->contains("crop_to_aspect_ratio")) {
    sample = (mutant.folder / "sample.png").string();
    writePngFile(sample, plainImage(3, 5, {10, 20, 30}));
    for (WantedInput& input : inputs)
      input.shape = {4, 2, 3};
  }
  for (const NamedInput& row : readInputs(sample, inputs, read, [](const std::string&) {}))
    for (size_t i = 0; i < row.arrays.size(); ++i)
      if (const auto& steps = read.transforms[i].more) {
        const int64_t count = row.arrays[i].numElements();
        std::vector<float> numbers(static_cast<size_t>(count), 1.0f);
        std::vector<double> exact(static_cast<size_t>(count), 1.0);
        if (read.transforms[i].isExact)
          applySteps(*steps, exact.data(), count);
        else
          applySteps(*steps, numbers.data(), count);
      }
  return "";
}

std::vector<Seed> directorySeeds() {
  Checkpoint later = sampleCheckpoint();
  later.step = 16;
  const TemporaryFolder folder;
  RunRecord record;
  record.projectHashes = {hashOfBytes(kProject)};
  record.weightsStep = 16;
  record.origin = RunOrigin{"/runs/001", 8};
  for (const Checkpoint& each : {sampleCheckpoint(), later})
    saveCheckpoint(folder.path().string(), each, viewsOf(each.tensors), record, true, {});
  return {{kProject, Kind::Json, "project.json"},
          {printSealed(parseJson(kEnvironment, "seed")), Kind::Json, "environment.json"},
          {printSealed(parseJson(kChoices, "seed")), Kind::Json, "choices.json"},
          {bytesOf(folder / "record.json"), Kind::Json, "record.json"},
          {profileBytes(), Kind::Json, "profile.json"},
          {events(), Kind::JsonLines, "events.jsonl"},
          {historyBytes(), Kind::Bytes, "history.bin"},
          {bytesOf(folder / "checkpoints/000000000012.safetensors"), Kind::Bytes,
           "checkpoints/000000000012.safetensors"},
          {bytesOf(folder / "checkpoints/000000000016.safetensors"), Kind::Bytes,
           "checkpoints/000000000016.safetensors"},
          {bytesWritten([](const std::string& path) {
             writeSafetensors(path, viewsOf(sampleCheckpoint().tensors), {}, false);
           }),
           Kind::Bytes, "weights.safetensors"}};
}

/// Corrects the seal of a JSON file or the hash of a checkpoint.
std::string repairRunFile(const std::string& file) {
  try {
    return printSealed(parseJson(file, "mutant"));
  }
  catch (const std::exception&) {
    return repairCheckpoint(file);
  }
}

/// Reads a run directory with the functions that the list of runs and a resumed run use.
std::string readDirectory(const Mutant& mutant) {
  static const std::vector<Seed> whole = directorySeeds();
  for (const Seed& seed : whole)
    if (seed.file != mutant.file) mutant.put("001/" + seed.file, seed.bytes);
  mutant.put("001/" + mutant.file);
  const std::string directory = (mutant.folder / "001").string();
  const RunInfo info = readRun(directory);
  if (info.directory != directory) throw std::logic_error("a run names another directory");
  std::vector<std::string> warnings;
  std::string problem;
  (void)readEnvironment(directory, warnings);
  (void)readTrace(directory);
  (void)readKernelVariants(directory, problem);
  (void)diskUseOf(directory, readRunRecord(directory, problem).value_or(RunRecord()));
  for (const ListedCheckpoint& each : listCheckpoints(directory))
    if (each.path.empty()) throw std::logic_error("a checkpoint has no file");
  if (const auto checkpoint = loadCheckpoint(directory, warnings))
    (void)changesOfText(checkpoint->changes, directory);
  (void)HistoryReader(directory + "/history.bin").size();
  (void)readSafetensors(directory + "/weights.safetensors");
  const Result<Project> project = projectOfRun(directory, "");
  if (!project) throw project.error();
  return "";
}

/// Makes a target that reads a single file of a run.
template <class Read>
Target fileTarget(const char* name, const char* file, std::vector<Seed> (*seeds)(), Read read) {
  return {name, seeds,
          [file, read](const Mutant& mutant) {
            mutant.put("project.json", kProject);
            mutant.put(file);
            read(mutant.folder.string());
            return std::string();
          },
          repairRunFile};
}

}  // namespace

/// Returns what a process sends in a run. SECRET stands for the secret of the launch.
static std::vector<Seed> controlSeeds() {
  const std::string hello = printMessage({.kind = ControlMessage::Kind::Hello,
                                          .secret = "SECRET",
                                          .host = "node7",
                                          .rank = 0,
                                          .process = 4711});
  const std::string rest = printMessage({.text = "training", .step = 12}) +
                           printMessage({.kind = ControlMessage::Kind::Run, .text = "p.runs/1"}) +
                           printMessage({.kind = ControlMessage::Kind::Ended, .text = "full disk"});
  return {{hello}, {hello + rest}, {rest}};
}

/// Sends the bytes to the server of a launch, as a process or a stranger.
static void sendToLaunch(std::string bytes) {
  ControlServer server(2, true);
  // The right secret has another length, so the lengths of the seeds must follow it
  if (const size_t at = bytes.find("SECRET"); at != std::string::npos && at > 4) {
    bytes.replace(at, 6, server.secret());
    bytes[3] = static_cast<char>(bytes[3] + static_cast<char>(server.secret().size() - 6));
  }
  const Descriptor socket = connectControl(server.addresses(), 5);
  if (::send(socket.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL) < 0) return;
  for (int i = 0; i < 3; ++i)
    server.handle(0);
}

void addRunTargets(std::vector<Target>& targets) {
  targets.push_back({"control_messages", controlSeeds, [](const Mutant& mutant) {
                       sendToLaunch(mutant.bytes);
                       return std::string();
                     }});
  targets.push_back(
      {"checkpoint",
       [] {
         Checkpoint plain;
         plain.tensors.emplace("w", counted<float>({20}));
         return std::vector<Seed>{{checkpointBytes(sampleCheckpoint())}, {checkpointBytes(plain)}};
       },
       [](const Mutant& mutant) { return readCheckpointFile(mutant.put("c.safetensors")); },
       repairCheckpoint, true});
  targets.push_back({"history", [] { return std::vector<Seed>{{historyBytes()}}; },
                     [](const Mutant& mutant) {
                       return readHistory(mutant.put("history.bin"));
                     }});
  targets.push_back(fileTarget(
      "events", "events.jsonl",
      +[] {
        return std::vector<Seed>{{events(), Kind::JsonLines}};
      },
      [](const std::string& directory) { (void)readRun(directory); }));
  targets.push_back(fileTarget(
      "environment", "environment.json",
      +[] {
        return std::vector<Seed>{{printSealed(parseJson(kEnvironment, "seed")), Kind::Json}};
      },
      [](const std::string& directory) {
        std::vector<std::string> warnings;
        (void)readEnvironment(directory, warnings);
      }));
  targets.push_back(fileTarget(
      "choices", "choices.json",
      +[] {
        return std::vector<Seed>{{printSealed(parseJson(kChoices, "seed")), Kind::Json}};
      },
      [](const std::string& directory) {
        std::string problem;
        (void)readKernelVariants(directory, problem);
      }));
  targets.push_back(fileTarget(
      "step-memory", "memory.json",
      +[] {
        return std::vector<Seed>{{printSealed(parseJson(kStepMemory, "seed")), Kind::Json}};
      },
      [](const std::string& directory) {
        std::string problem;
        const auto memory = readStepMemory(directory, problem);
        if (!memory) return;
        for (int i = 0; i < std::ssize(memory->instructions); ++i)
          (void)memory->blocksAt(i);
        (void)memory->holesAt(memory->peakInstant);
      }));
  targets.push_back(fileTarget(
      "profile", "profile.json",
      +[] {
        return std::vector<Seed>{{profileBytes(), Kind::Json}};
      },
      readTrace));
  targets.push_back({"preprocessing",
                     [] {
                       return std::vector<Seed>{{preprocessingBytes(), Kind::Json},
                                                {kFirstPreprocessing, Kind::Json},
                                                {kOfImages, Kind::Json},
                                                {kExact, Kind::Json}};
                     },
                     readPreprocessing, repairRunFile});
  targets.push_back({"card-recording",
                     [] {
                       return std::vector<Seed>{
                           {eventsWithSteps(), Kind::JsonLines, "recording-mnist-cnn.jsonl"},
                           {profileBytes(), Kind::Json, "recording-profile.json"}};
                     },
                     readCardRecording});
  targets.push_back({"run-directory", directorySeeds, readDirectory, repairRunFile});
}

}  // namespace strata::fuzz
