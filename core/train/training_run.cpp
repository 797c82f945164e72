// SPDX-License-Identifier: Apache-2.0
// The training loop: steps, validation, checkpoints and the end of a run.
#include "core/train/training_run.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "core/interchange/safetensors.h"
#include "core/runs/profile_file.h"
#include "core/train/non_finite.h"

namespace strata {

void TrainingRun::setState(RunState state) {
  m_control.setState(state);
  m_observer.onState(state);
}

/// Handles changes of settings, pauses and stops between steps. Returns false if the run must stop.
bool TrainingRun::mayGoOn() {
  if (m_position.step + 1 >= m_nextChange) applyDueChanges();
  if (m_control.isQuiet()) return true;
  bool isPaused = false;
  for (;;) {
    takeRequests();
    if (m_position.step + 1 >= m_nextChange) applyDueChanges();
    if (!m_control.mustWait()) break;
    if (!isPaused) {
      setState(RunState::Paused);
      // Readers of the history can see every step while the run is paused.
      if (m_files) m_files->history().flush();
      isPaused = true;
    }
    m_control.wait();
  }
  if (m_control.isStopRequested()) return false;
  if (m_control.state() != RunState::Running) setState(RunState::Running);
  return true;
}

void TrainingRun::report(const BatchSums& sums, double seconds) {
  m_rate.add(static_cast<double>(sums.samples), seconds);
  m_metrics.step = m_position.step;
  m_metrics.epoch = m_position.epoch;
  m_metrics.samples = sums.samples;
  const auto samples = static_cast<double>(sums.samples);
  m_metrics.loss = sums.loss / samples;
  m_network->sums().metricValues(sums.metrics, sums.samples, m_metrics.metrics);
  m_metrics.learningRate = m_position.learningRate;
  m_metrics.samplesPerSecond = m_rate.perSecond();
  m_metrics.memoryBytes = m_memoryBytes;
  if (m_files)
    m_files->history().append({m_metrics.step, static_cast<int32_t>(m_metrics.epoch),
                               HistoryKind::Step, m_position.seconds, m_metrics.learningRate,
                               m_metrics.samples, m_metrics.loss, m_metrics.metrics});
  m_observer.onStep(m_metrics);
}

/// Runs one update. Returns false if it was stopped. The network then stays unchanged.
bool TrainingRun::trainStep() {
  const auto started = Clock::now();
  const int64_t index = m_position.stepInPass, samples = m_batches->samplesOf(index);
  const bool isFullBatch = samples == m_network->steps().batchSize();
  const bool isMeasured = isFullBatch && m_control.isProfiling() && m_profile.wantsMeasuring();
  m_sums.samples = 0;
  m_sums.loss = 0;
  std::fill(m_sums.metrics.begin(), m_sums.metrics.end(), 0.0);
  if (m_schedule && !m_position.isLearningRateSet) m_position.learningRate = scheduledRate();
  const int64_t update = m_position.step + 1 - m_position.updateOffset;
  std::chrono::nanoseconds gathering{0};
  // Number of times that the clock was read
  int readings = 2;
  std::array<std::chrono::nanoseconds, 3> phases{};
  const std::vector<MicroBatch>& pieces = m_batches->microBatchesOf(index);
  Program::Outcome outcome = Program::Outcome::Done;
  Program* last = nullptr;
  for (const MicroBatch& piece : pieces) {
    const auto pieceStarted = Clock::now();
    Program& program = m_batches->place(m_seed, m_position.pass, index, piece);
    setStep(program, update, m_position.learningRate, m_seed,
            m_batches->firstSampleOf(index) + piece.offset,
            static_cast<double>(piece.samples) / static_cast<double>(samples));
    gathering += Clock::now() - pieceStarted;
    readings += 2 + program.phaseReadings();
    last = &program;
    const bool isLast = &piece == &pieces.back();
    if (isMeasured && isLast) program.setProfiling(true);
    outcome = program.run(m_control.stopToken());
    if (isMeasured && isLast) program.setProfiling(false);
    if (outcome == Program::Outcome::Stopped) return false;
    for (size_t i = 0; i < phases.size(); ++i)
      phases[i] += program.lastPhases()[i];
    m_network->sums().add(program, piece.samples, m_sums);
    if (outcome == Program::Outcome::NonFinite) break;
  }
  const auto ended = Clock::now();
  const double seconds = std::chrono::duration<double>(ended - started).count();
  // A program without trainable weights does not report a non-finite loss, so the loss is checked
  // here.
  if (outcome == Program::Outcome::NonFinite || !std::isfinite(m_sums.loss)) {
    ++m_position.step;
    // Shows the loss on the curve, although no update took place.
    report(m_sums, seconds);
    --m_position.step;
    BadBatch batch;
    batch.samples = m_dataset->train.get();
    batch.transforms = m_dataset->transforms;
    batch.indices = m_batches->indicesOf(index);
    batch.count = samples;
    batch.step = m_position.step + 1;
    batch.update = update;
    batch.firstSample = m_batches->firstSampleOf(index);
    batch.loss = m_metrics.loss;
    batch.learningRate = m_position.learningRate;
    batch.seed = m_seed;
    throw explainNonFinite(*m_network, batch);
  }
  ++m_position.step;
  ++m_position.stepInEpoch;
  ++m_position.stepInPass;
  m_position.lossSum += m_sums.loss;
  for (size_t i = 0; i < m_sums.metrics.size(); ++i)
    m_position.metricSums[i] += m_sums.metrics[i];
  m_position.epochSamples += samples;
  m_position.passSamples += samples;
  if (m_position.stepInPass == m_batches->stepsPerPass()) {
    ++m_position.pass;
    m_position.stepInPass = m_position.passSamples = 0;
  }
  m_position.seconds += seconds;
  m_position.epochSeconds += seconds;
  report(m_sums, seconds);
  m_profile.add(isMeasured, isFullBatch, ended - started, gathering, phases, readings);
  if (isFullBatch && last) reportProfile(*last, false);
  return true;
}

void TrainingRun::reportProfile(Program& program, bool isLast) {
  auto snapshot = m_profile.takeSnapshot(program, m_position.step, m_control.isProfiling(), isLast);
  if (snapshot) m_observer.onProfile(std::move(snapshot));
}

bool TrainingRun::evaluate(const Samples& samples, int64_t begin, int64_t count, double& loss,
                           std::vector<double>& metrics) {
  BatchSums sums;
  if (!m_network->evaluate(samples, m_dataset->transforms, begin, count, m_control.stopToken(),
                           sums))
    return false;
  const auto total = static_cast<double>(std::max<int64_t>(1, sums.samples));
  loss = sums.loss / total;
  m_network->sums().metricValues(sums.metrics, sums.samples, metrics);
  return true;
}

/// Returns the means over the epoch so far.
EpochMetrics TrainingRun::meansSoFar() {
  EpochMetrics epoch;
  epoch.epoch = m_position.epoch;
  epoch.step = m_position.step;
  epoch.loss =
      m_position.lossSum / static_cast<double>(std::max<int64_t>(1, m_position.epochSamples));
  m_network->sums().metricValues(m_position.metricSums, m_position.epochSamples, epoch.metrics);
  return epoch;
}

/// Ends an epoch: computes means, validates, runs callbacks and saves a checkpoint. Returns false
/// if the run was stopped meanwhile. A continued run then ends this epoch first.
bool TrainingRun::endEpoch() {
  const auto started = Clock::now();
  EpochMetrics epoch = meansSoFar();
  if (m_dataset->validationCount > 0 &&
      m_network->steps().training().isValidated(m_position.epoch)) {
    epoch.hasValidation = true;
    if (!evaluate(*m_dataset->train, m_dataset->trainCount, m_dataset->validationCount,
                  epoch.validationLoss, epoch.validationMetrics))
      return false;
  }
  const double seconds = secondsSince(started);
  m_position.seconds += seconds;
  epoch.seconds = m_position.epochSeconds + seconds;
  epoch.lossScale = m_network->state().lossScale();
  if (m_files) {
    const auto number = static_cast<int32_t>(epoch.epoch);
    m_files->history().append({epoch.step, number, HistoryKind::Epoch, epoch.seconds,
                               m_position.learningRate, m_position.epochSamples, epoch.loss,
                               epoch.metrics});
    if (epoch.hasValidation)
      m_files->history().append({epoch.step, number, HistoryKind::Validation, epoch.seconds,
                                 m_position.learningRate, m_dataset->validationCount,
                                 epoch.validationLoss, epoch.validationMetrics});
  }
  notify([&](RunObserver& o) { o.onEpoch(epoch); });
  ++m_position.epoch;
  m_position.stepInEpoch = 0;
  m_position.lossSum = 0;
  std::fill(m_position.metricSums.begin(), m_position.metricSums.end(), 0.0);
  m_position.epochSamples = 0;
  m_position.epochSeconds = 0;
  const CallbackRunner::Decision decision = m_callbacks->epochEnded(epoch, m_position.learningRate);
  act(decision, epoch.step, true);
  save(decision.saves || decision.isBest);
  return true;
}

/// Whether a validation within an epoch is due.
bool TrainingRun::isValidationDue() const {
  if (m_validationSteps == 0 || m_position.step == 0 || m_position.step % m_validationSteps != 0)
    return false;
  if (m_position.validatedStep == m_position.step || m_position.stepInEpoch == 0) return false;
  return m_position.stepInEpoch != m_stepsPerEpoch ||
         !m_network->steps().training().isValidated(m_position.epoch);
}

/// Validates within an epoch. Returns false if the run was stopped meanwhile. A continued run then
/// repeats this validation first.
bool TrainingRun::validateInside() {
  const auto started = Clock::now();
  EpochMetrics values = meansSoFar();
  values.hasValidation = true;
  if (!evaluate(*m_dataset->train, m_dataset->trainCount, m_dataset->validationCount,
                values.validationLoss, values.validationMetrics))
    return false;
  ValidationMetrics validation{m_position.step, m_position.epoch, values.validationLoss,
                               secondsSince(started), values.validationMetrics};
  m_position.seconds += validation.seconds;
  m_position.epochSeconds += validation.seconds;
  m_position.validatedStep = m_position.step;
  if (m_files)
    m_files->history().append({validation.step, static_cast<int32_t>(validation.epoch),
                               HistoryKind::Validation, validation.seconds, m_position.learningRate,
                               m_dataset->validationCount, validation.loss, validation.metrics});
  notify([&](RunObserver& o) { o.onValidation(validation); });
  act(m_callbacks->validated(values), m_position.step, false);
  return true;
}

/// Saves a checkpoint that a callback requests after a number of steps or minutes.
void TrainingRun::keepDueCheckpoint() {
  act(m_callbacks->stepEnded(meansSoFar(), m_position.seconds), m_position.step, false);
}

TensorViews TrainingRun::stateViews() const {
  TensorViews views = m_network->state().allViews();
  for (const auto& [name, tensor] : m_snapshots)
    views.emplace(name, TensorView{tensor.type(), tensor.data()});
  return views;
}

void TrainingRun::save(bool isForced) {
  const CheckpointSaved best = std::exchange(m_best, {});
  if (!m_files) return;
  const TensorViews state = stateViews();
  m_watch.look(*m_network, state, m_position.step);
  m_position.callbacks = m_callbacks->text();
  // The project already contains the planned changes, so they are left out.
  std::vector<LiveChange> own;
  for (const LiveChange& change : m_changes)
    if (!change.isPlanned) own.push_back(change);
  m_position.changes = textOfChanges(own);
  CheckpointSaved saved = m_files->save(m_position, state, isForced, m_callbacks->heldSteps());
  saved.isBest = best.isBest;
  saved.monitor = best.monitor;
  saved.value = best.value;
  m_lastSave = Clock::now();
  m_savedStep = m_position.step;
  notify([&](RunObserver& o) { o.onCheckpoint(saved); });
}

/// Checks the state of the network, because the loss may stay finite although weights are not
/// finite.
void TrainingRun::lookAtState() {
  if (m_watched.empty()) m_watched = m_network->state().allViews();
  m_watch.look(*m_network, m_watched, m_position.step);
}

/// Trains until the end of the run. Returns false if the run was stopped.
bool TrainingRun::trainToEnd() {
  m_lastSave = Clock::now();
  while (true) {
    if (m_validationSteps > 0 && isValidationDue() && !validateInside()) return false;
    if (m_position.stepInEpoch == m_stepsPerEpoch && !endEpoch()) return false;
    if (m_position.step >= m_totalSteps || !m_position.endedBy.empty()) return true;
    if (!m_stages.empty()) beginDueStages();
    if (!mayGoOn() || !trainStep()) return false;
    if (m_watch.isDue(m_position.step)) lookAtState();
    if (m_callbacks->isDue(m_position.step, m_position.seconds)) keepDueCheckpoint();
    if (m_files && Clock::now() - m_lastSave >= m_options.checkpointInterval) save(true);
  }
}

void TrainingRun::finish(RunOutcome& outcome, bool isDone) {
  if (m_savedStep != m_position.step)
    m_watch.look(*m_network, m_network->state().allViews(), m_position.step);
  outcome.outcome = isDone ? Outcome::Finished : Outcome::Stopped;
  outcome.lossScale = m_network->state().lossScale();
  if (m_position.step > 0) reportProfile(m_network->trainProgram(m_batches->samplesOf(0)), true);
  const std::shared_ptr<const ProfileSnapshot> profile = m_profile.ofRun();
  // From now on, observers show the profile of the whole run.
  if (profile) m_observer.onProfile(profile);
  // Averages are used only at the end, because a continued run needs the weights themselves.
  if (isDone) {
    if (m_savedStep != m_position.step) save(true);
    m_network->state().useAverages();
    restoreBest(outcome);
    outcome.endedBy = m_position.endedBy;
  }
  if (isDone && m_dataset->test->count() > 0) {
    if (evaluate(*m_dataset->test, 0, m_dataset->test->count(), outcome.testLoss,
                 outcome.testMetrics)) {
      outcome.hasTest = true;
      outcome.testSamples = m_dataset->test->count();
    }
    else {
      outcome.outcome = Outcome::Stopped;
    }
  }
  if (outcome.outcome == Outcome::Stopped) setState(RunState::Stopping);
  const TensorViews weights = m_network->state().weightViews();
  outcome.weightsHash = weightsHash(weights);
  if (!m_files) return;
  if (m_savedStep != m_position.step) save(true);
  m_files->history().sync();
  if (m_callbacks->keepsBest()) {
    std::string warning;
    outcome.bestPath = m_files->bestPath(warning);
    if (!warning.empty()) notify([&](RunObserver& o) { o.onWarning(warning); });
  }
  outcome.checkpointBytes = m_files->diskUse().checkpointBytes;
  outcome.weightsPath = m_files->saveWeights(weights, m_network->steps().project().name(),
                                             m_position.step, outcome.weightsHash);
  if (!profile) return;
  try {
    writeProfile(m_files->directory(), *profile);
  }
  catch (const Error& error) {
    // The run does not depend on the profile.
    notify([&](RunObserver& o) { o.onWarning(error.line()); });
  }
}

RunOutcome TrainingRun::run() {
  RunOutcome outcome;
  const auto fill = [&] {
    outcome.steps = m_position.step;
    outcome.epochs = m_position.epoch - 1;
    outcome.seconds = m_position.seconds;
    outcome.peakBytes = m_peakBytes;
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
    // Saves everything that would otherwise be lost: weights that the seed cannot generate, and
    // changes that open() removed from the events.
    if ((!m_resumed && !m_options.weightsFrom.empty()) ||
        (m_files && !m_files->cutChanges().empty()))
      save(true);
    setState(RunState::Running);
    const bool isDone = trainToEnd();
    if (!isDone) setState(RunState::Stopping);
    finish(outcome, isDone);
  }
  catch (...) {
    // The files of the run record every failure.
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

}  // namespace strata
