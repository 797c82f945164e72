// SPDX-License-Identifier: Apache-2.0
// A project that trains within milliseconds, and an observer that records all events, for tests of
// sessions. Read the lists of a Recorder only while its session is paused or has ended. Any thread
// may call waitForSteps() and numSteps() at any time.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/interchange/safetensors.h"
#include "core/train/session.h"
#include "tests/support/paths.h"

namespace strata {

using namespace std::chrono_literals;

/// The project has 117 training and 13 validation samples. An epoch has 7 batches of 16 samples and
/// one batch of 5.
inline const char* const kSmallProject = R"({
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

inline Project smallProject(const std::filesystem::path& path = {}) {
  return Project(parseJson(kSmallProject, "small"), path.string());
}

/// Returns the small project with other values, each given as a JSON pointer and a JSON text.
inline Project smallProjectWith(const std::vector<std::pair<std::string, std::string>>& values) {
  Project project = smallProject();
  for (const auto& [pointer, value] : values)
    project.document()[Json::json_pointer(pointer)] = Json::parse(value);
  return project;
}

/// Records all events of a run. The training thread calls `onStepDone` after each step.
class Recorder : public RunObserver {
 public:
  std::function<void(int64_t)> onStepDone;

  void onState(RunState state) override {
    note("state " + std::to_string(static_cast<int>(state)));
  }
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
  void onProfile(const std::shared_ptr<const ProfileSnapshot>& snapshot) override {
    profile = snapshot;
  }
  void onTrace(const StepsTraced& steps_) override { traces.push_back(steps_); }
  void onValidation(const ValidationMetrics& validation) override {
    validations.push_back(validation);
  }
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
  std::vector<ValidationMetrics> validations;
  std::vector<StepsTraced> traces;
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

inline SessionOptions optionsFor(Project project, const std::filesystem::path& runDirectory = {}) {
  SessionOptions options;
  options.project = std::move(project);
  options.threads = 2;
  options.device = "reference";
  options.runDirectory = runDirectory.string();
  options.writesRunDirectory = !runDirectory.empty();
  return options;
}

/// Returns options that resume the run in this directory.
inline SessionOptions resumeOptions(Project project, const std::filesystem::path& runDirectory) {
  SessionOptions options = optionsFor(std::move(project));
  options.writesRunDirectory = true;
  options.resumeFrom = runDirectory.string();
  return options;
}

inline RunOutcome trainAll(SessionOptions options, Recorder& recorder) {
  TrainingSession session(std::move(options), recorder);
  session.start();
  return session.wait();
}

/// Trains and requests a stop after this step.
inline RunOutcome trainUntil(int64_t lastStep, SessionOptions options, Recorder& recorder) {
  TrainingSession session(std::move(options), recorder);
  recorder.onStepDone = [&](int64_t step) {
    if (step == lastStep) session.stop();
  };
  session.start();
  return session.wait();
}

/// Returns the final weights in a run directory.
inline std::map<std::string, Tensor> weightsIn(const std::filesystem::path& runDirectory) {
  return readSafetensors((runDirectory / "weights.safetensors").string()).tensors;
}

inline std::string messageOf(const RunOutcome& outcome) {
  return outcome.error ? outcome.error->line() : std::string("no error");
}

}  // namespace strata
