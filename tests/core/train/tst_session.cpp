// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <thread>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/interchange/safetensors.h"
#include "core/runs/history.h"
#include "core/train/bench.h"
#include "core/train/checkpoint.h"
#include "core/train/evaluator.h"
#include "core/train/kept_weights.h"
#include "core/train/plan.h"
#include "core/train/session.h"
#include "tests/support/paths.h"

using namespace strata;
using namespace std::chrono_literals;

namespace {

/// 130 samples in batches of 16: eight full ones and a ragged one of 1 (117 train, 13 validate: 7 full, one of 5).
const char* const kProject = R"({
  "format": "strata-project", "version": 1, "name": "Small",
  "data": {"source": {"type": "random", "samples": 130, "shape": [6, 6, 1], "classes": 3, "seed": 4}, "validation_split": 0.1, "transforms": []},
  "model": {"layers": [
    {"type": "Input", "name": "image", "shape": [6, 6, 1]},
    {"type": "Conv2D", "name": "conv", "filters": 4, "kernel_size": [3, 3], "activation": "relu"},
    {"type": "BatchNormalization", "name": "norm"},
    {"type": "Flatten", "name": "flat"},
    {"type": "Dropout", "name": "drop", "rate": 0.25},
    {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"}]},
  "training": {"loss": "sparse_categorical_crossentropy", "optimizer": {"type": "adam", "learning_rate": 0.01}, "metrics": ["accuracy"], "batch_size": 16, "epochs": 3, "seed": 5}})";

Project smallProject(const std::filesystem::path& path = {}) { return Project(parseJson(kProject, "small"), path.string()); }

/// Notes everything; `onStepDone` may act from the training thread.
class Recorder : public RunObserver {
 public:
  std::function<void(int64_t)> onStepDone;

  void onState(RunState state) override { note("state " + std::to_string(static_cast<int>(state))); }
  void onStart(const RunStart& s) override {
    start = s;
    note("start");
  }
  void onStep(const StepMetrics& step) override {
    {
      const std::lock_guard lock(mutex);
      steps.push_back(step);
      changed.notify_all();
    }
    if (onStepDone) onStepDone(step.step);
  }
  void onEpoch(const EpochMetrics& epoch) override {
    epochs.push_back(epoch);
    note("epoch");
  }
  void onCheckpoint(const CheckpointSaved& saved) override {
    checkpoints.push_back(saved);
    note("checkpoint");
  }
  void onProfile(std::shared_ptr<const ProfileSnapshot> snapshot) override { profile = snapshot; }
  void onSetting(const SettingChanged& setting) override { settings.push_back(setting); }
  void onWarning(const std::string& warning) override { warnings.push_back(warning); }
  void onOutcome(const RunOutcome& o) override {
    outcome = o;
    ++outcomes;
    note("outcome");
  }
  size_t waitForSteps(size_t count) {
    std::unique_lock lock(mutex);
    changed.wait_for(lock, 60s, [&] { return steps.size() >= count; });
    return steps.size();
  }
  size_t numSteps() {
    const std::lock_guard lock(mutex);
    return steps.size();
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> notes;
  RunStart start;
  std::vector<StepMetrics> steps;
  std::vector<EpochMetrics> epochs;
  std::vector<CheckpointSaved> checkpoints;
  std::vector<SettingChanged> settings;
  std::vector<std::string> warnings;
  std::shared_ptr<const ProfileSnapshot> profile;
  RunOutcome outcome;
  int outcomes = 0;

 private:
  void note(const std::string& text) {
    const std::lock_guard lock(mutex);
    notes.push_back(text);
    changed.notify_all();
  }
};

SessionOptions optionsFor(Project project, const std::filesystem::path& runDirectory = {}) {
  SessionOptions options;
  options.project = std::move(project);
  options.threads = 2;
  options.device = "reference";
  options.runDirectory = runDirectory.string();
  options.writesRunDirectory = !runDirectory.empty();
  return options;
}

RunOutcome trainAll(SessionOptions options, Recorder& recorder) {
  TrainingSession session(std::move(options), recorder);
  session.start();
  return session.wait();
}

std::string messageOf(const RunOutcome& outcome) { return outcome.error ? outcome.error->line() : std::string("no error"); }

}  // namespace

TEST_SUITE("session") {
  TEST_CASE("a run from start to end: order of events, outcome once and last, files") {
    TemporaryFolder folder;
    Recorder recorder;
    const RunOutcome outcome = trainAll(optionsFor(smallProject(), folder / "run"), recorder);
    REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
    CHECK(recorder.outcomes == 1);
    CHECK(recorder.notes.back() == "outcome");
    CHECK(recorder.notes.front() == "state 0");
    CHECK(recorder.start.stepsPerEpoch == 8);
    CHECK(recorder.start.totalSteps == 24);
    CHECK(recorder.start.trainSamples == 117);
    CHECK(recorder.start.validationSamples == 13);
    CHECK(recorder.start.metricNames.size() == 1);
    REQUIRE(recorder.steps.size() == 24);
    for (size_t i = 0; i < 24; ++i) {
      CHECK(recorder.steps[i].step == static_cast<int64_t>(i + 1));
      CHECK(recorder.steps[i].epoch == static_cast<int64_t>(i / 8 + 1));
      CHECK(recorder.steps[i].samples == (i % 8 == 7 ? 5 : 16));
    }
    REQUIRE(recorder.epochs.size() == 3);
    CHECK(recorder.epochs[2].hasValidation);
    CHECK(recorder.checkpoints.size() == 3);
    CHECK(outcome.hasTest);
    CHECK(outcome.testSamples == 13);
    CHECK(outcome.peakBytes == recorder.start.plannedPeakBytes);
    // The epoch's loss is the mean over its samples.
    double sum = 0;
    for (size_t i = 0; i < 8; ++i) sum += recorder.steps[i].loss * static_cast<double>(recorder.steps[i].samples);
    CHECK(recorder.epochs[0].loss == doctest::Approx(sum / 117).epsilon(1e-12));

    const TensorFile weights = readSafetensors(outcome.weightsPath);
    CHECK(weights.tensors.size() == 8);
    CHECK(weights.metadata.at("hash") == outcome.weightsHash);
    CHECK(weights.metadata.at("step") == "24");
    const RunInfo info = readRun((folder / "run").string());
    CHECK(info.status == RunStatus::Finished);
    CHECK(info.steps == 24);
    CHECK(*info.testLoss == outcome.testLoss);
    const HistoryReader history((folder / "run/history.bin").string());
    REQUIRE(history.size() == 24 + 6);
    CHECK(history[0].loss == recorder.steps[0].loss);
    CHECK(history[history.size() - 1].kind == HistoryKind::Validation);
    CHECK(history[history.size() - 1].loss == recorder.epochs[2].validationLoss);

    // What was written evaluates to what training said.
    Evaluator evaluator(smallProject(), (folder / "run").string(), "reference", 2);
    const Evaluation evaluation = evaluator.evaluate("test");
    CHECK(evaluation.loss == outcome.testLoss);
    CHECK(evaluation.predictedClasses.size() == 13);
    const std::vector<float> output = evaluator.predict(Tensor(DType::F32, Shape{6, 6, 1}));
    REQUIRE(output.size() == 3);
    CHECK(output[0] + output[1] + output[2] == doctest::Approx(1));
    CHECK_THROWS_AS(evaluator.predict(Tensor(DType::F32, Shape{5, 6, 1})), Error);
    CHECK(evaluator.evaluate("validation").loss == recorder.epochs[2].validationLoss);
    const RunOutcome refused = trainAll(optionsFor(smallProject(), folder / "run"), recorder);  // holds a run already
    REQUIRE(refused.error);
    CHECK(refused.error->code() == ErrorCode::InvalidArgument);
  }

  TEST_CASE("same seed and threads: same bits; another seed: others; bench agrees") {
    Recorder a, b, c;
    SessionOptions options = optionsFor(smallProject());
    options.maxSteps = 11;
    const RunOutcome first = trainAll(options, a), again = trainAll(options, b);
    CHECK(first.weightsHash == again.weightsHash);
    CHECK(first.steps == 11);
    SessionOptions other = options;
    other.seed = 6;
    CHECK(trainAll(other, c).weightsHash != first.weightsHash);
    BenchOptions bench;
    bench.device = "reference";
    bench.threads = 2;
    bench.steps = 11;
    bench.windows = 1;
    bench.windowSeconds = 0.01;
    const BenchReport report = benchProject(smallProject(), bench);
    CHECK(report.weightsHash == first.weightsHash);
    CHECK(report.firstLoss == a.steps.front().loss);
    CHECK(report.lastLoss == a.steps.back().loss);
    CHECK(report.stepMicrosecondsMedian > 0);
    CHECK(!report.byOp.empty());
  }

  TEST_CASE("a new run of an edited network takes over the layers that fit, and keeps the run they are from") {
    TemporaryFolder folder;
    Recorder first;
    const RunOutcome source = trainAll(optionsFor(smallProject(), folder / "first"), first);
    REQUIRE_MESSAGE(source.outcome == Outcome::Finished, messageOf(source));
    const auto trained = readSafetensors(source.weightsPath).tensors;

    Project edited = smallProject();
    Json& layers = edited.document()["model"]["layers"];
    const std::string renamed = layers.back()["name"].get<std::string>();
    layers.back()["name"] = "renamed";
    const KeptLayers expected = keptLayers(edited, smallProject());
    CHECK(expected.anew == std::vector<std::string>{"renamed"});
    REQUIRE(!expected.kept.empty());

    SessionOptions options = optionsFor(edited, folder / "second");
    options.weightsFrom = (folder / "first").string();
    options.maxSteps = 1;
    Recorder second;
    const RunOutcome outcome = trainAll(options, second);
    REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
    CHECK(second.start.keptLayers == expected.kept);
    // The checkpoint before the first step has them to the bit; what is new is there, too.
    const Checkpoint begin = readCheckpoint((folder / "second/checkpoints/000000000000.safetensors").string());
    for (const auto& [name, tensor] : trained) {
      if (name.starts_with(renamed + "/")) {
        CHECK(!begin.tensors.contains(name));
      } else {
        REQUIRE(begin.tensors.contains(name));
        CHECK(weightsHash({{name, tensor}}) == weightsHash({{name, begin.tensors.at(name)}}));
      }
    }
    CHECK(weightsHash(readSafetensors(source.weightsPath).tensors) == source.weightsHash);
    CHECK(readRun((folder / "second").string()).start.weightsFrom == options.weightsFrom);
    CHECK(readRun((folder / "first").string()).start.memoryPlan.byCategoryAtPeak == first.start.memoryPlan.byCategoryAtPeak);
    CHECK(keptLayers(edited, edited).anew.empty());
    layers.back()["units"] = 4;
    CHECK(keptLayers(edited, smallProject()).kept == expected.kept);
  }

  TEST_CASE("stop, then continue: the bits of a run that was never stopped, wherever it was stopped") {
    TemporaryFolder folder;
    Recorder whole;
    const RunOutcome expected = trainAll(optionsFor(smallProject(), folder / "whole"), whole);
    REQUIRE(expected.outcome == Outcome::Finished);
    for (const int64_t stopAt : {1, 7, 8, 9, 20, 23}) {
      const auto run = folder / ("run" + std::to_string(stopAt));
      {
        Recorder recorder;
        TrainingSession session(optionsFor(smallProject(), run), recorder);
        recorder.onStepDone = [&](int64_t step) {
          if (step == stopAt) session.stop();
        };
        session.start();
        const RunOutcome outcome = session.wait();
        CHECK(outcome.outcome == Outcome::Stopped);
        CHECK(outcome.steps == stopAt);
        CHECK(std::filesystem::exists(run / "weights.safetensors"));
        CHECK(recorder.outcomes == 1);
      }
      Recorder recorder;
      SessionOptions options = optionsFor(smallProject());
      options.threads = 0;  // the run's own
      options.writesRunDirectory = true;
      options.resumeFrom = run.string();
      const RunOutcome outcome = trainAll(options, recorder);
      REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
      CHECK(recorder.start.firstStep == stopAt);
      CHECK(outcome.weightsHash == expected.weightsHash);
      CHECK(outcome.testLoss == expected.testLoss);
      CHECK(recorder.epochs.back().loss == whole.epochs.back().loss);
      const HistoryReader history((run / "history.bin").string()), wanted((folder / "whole/history.bin").string());
      REQUIRE(history.size() == wanted.size());
      for (size_t i = 0; i < history.size(); ++i) {
        CHECK(history[i].step == wanted[i].step);
        CHECK(history[i].kind == wanted[i].kind);
        CHECK(history[i].loss == wanted[i].loss);
      }
    }
  }

  TEST_CASE(
      "continued after a kill: events and history after the checkpoint are cut, a damaged checkpoint is passed over, none means from the "
      "start") {
    TemporaryFolder folder;
    Recorder recorder;
    const RunOutcome expected = trainAll(optionsFor(smallProject(), folder / "whole"), recorder);
    // As a kill leaves it: later lines and records than the checkpoint.
    const auto resume = [&](const char* name, auto&& damage) {
      const auto run = folder / name;
      std::filesystem::copy(folder / "whole", run, std::filesystem::copy_options::recursive);
      std::filesystem::remove(run / "weights.safetensors");
      damage(run);
      Recorder second;
      SessionOptions options = optionsFor(smallProject());
      options.writesRunDirectory = true;
      options.resumeFrom = run.string();
      const RunOutcome outcome = trainAll(options, second);
      REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
      CHECK(outcome.weightsHash == expected.weightsHash);
      CHECK(HistoryReader((run / "history.bin").string()).size() == 30);
      std::ifstream in(run / "events.jsonl");
      std::string line;
      int ends = 0, epochs = 0;
      while (std::getline(in, line)) {
        const Json event = parseJson(line, "events");
        ends += event["event"] == "end" ? 1 : 0;
        epochs += event["event"] == "epoch" ? 1 : 0;
      }
      CHECK(ends == 1);
      CHECK(epochs == 3);
      return second.warnings.size();
    };
    const auto files = [](const std::filesystem::path& run) {
      std::vector<std::filesystem::path> result;
      for (const auto& entry : std::filesystem::directory_iterator(run / "checkpoints")) result.push_back(entry.path());
      std::sort(result.begin(), result.end());
      return result;
    };
    CHECK(resume("same", [](const auto&) {}) == 0);
    CHECK(resume("older", [&](const auto& run) { std::filesystem::remove(files(run).back()); }) == 0);
    CHECK(resume("damaged", [&](const auto& run) { std::filesystem::resize_file(files(run).back(), 100); }) == 1);
    CHECK(resume("none", [&](const auto& run) { std::filesystem::remove_all(run / "checkpoints"); }) == 0);
  }

  TEST_CASE("pause, single step, resume, live learning rate") {
    Recorder recorder;
    SessionOptions options = optionsFor(smallProject());
    options.startsPaused = true;
    options.epochs = 1000;
    TrainingSession session(options, recorder);
    session.start();
    const auto waitForState = [&](RunState state) {
      for (int i = 0; i < 5000 && session.state() != state; ++i) std::this_thread::sleep_for(2ms);
      return session.state() == state;
    };
    REQUIRE(waitForState(RunState::Paused));
    CHECK(recorder.numSteps() == 0);
    session.step();
    CHECK(recorder.waitForSteps(1) == 1);
    REQUIRE(waitForState(RunState::Paused));
    session.step();
    CHECK(recorder.waitForSteps(2) == 2);
    std::this_thread::sleep_for(30ms);
    CHECK(recorder.numSteps() == 2);
    session.setLearningRate(0.5);
    session.resume();
    recorder.waitForSteps(20);
    session.pause();
    REQUIRE(waitForState(RunState::Paused));
    const size_t paused = recorder.numSteps();
    std::this_thread::sleep_for(30ms);
    CHECK(recorder.numSteps() == paused);
    const auto start = std::chrono::steady_clock::now();
    session.stop();
    CHECK(session.wait().outcome == Outcome::Stopped);
    CHECK(std::chrono::steady_clock::now() - start < 2s);
    CHECK(session.state() == RunState::Ended);
    REQUIRE(recorder.settings.size() == 1);
    CHECK(recorder.settings[0].step == 3);
    CHECK(recorder.steps[1].learningRate == 0.01);
    CHECK(recorder.steps[2].learningRate == 0.5);
    session.stop();
    session.pause();
    CHECK(session.wait().steps == static_cast<int64_t>(recorder.numSteps()));
  }

  TEST_CASE("twenty thousand quick steps; sessions that are destroyed early or never started") {
    Project project(parseJson(
        R"({"format":"strata-project","version":1,"name":"Line","data":{"source":{"type":"values","x":[[1],[2],[3],[4]],"y":[[2],[4],[6],[8]]}},
      "model":{"layers":[{"type":"Input","name":"x","shape":[1]},{"type":"Dense","name":"line","units":1,"kernel_initializer":"zeros"}]},
      "training":{"loss":"mean_squared_error","optimizer":{"type":"sgd","learning_rate":0.01},"batch_size":4,"epochs":20000,"seed":1,"shuffle":false}})",
        "line"));
    Recorder recorder;
    SessionOptions options = optionsFor(project);
    options.threads = 1;
    const RunOutcome outcome = trainAll(options, recorder);
    REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
    CHECK(recorder.steps.size() == 20000);
    CHECK(recorder.outcomes == 1);
    CHECK(outcome.testLoss < 1e-6);
    for (int i = 0; i < 10; ++i) {
      Recorder early;
      {
        TrainingSession session(options, early);
        session.start();
        if (i > 0) early.waitForSteps(static_cast<size_t>(i));
      }
      CHECK(early.outcomes == 1);
      CHECK(early.notes.back() == "outcome");
    }
    Recorder never;
    {
      TrainingSession session(options, never);
      CHECK(session.wait().outcome == Outcome::Stopped);
    }
    CHECK(never.outcomes == 0);
  }

  TEST_CASE("a loss that is not finite stops the run, names step and layer and keeps the last good checkpoint") {
    TemporaryFolder folder;
    Project project = smallProject();
    project.document()["training"]["optimizer"] = {{"type", "sgd"}, {"learning_rate", 1e30}};
    Recorder recorder;
    SessionOptions options = optionsFor(project, folder / "run");
    options.checkpointInterval = 0ms;  // after every step
    const RunOutcome outcome = trainAll(options, recorder);
    REQUIRE(outcome.outcome == Outcome::Failed);
    REQUIRE(outcome.error);
    CHECK(outcome.error->code() == ErrorCode::NonFinite);
    MESSAGE(messageOf(outcome));
    CHECK(project.document().dump().find("\"" + outcome.error->subject() + "\"") != std::string::npos);
    CHECK(std::string(outcome.error->what()).find("step " + std::to_string(outcome.steps + 1)) != std::string::npos);
    CHECK(!std::isfinite(recorder.steps.back().loss));
    CHECK(recorder.steps.back().step == outcome.steps + 1);
    std::vector<std::string> warnings;
    const auto checkpoint = loadCheckpoint((folder / "run").string(), warnings);
    REQUIRE(checkpoint);
    CHECK(checkpoint->step <= outcome.steps);
    CHECK(readRun((folder / "run").string()).status == RunStatus::Failed);
  }

  TEST_CASE("data that does not fit, weights of another network, a folder that cannot be: failures before anything is written") {
    TemporaryFolder folder;
    Recorder recorder;
    Project project = smallProject();
    project.document()["data"]["source"]["shape"] = {5, 5, 1};
    RunOutcome outcome = trainAll(optionsFor(project, folder / "run"), recorder);
    REQUIRE(outcome.outcome == Outcome::Failed);
    CHECK(outcome.error->subject() == "image");
    CHECK(!std::filesystem::exists(folder / "run"));

    TensorFile other;
    other.tensors["conv/kernel"] = Tensor(DType::F32, Shape{2, 2, 1, 4});
    writeSafetensors((folder / "other.safetensors").string(), other);
    project = smallProject();
    project.document()["training"]["initial_weights"] = (folder / "other.safetensors").string();
    outcome = trainAll(optionsFor(project, folder / "run"), recorder);
    REQUIRE(outcome.outcome == Outcome::Failed);
    CHECK(outcome.error->code() == ErrorCode::InvalidFile);
    CHECK(std::string(outcome.error->what()).find("conv/kernel") != std::string::npos);
    CHECK(!std::filesystem::exists(folder / "run"));
    SessionOptions resumed = optionsFor(smallProject(), folder / "run");
    resumed.resumeFrom = folder.path().string();
    outcome = trainAll(resumed, recorder);
    REQUIRE(outcome.outcome == Outcome::Failed);
    CHECK(outcome.error->code() == ErrorCode::InvalidArgument);
    std::ofstream(folder / "file") << "x";
    outcome = trainAll(optionsFor(smallProject(), folder / "file/run"), recorder);
    REQUIRE(outcome.outcome == Outcome::Failed);
    CHECK(outcome.error->code() == ErrorCode::IoFailure);
  }

  TEST_CASE("continuing a run of which something is lost, or which never began, or in batches of another size") {
    TemporaryFolder folder;
    Recorder unheard;
    const RunOutcome expected = trainAll(optionsFor(smallProject(), folder / "whole"), unheard);
    const auto stopAt = [&](const std::filesystem::path& run, int64_t last) {
      Recorder recorder;
      TrainingSession session(optionsFor(smallProject(), run), recorder);
      recorder.onStepDone = [&](int64_t step) {
        if (step == last) session.stop();
      };
      session.start();
      session.wait();
    };
    const auto goOn = [&](const std::filesystem::path& run, std::optional<int64_t> batch = {}) {
      Recorder recorder;
      SessionOptions options = optionsFor(smallProject());
      options.writesRunDirectory = true;
      options.resumeFrom = run.string();
      options.batchSize = batch;
      return trainAll(options, recorder);
    };
    stopAt(folder / "a", 5);
    std::filesystem::remove(folder / "a/events.jsonl");
    CHECK(goOn(folder / "a").weightsHash == expected.weightsHash);

    stopAt(folder / "b", 5);
    std::filesystem::remove(folder / "b/history.bin");
    CHECK(goOn(folder / "b").outcome == Outcome::Failed);  // and no crash for want of a file to tell it to

    std::filesystem::create_directory(folder / "c");  // killed between making the folder and project.json
    std::ofstream(folder / "c/lock");
    CHECK(goOn(folder / "c").weightsHash == expected.weightsHash);
    CHECK(std::filesystem::exists(folder / "c/project.json"));

    stopAt(folder / "d", 5);  // 80 samples into the epoch of 117
    RunOutcome outcome = goOn(folder / "d", 32);
    REQUIRE(outcome.outcome == Outcome::Failed);
    CHECK(outcome.error->code() == ErrorCode::InvalidArgument);
    CHECK(std::string(outcome.error->what()).find("80") != std::string::npos);
    outcome = goOn(folder / "d", 8);
    REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
    CHECK(outcome.steps == 15 * 3);
  }

  TEST_CASE("initial weights lie beside the project") {
    TemporaryFolder folder;
    Recorder recorder;
    REQUIRE(trainAll(optionsFor(smallProject(), folder / "run"), recorder).outcome == Outcome::Finished);
    Project project = smallProject(folder / "small.json");
    project.document()["training"]["initial_weights"] = "run/weights.safetensors";
    Recorder second;
    const RunOutcome outcome = trainAll(optionsFor(project), second);
    REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
    CHECK(second.steps.front().loss < recorder.steps.front().loss);
  }

  TEST_CASE("profile and plan of a step") {
    Recorder recorder;
    SessionOptions options = optionsFor(smallProject());
    options.isProfiling = true;
    options.epochs = 100000;
    TrainingSession session(options, recorder);
    recorder.onStepDone = [&](int64_t) {
      if (recorder.profile) session.stop();
    };
    session.start();
    session.wait();
    REQUIRE(recorder.profile);
    CHECK(recorder.profile->stepMicroseconds > 0);
    CHECK(recorder.profile->observationFraction >= 0);
    CHECK(recorder.profile->observationFraction < 0.5);
    const auto& p = *recorder.profile;
    CHECK(p.forwardFraction + p.backwardFraction + p.updateFraction + p.dataWaitFraction <= 1.001);
    CHECK(std::any_of(p.rows.begin(), p.rows.end(), [](const ProfileRow& row) { return row.layer == "conv"; }));

    PlanOptions plan;
    plan.device = "reference";
    plan.memoryLimitBytes = size_t{1} << 20;
    const TrainingPlan found = planTraining(smallProject(), plan);
    CHECK(found.fits);
    CHECK(found.peakBytes == recorder.start.plannedPeakBytes);
    CHECK(found.stepMicroseconds);
    REQUIRE(found.largestBatch);
    plan.measuresStepTime = false;
    plan.findsLargestBatch = false;
    plan.batchSize = *found.largestBatch;
    CHECK(planTraining(smallProject(), plan).fits);
    plan.batchSize = *found.largestBatch + *found.largestBatch / 500 + 2;
    CHECK(!planTraining(smallProject(), plan).fits);
    plan.recompute = Recompute::None;
    CHECK(!planTraining(smallProject(), plan).fits);
  }

  TEST_CASE("a memory limit is kept by recomputing, with the same weights at the end; what cannot fit says what would") {
    const Project project = smallProject();
    PlanOptions plan;
    plan.recompute = Recompute::None;
    plan.findsLargestBatch = plan.measuresStepTime = false;
    const TrainingPlan kept = planTraining(project, plan);
    CHECK(kept.repeats.empty());
    size_t live = 0, held = 0;
    for (const PlanInstant& instant : kept.timeline) live = std::max(live, instant.liveBytes);
    for (const PlanHolder& holder : kept.atPeak) held += holder.bytes;
    CHECK(held == live);
    CHECK(live + kept.memory.holesBytes == kept.peakBytes);

    // Half of the way to the smallest.
    plan.recompute = Recompute::All;
    const size_t smallest = planTraining(project, plan).peakBytes;
    REQUIRE(smallest < kept.peakBytes);
    plan.recompute = Recompute::Auto;
    plan.memoryLimitBytes = (smallest + kept.peakBytes) / 2;
    plan.drawsCurve = true;
    const TrainingPlan limited = planTraining(project, plan);
    CHECK(limited.fits);
    CHECK(limited.keptPeakBytes == kept.peakBytes);
    REQUIRE(limited.curve.size() >= 2);
    CHECK(limited.curve.front().slowdown == 0);

    std::string hashes[2];
    for (const bool isLimited : {false, true}) {
      SessionOptions options;
      options.project = project;
      options.writesRunDirectory = false;
      options.maxSteps = 5;
      options.recompute = isLimited ? Recompute::Auto : Recompute::None;
      if (isLimited) options.memoryLimitBytes = plan.memoryLimitBytes;
      RunObserver observer;
      TrainingSession session(options, observer);
      session.start();
      const RunOutcome outcome = session.wait();
      REQUIRE(outcome.outcome == Outcome::Finished);
      hashes[isLimited ? 1 : 0] = outcome.weightsHash;
      if (isLimited) CHECK(outcome.peakBytes <= *plan.memoryLimitBytes);
    }
    CHECK(hashes[0] == hashes[1]);

    plan.memoryLimitBytes = smallest - smallest / 20;
    plan.findsLargestBatch = true;
    const TrainingPlan tooLarge = planTraining(project, plan);
    CHECK_FALSE(tooLarge.fits);
    REQUIRE_FALSE(tooLarge.remedies.empty());
    for (const PlanRemedy& remedy : tooLarge.remedies) CHECK(remedy.peakBytes <= *plan.memoryLimitBytes);
  }
}
