// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>
#include <charconv>
#include <cmath>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <thread>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/events_file.h"
#include "app/cli/launched_process.h"
#include "app/cli/progress.h"
#include "core/cost/simulated_card.h"
#include "core/runs/event_log.h"
#include "core/runs/moved_run.h"
#include "core/runs/run_record.h"
#include "core/train/session.h"
#include "core/train/step_capture.h"
#include "gpu/base/bytes.h"
#include "gpu/base/printable.h"
#include "gpu/devices/device_name.h"
#include "gpu/devices/devices.h"

namespace strata::cli {

namespace {

struct TrainOptions {
  ProjectArgument project;
  std::string device, runDirectory, resume, events, recompute;
  int64_t epochs = 0, steps = 0, batchSize = 0, seed = -1, memoryLimit = 0, fromStep = 0;
  int threads = 0;
  std::vector<std::string> changes;
  bool hasNoProgress = false, isProfiled = false, samplesLayers = false;
  int64_t traceSteps = 0;
};

/// Turns Ctrl-C, SIGTERM and the end of the terminal into a request to stop the run. Construct it
/// before any other thread starts, so that all threads block these signals.
class StopSignals {
 public:
  StopSignals() {
    sigemptyset(&m_set);
    sigaddset(&m_set, SIGINT);
    sigaddset(&m_set, SIGTERM);
    struct sigaction hangup {};
    // nohup ignores SIGHUP, and the run must then ignore it too.
    if (sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
      sigaddset(&m_set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &m_set, nullptr);
  }
  void watch(TrainingSession& session) {
    m_thread = std::jthread([this, &session](const std::stop_token& stop) {
      const timespec wait{0, 100'000'000};
      while (!stop.stop_requested())
        if (sigtimedwait(&m_set, nullptr, &wait) > 0) session.stop();
    });
  }
  /// Takes no notice of the signals, because another process decides.
  void ignore() {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
      std::signal(signal, SIG_IGN);
  }

 private:
  sigset_t m_set;
  std::jthread m_thread;
};

/// Forwards every event to several observers.
class Observers : public RunObserver {
 public:
  void add(RunObserver& observer) { m_observers.push_back(&observer); }
  void onState(RunState state) override {
    for (auto* o : m_observers)
      o->onState(state);
  }
  void onStart(const RunStart& start) override {
    for (auto* o : m_observers)
      o->onStart(start);
  }
  void onStep(const StepMetrics& step) override {
    for (auto* o : m_observers)
      o->onStep(step);
  }
  void onEpoch(const EpochMetrics& epoch) override {
    for (auto* o : m_observers)
      o->onEpoch(epoch);
  }
  void onValidation(const ValidationMetrics& validation) override {
    for (auto* o : m_observers)
      o->onValidation(validation);
  }
  void onCheckpoint(const CheckpointSaved& saved) override {
    for (auto* o : m_observers)
      o->onCheckpoint(saved);
  }
  void onProfile(const std::shared_ptr<const ProfileSnapshot>& profile) override {
    for (auto* o : m_observers)
      o->onProfile(profile);
  }
  void onTrace(const StepsTraced& traced) override {
    for (auto* o : m_observers)
      o->onTrace(traced);
  }
  void onDeviceState(const DeviceSample& sample) override {
    for (auto* o : m_observers)
      o->onDeviceState(sample);
  }
  void onSetting(const SettingChanged& setting) override {
    for (auto* o : m_observers)
      o->onSetting(setting);
  }
  void onLayerSampling(const LayerSampling& sampling) override {
    for (auto* o : m_observers)
      o->onLayerSampling(sampling);
  }
  void onLayerSample(const std::shared_ptr<const LayerSample>& sample) override {
    for (auto* o : m_observers)
      o->onLayerSample(sample);
  }
  void onKeptBatch(const KeptBatch& batch) override {
    for (auto* o : m_observers)
      o->onKeptBatch(batch);
  }
  void onWarning(const std::string& warning) override {
    for (auto* o : m_observers)
      o->onWarning(warning);
  }
  void onWarningOf(const std::string& code, const std::string& text) override {
    for (auto* o : m_observers)
      o->onWarningOf(code, text);
  }
  void onOutcome(const RunOutcome& outcome) override {
    for (auto* o : m_observers)
      o->onOutcome(outcome);
  }

 private:
  std::vector<RunObserver*> m_observers;
};

/// Appends the changes of --at to the project's planned changes. Each has the form STEP:NAME=VALUE.
void addChanges(Project& project, const std::vector<std::string>& changes) {
  Json& list = project.document()["training"]["changes"];
  if (!list.is_array()) list = Json::array();
  for (const std::string& text : changes) {
    const size_t colon = text.find(':'), equals = text.rfind('=');
    int64_t step = 0;
    double value = 0;
    const char* const end = text.data() + text.size();
    bool isValid =
        colon != std::string::npos && equals != std::string::npos && equals > colon + 1 &&
        std::from_chars(text.data(), text.data() + colon, step).ptr == text.data() + colon &&
        step > 0;
    if (isValid) {
      const auto [stop, error] = std::from_chars(text.data() + equals + 1, end, value);
      isValid = stop == end && error == std::errc() && std::isfinite(value);
    }
    if (!isValid)
      throw Error(ErrorCode::InvalidArgument, "--at " + text,
                  "has the wrong form (expected STEP:NAME=VALUE, such as 100:learning_rate=0.0001 "
                  "or 200:drop/rate=0.1). Correct it.");
    list.push_back(
        {{"step", step}, {"name", text.substr(colon + 1, equals - colon - 1)}, {"value", value}});
  }
}

/// Returns the project with the epochs and batch size that the options request.
Project asLongAs(Project project, const TrainOptions& options) {
  // With --steps, the number of epochs must not end the run early.
  constexpr int64_t kMaxEpochs = 1'000'000'000;
  const auto set = [&](const char* field, int64_t value) {
    if (value > 0) project.document()["training"][field] = value;
  };
  set("epochs", options.steps > 0 ? kMaxEpochs : options.epochs);
  set("batch_size", options.batchSize);
  return project;
}

int64_t trainingSeed(const Json& training) {
  return training.contains("seed") && training["seed"].is_number() ? training["seed"].get<int64_t>()
                                                                   : 1;
}

/// Checks the options against the settings of the run to resume, which keeps its settings.
/// Contradictory options are errors, and options without effect cause warnings.
void checkResume(const TrainOptions& options, const std::string& directory) {
  namespace fs = std::filesystem;
  const auto refuse = [](const std::string& option, const std::string& why) {
    throw Error(ErrorCode::InvalidArgument, option,
                "contradicts --resume: " + why + " Omit it, or start a new run without --resume.");
  };
  if (options.fromStep == 0 && options.resume != "latest" && !options.runDirectory.empty()) {
    std::error_code error;
    const bool isSame = fs::weakly_canonical(options.runDirectory, error) ==
                        fs::weakly_canonical(options.resume, error);
    if (!isSame)
      refuse("--run-dir " + options.runDirectory, "a continued run stays in its directory.");
  }
  const auto own = loadRunProject(directory);
  const Json none = Json::object(), &training = own && own->document().contains("training")
                                                    ? own->document()["training"]
                                                    : none;
  if (const int64_t seed = trainingSeed(training); options.seed >= 0 && own && seed != options.seed)
    refuse("--seed " + std::to_string(options.seed),
           "the run was started with seed " + std::to_string(seed) + ", which cannot be changed.");
  if (!options.changes.empty()) {
    Project wanted(none, "");
    addChanges(wanted, options.changes);
    const Json& planned = wanted.document()["training"]["changes"];
    if (own && (!training.contains("changes") || training["changes"] != planned))
      refuse("--at", "changes of settings can only be planned when a run starts.");
  }
  if (options.project.hasAssignments())
    printMessage("warning: " + directory +
                 ": --set has no effect on a continued run, which uses its own project.json.");
  if (own) (void)recomputeFor(*own, options.recompute);
  if (own)
    for (const std::string& pass : options.project.disabledPasses())
      if (!CheckedProject(*own).execution().disabledPasses.contains(pass))
        refuse("--disable-pass " + pass, "the run was started with this pass enabled.");
  if (!own) return;
  const ExecutionOptions execution = CheckedProject(*own).execution();
  const std::string attention = execution.isAttentionDeterministic ? "true" : "false";
  if (const std::string& wanted = options.project.deterministicAttention();
      !wanted.empty() && attention != wanted)
    refuse("--deterministic-attention " + wanted,
           "the run was started with " + attention + ", which cannot be changed.");
  const std::string_view used = precisionName(execution.precision);
  if (const std::string& wanted = options.project.precision(); !wanted.empty() && used != wanted)
    refuse("--precision " + wanted,
           "the run was started in " + std::string(used) + ", which cannot be changed.");
  if (used == "tf32" && !options.device.empty() &&
      !DeviceName(resolvedDeviceName(options.device)).isGpu())
    refuse("--device " + options.device, "the run was started in tf32, which is for NVIDIA GPUs.");
}

int report(const RunOutcome& outcome, const RunStart& start, std::ostream& out) {
  const std::vector<std::string>& metricNames = start.metricNames;
  if (outcome.outcome == Outcome::Failed) {
    printMessage(outcome.error->line());
    return outcome.error->code() == ErrorCode::NonFinite ? kFailed : exitCodeOf(*outcome.error);
  }
  if (outcome.hasTest) {
    out << "Test, " << formatCounted(outcome.testSamples, "sample") << ": loss "
        << formatNumber(outcome.testLoss, 4);
    for (size_t i = 0; i < outcome.testMetrics.size() && i < metricNames.size(); ++i)
      out << ", " << metricNames[i] << " " << formatNumber(outcome.testMetrics[i], 4);
    out << "\n";
  }
  if (const PhaseTimes& phases = outcome.phases; phases.steps > 0) {
    const auto share = [&](double seconds) {
      return formatNumber(100 * phases.fractionOf(seconds), 1) + "%";
    };
    const std::string micros =
        formatNumber(1e6 * phases.stepSeconds / static_cast<double>(phases.steps), 1) + " us";
    const std::string parts = "forward " + share(phases.forwardSeconds) + ", backward " +
                              share(phases.backwardSeconds) + ", update " +
                              share(phases.updateSeconds);
    const std::string communication =
        phases.collectiveSeconds > 0
            ? "; communication, a part of these, took " + share(phases.collectiveSeconds)
            : "";
    // The times of a simulated card are predicted
    if (DeviceName(start.device).isSimulated())
      out << "Predicted time of a step: " << micros << ": " << parts << ", inputs and results "
          << share(phases.stepSeconds - phases.forwardSeconds - phases.backwardSeconds -
                   phases.updateSeconds)
          << communication << ".\n";
    else
      out << "A step took " << micros << ": waiting for data " << share(phases.waitSeconds) << ", "
          << parts << communication << "; profiling overhead "
          << formatNumber(100 * phases.fractionOf(phases.measuringSeconds), 3) << "%.\n";
  }
  if (const PhaseTimes& phases = outcome.phases; phases.collectives > 0) {
    const auto steps = static_cast<double>(phases.steps);
    out << "Communication with other processes took "
        << formatNumber(1e6 * phases.communicationSeconds / steps, 1) << " us a step, of which "
        << formatNumber(1e6 * phases.exposedSeconds / steps, 1) << " us were not hidden; "
        << bytesText(static_cast<double>(phases.communicationBytes) / steps) << " sent in "
        << formatNumber(static_cast<double>(phases.collectives) / steps, 1) << " sums.\n";
  }
  for (const DeviceSummary& device : outcome.devices)
    if (device.samples > 0) out << deviceText(device) << ".\n";
  // Many devices report no power
  if (const RunEnergy energy = energyOf(start, outcome.devices, outcome.trainedSamples);
      energy.isKnown())
    out << "Energy: " << energyText(energy) << ".\n";
  if (const auto& scale = outcome.lossScale; scale && scale->skippedSteps > 0)
    out << "Skipped " << formatCounted(scale->skippedSteps, "step")
        << ", because a gradient overflowed in float16; the loss scale is "
        << formatNumber(scale->scale, scale->scale < 1 ? 6 : 0) << ".\n";
  if (!outcome.endedBy.empty()) out << "The run was ended by " << outcome.endedBy << ".\n";
  if (!outcome.restoredBy.empty())
    out << "Restored the weights of epoch " << outcome.restoredEpoch << ", the best by "
        << outcome.restoredBy << ".\n";
  if (!outcome.bestPath.empty())
    out << "Best weights: " << printable(outcome.bestPath)
        << ". Checkpoints: " << bytesText(static_cast<double>(outcome.checkpointBytes)) << ".\n";
  const bool isStopped = outcome.outcome == Outcome::Stopped;
  out << (isStopped ? "Stopped after step " + formatCount(static_cast<double>(outcome.steps))
                    : "Finished: " + formatCounted(outcome.steps, "step"))
      << " in " << formatNumber(outcome.seconds, 1) << " s.";
  if (!outcome.weightsPath.empty()) out << " Weights: " << printable(outcome.weightsPath);
  out << "\n";
  return isStopped ? kStopped : kDone;
}

/// Returns what to train.
SessionOptions sessionOptions(const TrainOptions& options) {
  SessionOptions session;
  session.project = options.project.load();
  if (!options.resume.empty()) {
    if (options.fromStep > 0) session.branchStep = options.fromStep;
    if (options.resume != "latest")
      session.resumeFrom = placeOfRun(options.resume);
    else if (options.runDirectory.empty() || session.branchStep)
      session.resumeFrom = latestRunDirectory(session.project);
    else
      session.resumeFrom = placeOfRun(options.runDirectory);
    if (session.resumeFrom.empty())
      throw Error(ErrorCode::InvalidArgument, options.project.path(),
                  "has no run to resume. Train without --resume first.");
    checkResume(options, session.resumeFrom);
  }
  else {
    if (options.fromStep > 0)
      throw Error(ErrorCode::InvalidArgument, "--from-step",
                  "needs the run with this checkpoint (expected --resume DIR). Name the run.");
    session.overrides = options.project.assigned();
    if (!options.changes.empty()) {
      addChanges(session.project, options.changes);
      session.overrides.emplace_back("/training/changes");
    }
    options.project.check(asLongAs(session.project, options));
  }
  session.device = options.device;
  session.threads = options.threads;
  warnOfThreads(options.threads);
  session.runDirectory = options.runDirectory;
  session.isProfiling = options.isProfiled || options.traceSteps > 0;
  session.traceSteps = options.traceSteps;
  session.samplesLayers = session.isSamplingAsked = options.samplesLayers;
  if (options.epochs > 0) session.epochs = options.epochs;
  if (options.steps > 0) session.maxSteps = options.steps;
  if (options.batchSize > 0) session.batchSize = options.batchSize;
  if (options.seed >= 0) session.seed = static_cast<uint64_t>(options.seed);

  session.recompute = options.resume.empty() ? recomputeFor(session.project, options.recompute)
                                             : recomputeFromName(options.recompute);
  if (options.memoryLimit > 0) session.memoryLimitBytes = static_cast<size_t>(options.memoryLimit);
  return session;
}

/// Trains in a process that follows the first one.
int follow(LaunchedProcess& process, StopSignals& signals) {
  SessionOptions options;
  options.link = &process.link();
  options.writesRunDirectory = false;
  TrainingSession training(std::move(options), process);
  signals.ignore();
  process.setSession(&training);
  training.start();
  const RunOutcome outcome = training.wait();
  return process.end(outcome.outcome == Outcome::Failed ? kFailed : kDone);
}

/// Trains in the only process, or in the first one of several. `process` is null in the only one.
int lead(const TrainOptions& options, LaunchedProcess* process, StopSignals& signals) {
  const bool isEventsToOutput = options.events == "-";
  std::ostream& people = isEventsToOutput ? std::cerr : std::cout;
  SessionOptions session = sessionOptions(options);
  Observers observers;
  std::unique_ptr<EventsFile> eventsFile;
  if (!options.events.empty() && !isEventsToOutput)
    eventsFile = std::make_unique<EventsFile>(
        options.events, session.resumeFrom.empty() || session.branchStep ? session.runDirectory
                                                                         : session.resumeFrom);
  std::unique_ptr<EventLog> events;
  if (!options.events.empty()) {
    events = std::make_unique<EventLog>(eventsFile ? eventsFile->stream() : std::cout);
    observers.add(*events);
  }
  ConsoleProgress progress(
      people, !options.hasNoProgress && isatty(isEventsToOutput ? STDERR_FILENO : STDOUT_FILENO),
      options.hasNoProgress);
  observers.add(progress);
  if (process) {
    session.link = &process->link();
    observers.add(*process);
  }
  TrainingSession training(std::move(session), observers);
  signals.watch(training);
  if (process) process->setSession(&training);
  training.start();
  const RunOutcome outcome = progress.run();
  training.wait();
  if (process) process->setSession(nullptr);
  if (eventsFile) eventsFile->finish();
  return report(outcome, progress.start(), people);
}

int train(const TrainOptions& options) {
  // A closed pipe does not stop the run. The exit code reports the lost output.
  std::signal(SIGPIPE, SIG_IGN);
  StopSignals signals;
  const std::unique_ptr<LaunchedProcess> process = LaunchedProcess::join();
  if (!process) return lead(options, nullptr, signals);
  if (!process->isFirst()) return follow(*process, signals);
  int code = kFailed;
  try {
    code = lead(options, process.get(), signals);
  }
  catch (const Error& error) {
    printMessage(error.line());
    code = exitCodeOf(error);
  }
  catch (const Reported& reported) {
    code = reported.code;
  }
  return process->end(code);
}

}  // namespace

Action setupTrain(Arguments& accepted) {
  auto options = std::make_shared<TrainOptions>();
  options->project.addTo(accepted);
  options->project.addDeviceTo(accepted, options->device, "the project's");
  accepted.count("--epochs", options->epochs, "Number of epochs (default: the project's)");
  accepted.count("--steps", options->steps, "Total number of updates, in as many epochs as needed");
  accepted.batchSize(options->batchSize, "Samples per update (default: the project's)");
  accepted.number("--seed", options->seed,
                  "Seed for weights, sample order and dropout (default: the project's)", 0,
                  int64_t{1} << 62);
  accepted.threads(options->threads);
  addRecompute(accepted, options->recompute);
  addMemoryLimit(accepted, options->memoryLimit);
  options->project.addPassesTo(accepted);
  accepted.text("--run-dir", options->runDirectory,
                "Directory of this run (default: the next PROJECT.runs/NNN)", "DIR");
  accepted.text(
      "--resume", options->resume,
      "Continue a run: its directory, or latest for the run of the project with the highest number",
      "DIR");
  accepted.count("--from-step", options->fromStep,
                 "With --resume, start a new run from the checkpoint of this step. The other run "
                 "stays as it is");
  accepted.repeated("--at", options->changes,
                    "Change a setting at a step: learning_rate, clipnorm, clipvalue, "
                    "global_clipnorm, weight_decay (0: off) or the dropout rate of a layer, such "
                    "as drop/rate (repeatable)",
                    "STEP:NAME=VALUE");
  accepted.text("--events", options->events,
                "Write the events to this file, one JSON object per line (-: standard output)",
                "FILE");
  accepted.flag("--profile", options->isProfiled,
                "Measure some steps node by node, and save their kernels in the run, for strata "
                "profile");
  accepted.number("--trace-steps", options->traceSteps,
                  "Record this many consecutive steps (at most 1000): the training thread, loading "
                  "and every kernel of every device on one time axis. strata profile RUN --trace "
                  "FILE exports them. Implies --profile",
                  1, StepCapture::kMostSteps);
  accepted.flag("--layer-statistics", options->samplesLayers,
                "Sample the statistics of all layers during the run, for strata runs layers. After "
                "the first sample, this takes at most 3% of the training time. Results keep all "
                "bits");
  accepted.flag("--no-progress", options->hasNoProgress,
                "Print one line per epoch instead of a progress bar");
  return [options] {
    return train(*options);
  };
}

}  // namespace strata::cli
