// SPDX-License-Identifier: Apache-2.0
#include "core/train/trainer.h"

#include <cmath>
#include <cstring>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "core/cost/kernel_choices_file.h"
#include "core/interchange/safetensors.h"
#include "core/project/text.h"
#include "core/runs/profile_file.h"
#include "core/train/batches.h"
#include "core/train/network.h"
#include "core/train/non_finite.h"
#include "core/train/run_files.h"
#include "core/train/step_profile.h"
#include "gpu/base/clock.h"
#include "gpu/exec/device.h"

namespace strata {

namespace {

/// Samples per second over about the last second of training.
class RateMeter {
 public:
  void add(double samples, double seconds) {
    const double decay = std::exp(-seconds);
    m_samples = m_samples * decay + samples;
    m_seconds = m_seconds * decay + seconds;
  }
  double perSecond() const { return m_seconds > 0 ? m_samples / m_seconds : 0; }

 private:
  double m_samples = 0, m_seconds = 0;
};

class Trainer {
 public:
  Trainer(const SessionOptions& options, RunControl& control, RunObserver& observer)
      : m_options(options), m_control(control), m_observer(observer) {}
  RunOutcome run();

 private:
  void prepare();
  Project effectiveProject();
  void openFiles();
  void announce();
  bool trainToEnd();
  bool mayGoOn();
  bool trainStep();
  bool endEpoch();
  void save(bool isForced);
  void finish(RunOutcome& outcome, bool isDone);
  bool evaluate(const Samples& samples, int64_t begin, int64_t count, double& loss, std::vector<double>& metrics);
  void setState(RunState state);
  void tellProfile(Program& program, bool isLast);
  void report(const BatchSums& sums, double seconds);
  /// Tells the observer and the run's own event log.
  template <class Call>
  void tell(Call call) {
    if (m_files) call(static_cast<RunObserver&>(m_files->events()));
    call(m_observer);
  }

  const SessionOptions& m_options;
  RunControl& m_control;
  RunObserver& m_observer;
  const Clock::time_point m_started = Clock::now();
  RunEnvironment m_environment;
  std::shared_ptr<const Dataset> m_dataset;
  std::unique_ptr<Network> m_network;
  std::unique_ptr<EpochBatches> m_batches;
  std::unique_ptr<RunFiles> m_files;
  std::optional<Checkpoint> m_resumed;
  std::vector<std::string> m_warnings;
  KeptLayers m_kept;
  Checkpoint m_position;  // where the run stands; its tensors stay where they are, in the network
  uint64_t m_seed = 0;
  int64_t m_totalSteps = 0, m_epochs = 0, m_savedStep = -1;
  size_t m_memoryBytes = 0;
  Clock::time_point m_lastSave;
  RateMeter m_rate;
  StepMetrics m_metrics;  // reused: no allocation a step
  BatchSums m_sums;
  StepProfile m_profile;
  std::shared_ptr<const ProfileSnapshot> m_lastProfile;
};

void Trainer::setState(RunState state) {
  m_control.setState(state);
  m_observer.onState(state);
}

/// The project as it will run: of a resumed run its own, with the overrides of the options.
Project Trainer::effectiveProject() {
  Project project = m_options.project;
  if (!m_options.resumeFrom.empty()) {
    const std::string path = (std::filesystem::path(m_options.resumeFrom) / "project.json").string();
    std::error_code error;
    const bool hasProject = std::filesystem::is_regular_file(path, error);
    if (error && error != std::errc::no_such_file_or_directory && error != std::errc::not_a_directory)
      throw Error(ErrorCode::InvalidFile, m_options.resumeFrom,
                  "cannot be read (" + error.message() + "). Check that you may read the folder.");
    if (!hasProject && !holdsNoRunYet(m_options.resumeFrom))
      throw Error(ErrorCode::InvalidArgument, m_options.resumeFrom,
                  "is no run directory (expected a project.json in it). Name a folder such as mnist-cnn.runs/001.");
    if (hasProject) {
      Result<Project> stored = loadProject(path);
      if (!stored) throw stored.error();
      stored->setPath(project.path());  // relative paths in it start where they did
      project = std::move(*stored);
    }
    m_environment = readEnvironment(m_options.resumeFrom);
    m_resumed = loadCheckpoint(m_options.resumeFrom, m_warnings);
    if (!m_resumed)
      m_warnings.push_back(m_options.resumeFrom + ": ended before its first checkpoint was written, so it starts anew at step 0" +
                           (hasProject ? "." : ", with the project as it is now."));
  }
  Json& training = project.document()["training"];
  if (m_options.epochs) training["epochs"] = *m_options.epochs;
  if (m_options.batchSize) training["batch_size"] = *m_options.batchSize;
  if (m_options.seed) training["seed"] = *m_options.seed;
  if (m_options.recompute) project.document()["execution"]["recompute"] = recomputeName(*m_options.recompute);
  if (m_options.memoryLimitBytes) project.document()["execution"]["memory_limit"] = *m_options.memoryLimitBytes;
  if (m_options.maxSteps)
    m_environment.maxSteps = m_options.maxSteps;
  else if (m_options.epochs)
    m_environment.maxSteps.reset();
  return project;
}

void Trainer::prepare() {
  const Project project = effectiveProject();
  m_dataset = loadDataset(project);
  NetworkOptions options;
  options.device = m_options.device.empty() ? m_environment.device : m_options.device;
  options.threads = m_options.threads > 0 ? m_options.threads : m_environment.threads;
  options.niceness = m_options.niceness;
  options.mostBatch = m_dataset->trainCount;
  options.measuresKernels = true;
  options.stop = m_control.stopToken();
  if (m_resumed) options.ways = readKernelWays(m_options.resumeFrom);
  m_network = std::make_unique<Network>(project, options);
  std::vector<int64_t> evaluated = m_network->evaluateBatchesOf(m_dataset->validationCount);
  for (const int64_t samples : m_network->evaluateBatchesOf(m_dataset->test->count())) evaluated.push_back(samples);
  m_network->prepare(m_network->batchesOf(m_dataset->trainCount), evaluated, m_dataset.get());
  m_batches = std::make_unique<EpochBatches>(*m_network, *m_dataset, m_network->training().isShuffled);
  m_seed = m_network->training().seed;
  m_environment.device = m_network->deviceName();
  m_environment.threads = m_network->backend().numWorkers();
  m_environment.processor = processorTitle();

  m_position.seed = m_seed;
  m_position.learningRate = m_network->training().learningRate;
  m_position.metricSums.assign(m_network->numMetricSums(), 0.0);
  if (m_resumed) {
    m_network->setWholeState(m_resumed->tensors, m_options.resumeFrom);
    m_resumed->tensors.clear();
    if (m_resumed->metricSums.size() != m_position.metricSums.size())
      throw Error(ErrorCode::InvalidFile, m_options.resumeFrom, "its checkpoint has other metrics than its project. Start a new run.");
    m_position = *m_resumed;
    if (m_options.seed) m_position.seed = m_seed;
    // A stop may lie inside an epoch, and its place in it counts batches of the size it had then.
    m_position.stepInEpoch = m_batches->stepsFor(m_position.epochSamples);
    if (m_position.stepInEpoch < 0)
      throw Error(ErrorCode::InvalidArgument, m_options.resumeFrom,
                  "stopped inside an epoch after " + counted(m_position.epochSamples, "sample") + " (expected whole batches of " +
                      std::to_string(m_network->batchSize()) + "). Continue it with the batch size it had.");
  } else {
    m_network->initialize(m_seed, m_dataset.get());
    if (const std::string& initial = m_network->training().initialWeights; !initial.empty()) {
      std::string file;
      const auto tensors = readWeights(pathInProject(project, initial), file);
      for (const std::string& note : m_network->setWeights(tensors, file)) m_warnings.push_back(file + ": " + note);
    }
    if (!m_options.weightsFrom.empty()) {
      std::string file;
      m_kept = m_network->takeWeights(readWeights(m_options.weightsFrom, file));
    }
  }
  // The epochs that are done may have had batches of another size: what is left counts from here.
  const int64_t perEpoch = m_batches->stepsPerEpoch(), done = m_position.epoch - 1, before = m_position.step - m_position.stepInEpoch;
  m_epochs = m_network->training().epochs;
  m_totalSteps = std::max(m_position.step, before + (m_epochs - done) * perEpoch);
  if (m_environment.maxSteps) {
    m_totalSteps = *m_environment.maxSteps;
    m_epochs = done + std::max<int64_t>(0, m_totalSteps - before + perEpoch - 1) / perEpoch;
  }
  m_memoryBytes = m_network->allocatedBytes();
}

void Trainer::openFiles() {
  if (!m_options.writesRunDirectory) return;
  const bool isNew = m_options.resumeFrom.empty();
  std::string directory = isNew ? m_options.runDirectory : m_options.resumeFrom;
  if (directory.empty()) directory = makeRunDirectory(m_options.project);
  m_files = std::make_unique<RunFiles>(directory, isNew);
  m_files->open(m_network->project(), m_environment, m_network->trainProgram(m_batches->samplesOf(0)), m_network->kernelWays(),
                m_network->metricNames(), m_resumed ? &*m_resumed : nullptr);
}

void Trainer::announce() {
  RunStart start;
  start.runDirectory = m_files ? m_files->directory() : "";
  start.device = m_environment.device;
  start.threads = m_environment.threads;
  start.parameters = m_network->parameters();
  start.plannedPeakBytes = m_network->plannedPeakBytes();
  start.memoryPlan = m_network->memoryPlan();
  start.metricNames = m_network->metricNames();
  start.stepsPerEpoch = m_batches->stepsPerEpoch();
  start.epochs = m_epochs;
  start.totalSteps = m_totalSteps;
  start.firstStep = m_position.step;
  start.trainSamples = m_dataset->trainCount;
  start.validationSamples = m_dataset->validationCount;
  start.testSamples = m_dataset->test->count();
  start.batchSize = m_network->batchSize();
  start.setupSeconds = secondsSince(m_started);
  if (!m_resumed) {
    start.weightsFrom = m_options.weightsFrom;
    start.keptLayers = m_kept.kept;
  }
  tell([&](RunObserver& o) { o.onStart(start); });
  for (const std::string& warning : m_warnings) tell([&](RunObserver& o) { o.onWarning(warning); });
}

/// Live settings, pauses and stops, between steps. False: stop.
bool Trainer::mayGoOn() {
  if (m_control.isQuiet()) return true;
  bool isPaused = false;
  for (;;) {
    if (const auto rate = m_control.takeLearningRate(); rate && *rate != m_position.learningRate) {
      m_position.learningRate = *rate;
      m_position.isLearningRateSet = true;
      const SettingChanged changed{m_position.step + 1, "learning_rate", *rate};
      tell([&](RunObserver& o) { o.onSetting(changed); });
    }
    if (!m_control.mustWait()) break;
    if (!isPaused) {
      setState(RunState::Paused);
      if (m_files) m_files->history().flush();  // whoever looks at the run now finds every step
      isPaused = true;
    }
    m_control.wait();
  }
  if (m_control.isStopRequested()) return false;
  if (m_control.state() != RunState::Running) setState(RunState::Running);
  return true;
}

void Trainer::report(const BatchSums& sums, double seconds) {
  m_rate.add(static_cast<double>(sums.samples), seconds);
  m_metrics.step = m_position.step;
  m_metrics.epoch = m_position.epoch;
  m_metrics.samples = sums.samples;
  const auto samples = static_cast<double>(sums.samples);
  m_metrics.loss = sums.loss / samples;
  m_network->metricValues(sums.metrics, sums.samples, m_metrics.metrics);
  m_metrics.learningRate = m_position.learningRate;
  m_metrics.samplesPerSecond = m_rate.perSecond();
  m_metrics.memoryBytes = m_memoryBytes;
  if (m_files)
    m_files->history().append({m_metrics.step, static_cast<int32_t>(m_metrics.epoch), HistoryKind::Step, m_position.seconds,
                               m_metrics.learningRate, m_metrics.samples, m_metrics.loss, m_metrics.metrics});
  m_observer.onStep(m_metrics);
}

/// One update. False: stopped, nothing changed.
bool Trainer::trainStep() {
  const auto started = Clock::now();
  const int64_t index = m_position.stepInEpoch, samples = m_batches->samplesOf(index);
  const bool isFullBatch = samples == m_network->batchSize();
  const bool isMeasured = isFullBatch && m_control.isProfiling() && m_profile.wantsMeasuring();
  m_sums.samples = 0;
  m_sums.loss = 0;
  std::fill(m_sums.metrics.begin(), m_sums.metrics.end(), 0.0);
  if (const TrainingOptions& training = m_network->training(); training.schedule && !m_position.isLearningRateSet)
    m_position.learningRate = training.schedule(m_position.step);
  std::chrono::nanoseconds gathering{0};
  int readings = 2;  // of the clock
  std::array<std::chrono::nanoseconds, 3> phases{};
  const std::vector<MicroBatch>& pieces = m_batches->piecesOf(index);
  Program::Outcome outcome = Program::Outcome::Done;
  Program* last = nullptr;
  for (const MicroBatch& piece : pieces) {
    const auto pieceStarted = Clock::now();
    Program& program = m_batches->place(m_seed, m_position.epoch, index, piece);
    m_network->setStep(program, m_position.step + 1, m_position.learningRate, m_seed, m_batches->firstSampleOf(index) + piece.offset,
                       static_cast<double>(piece.samples) / static_cast<double>(samples));
    gathering += Clock::now() - pieceStarted;
    readings += 2 + program.phaseReadings();
    last = &program;
    const bool isLast = &piece == &pieces.back();
    if (isMeasured && isLast) program.setProfiling(true);
    outcome = program.run(m_control.stopToken());
    if (isMeasured && isLast) program.setProfiling(false);
    if (outcome == Program::Outcome::Stopped) return false;
    for (size_t i = 0; i < phases.size(); ++i) phases[i] += program.lastPhases()[i];
    m_network->addSums(program, piece.samples, m_sums);
    if (outcome == Program::Outcome::NonFinite) break;
  }
  const auto ended = Clock::now();
  const double seconds = std::chrono::duration<double>(ended - started).count();
  if (outcome == Program::Outcome::NonFinite ||
      !std::isfinite(m_sums.loss)) {  // the latter where nothing is trained, so no write was to be guarded
    ++m_position.step;
    report(m_sums, seconds);  // the mark on the curve; the update itself was not made
    --m_position.step;
    BadBatch batch;
    batch.samples = m_dataset->train.get();
    batch.transform = m_dataset->transform;
    batch.indices = m_batches->indicesOf(index);
    batch.count = samples;
    batch.step = m_position.step + 1;
    batch.firstSample = m_batches->firstSampleOf(index);
    batch.loss = m_metrics.loss;
    batch.learningRate = m_position.learningRate;
    batch.seed = m_seed;
    throw explainNonFinite(*m_network, batch);
  }
  ++m_position.step;
  ++m_position.stepInEpoch;
  m_position.lossSum += m_sums.loss;
  for (size_t i = 0; i < m_sums.metrics.size(); ++i) m_position.metricSums[i] += m_sums.metrics[i];
  m_position.epochSamples += samples;
  m_position.seconds += seconds;
  m_position.epochSeconds += seconds;
  report(m_sums, seconds);
  m_profile.add(isMeasured, isFullBatch, ended - started, gathering, phases, readings);
  if (isFullBatch && last) tellProfile(*last, false);
  return true;
}

void Trainer::tellProfile(Program& program, bool isLast) {
  auto snapshot = m_profile.takeSnapshot(program, m_position.step, m_control.isProfiling(), isLast);
  if (!snapshot) return;
  if (snapshot->steps > 0) m_lastProfile = snapshot;
  m_observer.onProfile(std::move(snapshot));
}

bool Trainer::evaluate(const Samples& samples, int64_t begin, int64_t count, double& loss, std::vector<double>& metrics) {
  BatchSums sums;
  if (!m_network->evaluate(samples, m_dataset->transform, begin, count, m_control.stopToken(), sums)) return false;
  const auto total = static_cast<double>(std::max<int64_t>(1, sums.samples));
  loss = sums.loss / total;
  m_network->metricValues(sums.metrics, sums.samples, metrics);
  return true;
}

/// Means, validation, checkpoint. False: stopped; the epoch is then ended by whoever continues the run.
bool Trainer::endEpoch() {
  const auto started = Clock::now();
  EpochMetrics epoch;
  epoch.epoch = m_position.epoch;
  epoch.step = m_position.step;
  const auto samples = static_cast<double>(std::max<int64_t>(1, m_position.epochSamples));
  epoch.loss = m_position.lossSum / samples;
  m_network->metricValues(m_position.metricSums, m_position.epochSamples, epoch.metrics);
  if (m_dataset->validationCount > 0) {
    epoch.hasValidation = true;
    if (!evaluate(*m_dataset->train, m_dataset->trainCount, m_dataset->validationCount, epoch.validationLoss, epoch.validationMetrics))
      return false;
  }
  const double seconds = secondsSince(started);
  m_position.seconds += seconds;
  epoch.seconds = m_position.epochSeconds + seconds;
  if (m_files) {
    const auto number = static_cast<int32_t>(epoch.epoch);
    m_files->history().append({epoch.step, number, HistoryKind::Epoch, epoch.seconds, m_position.learningRate, m_position.epochSamples,
                               epoch.loss, epoch.metrics});
    if (epoch.hasValidation)
      m_files->history().append({epoch.step, number, HistoryKind::Validation, epoch.seconds, m_position.learningRate,
                                 m_dataset->validationCount, epoch.validationLoss, epoch.validationMetrics});
  }
  tell([&](RunObserver& o) { o.onEpoch(epoch); });
  ++m_position.epoch;
  m_position.stepInEpoch = 0;
  m_position.lossSum = 0;
  std::fill(m_position.metricSums.begin(), m_position.metricSums.end(), 0.0);
  m_position.epochSamples = 0;
  m_position.epochSeconds = 0;
  save(false);
  return true;
}

void Trainer::save(bool isForced) {
  if (!m_files) return;
  const TensorViews state = m_network->stateViews();
  requireFinite(*m_network, state, m_position.step);
  const CheckpointSaved saved = m_files->save(m_position, state, isForced);
  m_lastSave = Clock::now();
  m_savedStep = m_position.step;
  tell([&](RunObserver& o) { o.onCheckpoint(saved); });
}

/// False: stopped.
bool Trainer::trainToEnd() {
  m_lastSave = Clock::now();
  while (true) {
    if (m_position.stepInEpoch == m_batches->stepsPerEpoch() && !endEpoch()) return false;
    if (m_position.step >= m_totalSteps) return true;
    if (!mayGoOn() || !trainStep()) return false;
    if (m_files && Clock::now() - m_lastSave >= m_options.checkpointInterval) save(true);
  }
}

void Trainer::finish(RunOutcome& outcome, bool isDone) {
  if (m_savedStep != m_position.step) requireFinite(*m_network, m_network->stateViews(), m_position.step);
  outcome.outcome = isDone ? Outcome::Finished : Outcome::Stopped;
  // A run of a few milliseconds is told at its end.
  if (!m_lastProfile && m_position.step > 0) tellProfile(m_network->trainProgram(m_batches->samplesOf(0)), true);
  if (isDone) {  // a run that is continued goes on with the weights themselves
    if (m_savedStep != m_position.step) save(true);
    m_network->useAverages();
  }
  if (isDone && m_dataset->test->count() > 0) {
    if (evaluate(*m_dataset->test, 0, m_dataset->test->count(), outcome.testLoss, outcome.testMetrics)) {
      outcome.hasTest = true;
      outcome.testSamples = m_dataset->test->count();
    } else {
      outcome.outcome = Outcome::Stopped;
    }
  }
  if (outcome.outcome == Outcome::Stopped) setState(RunState::Stopping);
  const TensorViews weights = m_network->weightViews();
  outcome.weightsHash = weightsHash(weights);
  if (!m_files) return;
  if (m_savedStep != m_position.step) save(true);
  m_files->history().sync();
  outcome.weightsPath = m_files->saveWeights(weights, m_network->project().name(), m_position.step, outcome.weightsHash);
  if (!m_lastProfile) return;
  try {
    writeProfile(m_files->directory(), *m_lastProfile);
  } catch (const Error& error) {  // the run is whole without it
    tell([&](RunObserver& o) { o.onWarning(error.line()); });
  }
}

RunOutcome Trainer::run() {
  RunOutcome outcome;
  const auto fill = [&] {
    outcome.steps = m_position.step;
    outcome.epochs = m_position.epoch - 1;
    outcome.seconds = m_position.seconds;
    outcome.peakBytes = m_memoryBytes;
    outcome.phases = m_profile.phases();
  };
  try {
    setState(RunState::Preparing);
    prepare();
    if (m_control.isStopRequested()) {
      outcome.outcome = Outcome::Stopped;
      return outcome;
    }
    openFiles();
    announce();
    // The seed alone would not give these weights again.
    if (!m_resumed && !m_options.weightsFrom.empty()) save(true);
    setState(RunState::Running);
    const bool isDone = trainToEnd();
    if (!isDone) setState(RunState::Stopping);
    finish(outcome, isDone);
  } catch (...) {  // the run's files are told of whatever happened
    Error error = currentError();
    outcome.outcome = error.code() == ErrorCode::Stopped ? Outcome::Stopped : Outcome::Failed;
    if (outcome.outcome == Outcome::Failed) outcome.error = std::move(error);
  }
  fill();
  if (m_files) {
    if (m_files->hasEvents()) m_files->events().onOutcome(outcome);
    m_files->close();
  }
  return outcome;
}

}  // namespace

Error currentError() {
  try {
    throw;
  } catch (const Error& error) { return error; } catch (const std::bad_alloc&) {
    return Error(ErrorCode::OutOfMemory, "memory", "no memory is left for the run. Use a smaller batch or network.");
  } catch (const std::exception& error) {
    return Error(ErrorCode::Internal, "strata", std::string("unexpected failure: ") + error.what() + ". Please report this.");
  }
}

RunOutcome trainRun(const SessionOptions& options, RunControl& control, RunObserver& observer) {
  return Trainer(options, control, observer).run();
}

}  // namespace strata
