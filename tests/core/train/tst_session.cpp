// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <fstream>
#include <thread>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "core/interchange/safetensors.h"
#include "core/runs/history.h"
#include "core/train/bench.h"
#include "core/train/checkpoint.h"
#include "core/train/evaluator.h"
#include "core/train/kept_weights.h"
#include "core/train/plan.h"
#include "core/train/session.h"
#include "tests/support/allocation_count.h"
#include "tests/support/paths.h"
#include "tests/support/skip.h"
#include "tests/support/small_run.h"

using namespace strata;

TEST_SUITE("session") {
  TEST_CASE("a complete run has its events in order, one outcome at the end, and its files") {
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
    // The loss of an epoch is the mean over its samples.
    double sum = 0;
    for (size_t i = 0; i < 8; ++i)
      sum += recorder.steps[i].loss * static_cast<double>(recorder.steps[i].samples);
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

    // Evaluating the saved weights gives the results that training reported.
    Evaluator evaluator(smallProject(), (folder / "run").string(), "reference", 2);
    const EvaluationResult evaluation = evaluator.evaluate("test");
    CHECK(evaluation.loss == outcome.testLoss);
    CHECK(evaluation.outputs[0].predictedClasses.size() == 13);
    const Tensor zeros(DType::F32, Shape{6, 6, 1}), small(DType::F32, Shape{5, 6, 1});
    const std::vector<float> output = evaluator.predict({&zeros, 1})[0];
    REQUIRE(output.size() == 3);
    CHECK(output[0] + output[1] + output[2] == doctest::Approx(1));
    CHECK_THROWS_AS(evaluator.predict({&small, 1}), Error);
    CHECK(evaluator.evaluate("validation").loss == recorder.epochs[2].validationLoss);
    // The folder already contains a run.
    const RunOutcome refused = trainAll(optionsFor(smallProject(), folder / "run"), recorder);
    REQUIRE(refused.error);
    CHECK(refused.error->code() == ErrorCode::InvalidArgument);
  }

  TEST_CASE("the seed and the number of threads determine the bits, also in bench") {
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

  TEST_CASE(
      "a new run of an edited network takes over the matching layers, and records the run they "
      "came "
      "from") {
    TemporaryFolder folder;
    Recorder first;
    const RunOutcome source = trainAll(optionsFor(smallProject(), folder / "first"), first);
    REQUIRE_MESSAGE(source.outcome == Outcome::Finished, messageOf(source));
    const auto trained = readSafetensors(source.weightsPath).tensors;

    Project edited = smallProject();
    Json& layers = edited.document()["model"]["layers"];
    const std::string renamed = layers.back()["name"].get<std::string>();
    layers.back()["name"] = "renamed";
    const KeptLayers expected =
        keptLayers(CheckedProject(edited).model(), CheckedProject(smallProject()).model());
    CHECK(expected.fresh == std::vector<std::string>{"renamed"});
    REQUIRE(!expected.kept.empty());

    SessionOptions options = optionsFor(edited, folder / "second");
    options.weightsFrom = (folder / "first").string();
    options.maxSteps = 1;
    Recorder second;
    const RunOutcome outcome = trainAll(options, second);
    REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
    CHECK(second.start.keptLayers == expected.kept);
    // The checkpoint before the first step contains the new layers, and the kept layers unchanged.
    const Checkpoint begin =
        readCheckpoint((folder / "second/checkpoints/000000000000.safetensors").string());
    for (const auto& [name, tensor] : trained) {
      if (name.starts_with(renamed + "/")) {
        CHECK(!begin.tensors.contains(name));
      }
      else {
        REQUIRE(begin.tensors.contains(name));
        CHECK(weightsHash({{name, tensor}}) == weightsHash({{name, begin.tensors.at(name)}}));
      }
    }
    CHECK(weightsHash(readSafetensors(source.weightsPath).tensors) == source.weightsHash);
    CHECK(readRun((folder / "second").string()).start.weightsFrom == options.weightsFrom);
    CHECK(readRun((folder / "first").string()).start.memoryPlan.byCategoryAtPeak ==
          first.start.memoryPlan.byCategoryAtPeak);
    CHECK(keptLayers(CheckedProject(edited).model(), CheckedProject(edited).model()).fresh.empty());
    layers.back()["units"] = 4;
    CHECK(keptLayers(CheckedProject(edited).model(), CheckedProject(smallProject()).model()).kept ==
          expected.kept);
  }

  TEST_CASE("a session can pause, run a single step, resume and change the learning rate") {
    Recorder recorder;
    SessionOptions options = optionsFor(smallProject());
    options.startsPaused = true;
    options.epochs = 1000;
    TrainingSession session(options, recorder);
    session.start();
    const auto waitForState = [&](RunState state) {
      for (int i = 0; i < 5000 && session.state() != state; ++i)
        std::this_thread::sleep_for(2ms);
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

  TEST_CASE("twenty thousand fast steps succeed, and a session may be destroyed at any time") {
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

  TEST_CASE(
      "a non-finite loss stops the run, names step and layer and keeps the last valid checkpoint") {
    TemporaryFolder folder;
    Project project = smallProject();
    project.document()["training"]["optimizer"] = {{"type", "sgd"}, {"learning_rate", 1e30}};
    Recorder recorder;
    SessionOptions options = optionsFor(project, folder / "run");
    // A checkpoint is saved after every step.
    options.checkpointInterval = 0ms;
    const RunOutcome outcome = trainAll(options, recorder);
    REQUIRE(outcome.outcome == Outcome::Failed);
    REQUIRE(outcome.error);
    CHECK(outcome.error->code() == ErrorCode::NonFinite);
    MESSAGE(messageOf(outcome));
    CHECK(project.document().dump().find("\"" + outcome.error->subject() + "\"") !=
          std::string::npos);
    CHECK(std::string(outcome.error->what()).find("step " + std::to_string(outcome.steps + 1)) !=
          std::string::npos);
    CHECK(!std::isfinite(recorder.steps.back().loss));
    CHECK(recorder.steps.back().step == outcome.steps + 1);
    std::vector<std::string> warnings;
    const auto checkpoint = loadCheckpoint((folder / "run").string(), warnings);
    REQUIRE(checkpoint);
    CHECK(checkpoint->step <= outcome.steps);
    CHECK(readRun((folder / "run").string()).status == RunStatus::Failed);
  }

  TEST_CASE(
      "mismatched data, weights of another network and an unusable folder fail before anything is "
      "written") {
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

  TEST_CASE("initial weights are found next to the project") {
    TemporaryFolder folder;
    Recorder recorder;
    REQUIRE(trainAll(optionsFor(smallProject(), folder / "run"), recorder).outcome ==
            Outcome::Finished);
    Project project = smallProject(folder / "small.json");
    project.document()["training"]["initial_weights"] = "run/weights.safetensors";
    Recorder second;
    const RunOutcome outcome = trainAll(optionsFor(project), second);
    REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
    CHECK(second.steps.front().loss < recorder.steps.front().loss);
  }

  TEST_CASE("steps allocate nothing, with dropout, accumulation and history on disk") {
    if (!test::canRun(test::whyNoAllocationCount())) return;
    struct Counter : RunObserver {
      void onStep(const StepMetrics& step) override {
        if (step.step == 2) test::startCountingAllocations();
        if (step.step == 7) count = test::stopCountingAllocations();
      }
      int64_t count = -1;
    };
    for (const int pieces : {1, 3})
      for (const char* device : {"cpu", "reference"}) {
        TemporaryFolder folder;
        Project project = smallProject();
        project.document()["training"]["gradient_accumulation_steps"] = pieces;
        SessionOptions options = optionsFor(std::move(project), folder / "run");
        options.device = device;
        // All of these steps are in the first epoch, before its smaller last batch.
        options.maxSteps = 7;
        Counter counter;
        TrainingSession session(std::move(options), counter);
        session.start();
        const RunOutcome outcome = session.wait();
        CHECK_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
        CAPTURE(pieces);
        CAPTURE(std::string(device));
        CHECK(counter.count == 0);
      }
  }

  TEST_CASE("the time of steps is divided into its parts without profiling, with the overhead") {
    Recorder recorder;
    SessionOptions options = optionsFor(smallProject());
    options.epochs = 100000;
    TrainingSession session(options, recorder);
    recorder.onStepDone = [&](int64_t) {
      if (recorder.profile) session.stop();
    };
    session.start();
    const RunOutcome outcome = session.wait();
    REQUIRE(recorder.profile);
    CHECK(recorder.profile->steps == 0);
    CHECK(recorder.profile->rows.empty());
    const auto& p = *recorder.profile;
    for (const double fraction :
         {p.dataWaitFraction, p.forwardFraction, p.backwardFraction, p.updateFraction})
      CHECK(fraction > 0);
    CHECK(p.forwardFraction + p.backwardFraction + p.updateFraction + p.dataWaitFraction <= 1.001);
    const PhaseTimes& all = outcome.phases;
    CHECK(all.steps == outcome.steps);
    CHECK(all.forwardSeconds + all.backwardSeconds + all.updateSeconds + all.waitSeconds <=
          all.stepSeconds);
    CHECK(all.forwardSeconds + all.backwardSeconds + all.updateSeconds + all.waitSeconds >
          0.5 * all.stepSeconds);
    CHECK(all.measuringSeconds > 0);
    CHECK(all.fractionOf(all.measuringSeconds) < 0.05);
  }

  TEST_CASE("a session provides the profile and the plan of a step") {
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
    CHECK(std::any_of(p.rows.begin(), p.rows.end(),
                      [](const ProfileRow& row) { return row.layer == "conv"; }));

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
    // A batch has at most all samples
    const Project large = smallProjectWith({{"/data/source/samples", "100000"}});
    plan.batchSize = *found.largestBatch;
    CHECK(planTraining(large, plan).fits);
    plan.batchSize = *found.largestBatch + *found.largestBatch / 500 + 2;
    CHECK(!planTraining(large, plan).fits);
    plan.recompute = Recompute::None;
    CHECK(!planTraining(large, plan).fits);
  }
}
