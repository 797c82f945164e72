// SPDX-License-Identifier: Apache-2.0
// The training loop: steps, validation, checkpoints and the end of a run.
#include "core/train/training_run.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

#include <nlohmann/json.hpp>

#include "core/interchange/safetensors.h"
#include "core/runs/profile_file.h"
#include "core/train/non_finite.h"
#include "gpu/devices/simulated_step.h"

namespace strata {

// How often the values of replicas are compared
static constexpr int64_t kStepsBetweenComparisons = 500;

void TrainingRun::setState(RunState state) {
  m_control.setState(state);
  m_observer.onState(state);
}

/// Handles changes of settings, pauses and stops between steps. Returns false if the run must stop.
bool TrainingRun::mayGoOn() {
  if (m_processes) return followOrder();
  return takeOrders();
}

void TrainingRun::report(BatchSums& sums, double seconds) {
  m_rate.add(static_cast<double>(sums.samples), seconds);
  m_metrics.step = m_position.step;
  m_metrics.epoch = m_position.epoch;
  m_metrics.samples = sums.samples;
  const auto samples = static_cast<double>(sums.samples);
  m_metrics.loss = sums.loss / samples;
  m_network->sums().metricValues(sums.metrics, sums.samples, sums.collected, m_metrics.metrics);
  m_metrics.learningRate = m_position.learningRate;
  m_metrics.seconds = m_position.seconds;
  m_metrics.samplesPerSecond = m_rate.perSecond();
  m_metrics.memoryBytes = m_memoryBytes;
  if (m_files)
    m_files->history().append({m_metrics.step, static_cast<int32_t>(m_metrics.epoch),
                               HistoryKind::Step, m_metrics.seconds, m_metrics.learningRate,
                               m_metrics.samples, m_metrics.loss, m_metrics.metrics,
                               m_metrics.measures});
  m_observer.onStep(m_metrics);
}

/// Returns how many updates can be submitted before the loop must know their results, because it
/// then validates, ends an epoch or a stage, changes settings, or looks at the state.
int64_t TrainingRun::stepsToDecision() const {
  const int64_t step = m_position.step, steps = stepsToFixedDecision();
  for (int64_t ahead = 1; ahead < steps; ++ahead)
    if (m_watch.isDue(step + ahead) || m_callbacks->isDue(step + ahead, m_position.seconds))
      return ahead;
  return steps;
}

/// Does the same, but only for decisions whose step the project determines.
int64_t TrainingRun::stepsToFixedDecision() const {
  const int64_t step = m_position.step;
  int64_t steps = std::min(m_totalSteps - step, m_stepsPerEpoch - m_position.stepInEpoch);
  if (m_validationSteps > 0) steps = std::min(steps, m_validationSteps - step % m_validationSteps);
  if (m_nextChange != INT64_MAX) steps = std::min(steps, m_nextChange - 1 - step);
  if (!m_stages.empty())
    if (const auto length = m_stages[static_cast<size_t>(m_position.stage)].steps)
      steps = std::min(steps, m_position.stageStep + *length - step);
  return std::max<int64_t>(1, steps);
}

/// Returns whether something happened that must be handled between two updates.
bool TrainingRun::mustDecide() const {
  return !m_control.isQuiet() || m_callbacks->isDue(m_position.step, m_position.seconds) ||
         isCheckpointDue() || isLayerSampleDue() || m_control.hasLayerRequest();
}

/// Runs updates until a decision is due. A device that runs steps asynchronously gets the next
/// updates before the first one is known. Returns false if an update was stopped.
bool TrainingRun::trainSteps() {
  // A person should see a result soon after its step
  constexpr double kMaxDelaySeconds = 0.1;
  if (m_network->steps().isStale()) return trainStale();
  auto maxPending = static_cast<int64_t>(m_pending.size()) - 1;
  if (maxPending > 1 && m_stepSeconds > 0)
    maxPending = static_cast<int64_t>(
        std::clamp(kMaxDelaySeconds / m_stepSeconds, 1.0, static_cast<double>(maxPending)));
  const bool isSampled = m_layers && m_layers->isSampling();
  const int64_t count = maxPending == 0 || isSampled ? 1 : stepsToDecision();
  for (int64_t i = 0; i < count && (i == 0 || !mustDecide()); ++i) {
    if (needsAlone())
      while (m_numPending > 0)
        if (!finishStep()) return false;
    beginCapture();
    submitStep();
    if ((m_numPending > maxPending || m_capture.isOn()) && !finishStep()) return false;
  }
  while (m_numPending > 0)
    if (!finishStep()) return false;
  return true;
}

/// Submits the update after the pending ones.
void TrainingRun::submitStep() {
  PendingStep& step =
      m_pending[(m_firstPending + static_cast<size_t>(m_numPending)) % m_pending.size()];
  step.started = Clock::now();
  step.pass = m_position.pass;
  step.index = m_position.stepInPass + m_numPending;
  while (step.index >= m_batches->stepsPerPass()) {
    step.index -= m_batches->stepsPerPass();
    ++step.pass;
  }
  const int64_t last = m_position.step + m_numPending;
  step.samples = m_batches->samplesOf(step.index);
  step.update = last + 1 - m_position.updateOffset;
  step.learningRate = rateAfter(last);
  step.isRecorded = m_capture.wantsStep();
  const bool isWanted = step.isRecorded || (m_control.isProfiling() && m_profile.wantsMeasuring());
  step.isMeasured = isWanted && step.samples == m_network->steps().batchSize() &&
                    m_numPending == 0 && !m_network->steps().isStale();
  if (step.isRecorded) beginRecorded(last + 1);
  step.gathering = std::chrono::nanoseconds(0);
  step.readings = 2;
  step.tickets.clear();
  const std::vector<MicroBatch>& pieces = m_batches->microBatchesOf(step.index);
  const auto place = [this, &step, &pieces, last](const MicroBatch& piece) -> Program& {
    if (step.isRecorded) awaitRecorded(step, piece);
    const auto pieceStarted = Clock::now();
    Program& program = m_batches->place(m_seed, step.pass, step.index, piece);
    setStep(program, step.update, step.learningRate, m_seed,
            m_batches->firstSampleOf(step.index) + piece.offset,
            static_cast<double>(piece.samples) / static_cast<double>(step.samples));
    const auto pieceEnded = Clock::now();
    step.gathering += pieceEnded - pieceStarted;
    step.readings += 2 + program.phaseReadings();
    if (step.isRecorded) {
      m_capture.addHost("prepare batch", pieceStarted, pieceEnded);
      m_capture.expect(program, static_cast<size_t>(piece.rank), last + 1);
    }
    if (step.isMeasured && &piece == &pieces.back()) program.setProfiling(true);
    return program;
  };
  if (m_network->steps().isStale()) {
    m_stale.push_back({pieces, place, &step.tickets});
  }
  else {
    m_network->setUpdate({step.update, step.learningRate, m_seed});
    m_network->submit(pieces, place, m_control.stopToken(), step.tickets);
    if (step.isMeasured) m_network->trainProgram(pieces.back()).setProfiling(false);
    if (step.isRecorded) m_capture.endLaunch(Clock::now());
  }
  ++m_numPending;
}

/// Waits for the oldest pending update and takes over its results. Returns false if it was stopped.
/// The network then has the state before this update, and later updates were skipped.
bool TrainingRun::finishStep() {
  PendingStep& step = m_pending[m_firstPending];
  const bool isRecorded = step.isRecorded;
  const auto waitStarted = Clock::now();
  m_sums.clear();
  StepOutcome outcome = StepOutcome::Done;
  StepPhases phases{};
  m_metrics.measures.fill(std::numeric_limits<float>::quiet_NaN());
  // On simulated cards alone
  std::chrono::nanoseconds transfers{0};
  Device& device = m_network->steps().device();
  const std::vector<MicroBatch>& pieces = m_batches->microBatchesOf(step.index);
  m_pieceSums.resize(m_processes ? pieces.size() : 0);
  for (size_t i = 0; i < step.tickets.size(); ++i) {
    outcome = step.tickets[i].wait();
    if (outcome == StepOutcome::Stopped) {
      dropPending();
      return false;
    }
    // The last ticket may be that of a parameter server
    const MicroBatch& piece = pieces[std::min(i, pieces.size() - 1)];
    // Replicas run at the same time, so the first one stands for all
    const bool isFirst = piece.rank == 0 || i >= pieces.size();
    for (size_t phase = 0; phase < phases.size() && isFirst; ++phase)
      phases[phase] += step.tickets[i].phases()[phase];
    const Program& program = step.tickets[i].program();
    if (isFirst) noteMeasures(step.tickets[i]);
    if (isFirst && device.isSimulated())
      transfers += transferTime(program.graph(), program.memory(), device);
    if (m_processes) m_pieceSums[i].clear();
    m_network->sums().add(step.tickets[i], piece.samples, m_processes ? m_pieceSums[i] : m_sums);
    if (outcome == StepOutcome::NonFinite) break;
  }
  if (m_processes && outcome == StepOutcome::Done) {
    const auto began = Clock::now();
    const ProcessSums::Times times = m_network->communication().value_or(ProcessSums::Times{});
    m_processes->addSums(m_pieceSums, m_network->steps().devices().size(), timesOf(times, phases),
                         m_sums);
    m_orderWait += Clock::now() - began;
  }
  const auto ended = Clock::now();
  const auto taken = ended - std::max(step.started, m_lastEnd);
  const double seconds = std::chrono::duration<double>(taken).count();
  m_pace.addStep(taken);
  m_lastEnd = ended;
  m_stepSeconds = seconds;
  m_position.learningRate = step.learningRate;
  // A program without trainable weights does not report a non-finite loss, so the loss is checked
  // here.
  if (outcome == StepOutcome::NonFinite || !std::isfinite(m_sums.loss))
    failNonFinite(step, seconds);
  noteReplicas(step, pieces);
  step.tickets.clear();
  m_firstPending = (m_firstPending + 1) % m_pending.size();
  --m_numPending;
  moveOn(step, seconds);
  // The times of a simulated device are those of its phases, inputs and results. The speed and the
  // time that is left are those of this machine.
  std::chrono::nanoseconds shown = taken;
  if (device.isSimulated()) {
    shown = phases[0] + phases[1] + phases[2] + transfers;
    step.gathering = std::chrono::nanoseconds(0);
  }
  noteWaits();
  noteLoopMeasures(step);
  report(m_sums, seconds);
  watchReplicas(seconds);
  tellSamples();
  tellReplicas();
  const bool isFullBatch = step.samples == m_network->steps().batchSize();
  if (m_processes) noteCommunication(taken, isFullBatch);
  m_profile.add(step.isMeasured, isFullBatch, shown, step.gathering, phases, step.readings,
                communicationOfStep());
  if (step.isMeasured)
    m_profile.addRecords(m_network->trainProgram(pieces.back()), m_network->steps().device(),
                         m_position.step);
  if (isFullBatch) reportProfile(m_network->trainProgram(pieces.back()), false);
  if (isRecorded) captureStep(waitStarted, ended);
  return true;
}

/// Adds an update that is done, with its sums, to the position of the run.
void TrainingRun::moveOn(const PendingStep& step, double seconds) {
  ++m_position.step;
  ++m_position.stepInEpoch;
  ++m_position.stepInPass;
  m_position.lossSum += m_sums.loss;
  for (size_t i = 0; i < m_sums.metrics.size(); ++i)
    m_position.metricSums[i] += m_sums.metrics[i];
  for (size_t i = 0; i < m_sums.collected.size(); ++i)
    m_position.collected[i].insert(m_position.collected[i].end(), m_sums.collected[i].begin(),
                                   m_sums.collected[i].end());
  m_position.epochSamples += step.samples;
  m_trainedSamples += step.samples;
  m_position.passSamples += step.samples;
  if (m_position.stepInPass == m_batches->stepsPerPass()) {
    ++m_position.pass;
    m_position.stepInPass = m_position.passSamples = 0;
  }
  m_position.seconds += seconds;
  m_position.epochSeconds += seconds;
}

/// Forgets the pending updates, after an update that did not end well.
void TrainingRun::dropPending() {
  for (PendingStep& step : m_pending)
    step.tickets.clear();
  m_numPending = 0;
}

void TrainingRun::reportProfile(Program& program, bool isLast) {
  const auto snapshot =
      m_profile.takeSnapshot(program, m_position.step, m_control.isProfiling(), isLast);
  if (snapshot) m_observer.onProfile(snapshot);
}

/// Returns the means over the epoch so far.
EpochMetrics TrainingRun::meansSoFar() {
  EpochMetrics epoch;
  epoch.epoch = m_position.epoch;
  epoch.step = m_position.step;
  epoch.loss =
      m_position.lossSum / static_cast<double>(std::max<int64_t>(1, m_position.epochSamples));
  m_network->sums().metricValues(m_position.metricSums, m_position.epochSamples,
                                 m_position.collected, epoch.metrics);
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
    if (!validate(epoch.validationLoss, epoch.validationMetrics)) return false;
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
  for (auto& elements : m_position.collected)
    elements.clear();
  m_position.epochSamples = 0;
  m_position.epochSeconds = 0;
  const CallbackRunner::Decision decision = m_callbacks->epochEnded(epoch, m_position.learningRate);
  act(decision, epoch.step, true);
  requireEqualProcesses();
  save(decision.saves || decision.isBest);
  return true;
}

void TrainingRun::save(bool isForced) {
  compareReplicas();
  const CheckpointSaved best = std::exchange(m_best, {});
  if (!m_files || m_isWithoutFiles) {
    m_lastSave = Clock::now();
    return;
  }
  lookAtState(m_position.step);
  TensorViews state = m_watched->views();
  for (const auto& [name, tensor] : m_snapshots)
    state.emplace(name, TensorView{tensor.type(), tensor.data()});
  for (size_t i = 0; i < m_position.collected.size(); ++i)
    if (const TensorView elements = viewOf(m_position.collected[i]); elements.data)
      state.emplace(collectedName(i), elements);
  m_position.callbacks = m_callbacks->text();
  // The project already contains the planned changes, so they are left out.
  std::vector<LiveChange> own;
  for (const LiveChange& change : m_changes)
    if (!change.isPlanned) own.push_back(change);
  m_position.changes = textOfChanges(own);
  CheckpointSaved saved;
  const auto write = [&] {
    saved = m_files->save(m_position, state, isForced, m_callbacks->heldSteps());
  };
  if (!writeFiles(write)) {
    m_lastSave = Clock::now();
    return;
  }
  saved.isBest = best.isBest;
  saved.monitor = best.monitor;
  saved.value = best.value;
  m_lastSave = Clock::now();
  m_savedStep = m_position.step;
  notify([&](RunObserver& o) { o.onCheckpoint(saved); });
}

/// Checks the state of the network after `step`, because the loss may stay finite although weights
/// are not finite.
void TrainingRun::lookAtState(int64_t step) {
  if (m_watched)
    m_watched->refresh();
  else
    m_watched = m_network->state().values().snapshot();
  try {
    m_watch.look(*m_network, m_watched->views(), step);
  }
  catch (const Error& error) {
    keepLastBatch(error);
    throw;
  }
}

/// Trains until the end of the run. Returns false if the run was stopped.
bool TrainingRun::trainToEnd() {
  m_lastSave = Clock::now();
  while (true) {
    if (m_validationSteps > 0 && isValidationDue() && !validateInside()) return false;
    if (m_position.stepInEpoch == m_stepsPerEpoch && !endEpoch()) return false;
    if (m_position.step >= m_totalSteps || !m_position.endedBy.empty()) return true;
    if (!m_stages.empty()) beginDueStages();
    if (!mayGoOn()) return false;
    if (m_control.hasLayerRequest()) takeLayerRequest();
    beginLayerSample();
    if (!trainSteps()) return false;
    endLayerSample();
    if (m_position.step % kStepsBetweenComparisons == 0) {
      compareReplicas();
      requireEqualProcesses();
    }
    if (m_watch.isDue(m_position.step)) lookAtState(m_position.step);
    if (m_callbacks->isDue(m_position.step, sharedSeconds())) keepDueCheckpoint();
    if (isCheckpointDue()) {
      requireEqualProcesses();
      save(true);
    }
  }
}

void TrainingRun::finish(RunOutcome& outcome, bool isDone) {
  m_layers.reset();
  endSampling();
  endCapture();
  compareReplicas();
  requireEqualProcesses();
  if (m_savedStep != m_position.step) lookAtState(m_position.step);
  outcome.outcome = isDone ? Outcome::Finished : Outcome::Stopped;
  outcome.lossScale = m_network->state().lossScale();
  if (m_position.step > 0) reportProfile(m_network->trainProgram(m_batches->samplesOf(0)), true);
  const std::shared_ptr<const ProfileSnapshot> profile =
      m_profile.ofRun(deviceSummaries(), replicaReport());
  // From now on, observers show the profile of the whole run.
  if (profile) notify([&](RunObserver& o) { o.onProfile(profile); });
  // At the end, the files are tried again. Each of them may be left out.
  m_isWithoutFiles = false;
  // A continued run needs the weights themselves, so they are saved before averages replace them.
  if (m_savedStep != m_position.step) save(true);
  if (hasAverages()) m_network->state().useAverages();
  if (isDone) {
    restoreBest(outcome);
    outcome.endedBy = m_position.endedBy;
  }
  if (isDone && m_dataset->test->count() > 0 && isFirstProcess()) {
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
  for (const std::string& warning : m_callbacks->warningsOfNoBest())
    notify([&](RunObserver& o) { o.onWarning(warning); });
  const NetworkSnapshot snapshot = m_network->state().weightSnapshot();
  const TensorViews& weights = snapshot.views();
  outcome.weightsHash = weightsHash(weights);
  if (!m_files) return;
  writeFiles([&] { m_files->saveLogs(true); });
  if (m_callbacks->keepsBest()) {
    std::string warning;
    outcome.bestPath = m_files->bestPath(warning);
    if (!warning.empty()) notify([&](RunObserver& o) { o.onWarning(warning); });
  }
  outcome.checkpointBytes = m_files->diskUse().checkpointBytes;
  const auto write = [&] {
    outcome.weightsPath = m_files->saveWeights(weights, m_network->steps().project().name(),
                                               m_position.step, outcome.weightsHash);
  };
  if (!writeFiles(write)) {
    notify([&](RunObserver& o) {
      o.onWarning(m_files->directory() + ": the trained weights were not saved.");
    });
    return;
  }
  if (m_control.isProfiling() && (!profile || !profile->kernels || profile->kernels->rows.empty()))
    warnOfMissingKernels(profile.get());
  if (!profile) return;
  try {
    writeProfile(m_files->directory(), *profile);
  }
  catch (const Error& error) {
    // The run does not depend on the profile.
    notify([&](RunObserver& o) { o.onWarning(error.line()); });
  }
}

/// Says why a profiled run has no kernels.
void TrainingRun::warnOfMissingKernels(const ProfileSnapshot* profile) {
  const bool hasReason = profile && profile->kernels && !profile->kernels->problem.empty();
  const std::string reason = hasReason ? profile->kernels->problem
                                       : "too few steps were trained (expected at least " +
                                             std::to_string(StepProfile::kStepsForKernels) +
                                             ", got " + std::to_string(m_profile.phases().steps) +
                                             "). Train longer to profile it";
  const std::string warning =
      m_files->directory() + ": profile.json has no kernels, because " + reason + ".";
  notify([&](RunObserver& o) { o.onWarning(warning); });
}

/// Adds to an error of the device, or about values that are not finite, what the run has kept.
Error TrainingRun::withKeptFiles(const Error& error) const {
  const bool isNonFinite = error.code() == ErrorCode::NonFinite;
  if (!m_files || (error.code() != ErrorCode::DeviceFailure && !isNonFinite)) return error;
  const std::string path = m_files->lastCheckpoint();
  std::string kept = path.empty() ? " The run has no checkpoint yet."
                                  : " The last checkpoint is " + path + "; --resume " +
                                        m_files->directory() + " continues from it.";
  if (isNonFinite && !m_keptBatch.empty()) kept += " The batch is in " + m_keptBatch + ".";
  return Error(error.code(), error.subject(), error.what() + kept, error.where());
}

RunOutcome TrainingRun::run() {
  RunOutcome outcome;
  const auto fill = [&] {
    outcome.steps = m_position.step;
    outcome.epochs = m_position.epoch - 1;
    outcome.seconds = m_position.seconds;
    outcome.peakBytes = m_peakBytes;
    // The steps of a simulated card differ only by their batches
    const bool isSimulated = m_network && m_network->steps().device().isSimulated();
    outcome.phases = isSimulated ? m_profile.fullPhases() : m_profile.phases();
    outcome.devices = deviceSummaries();
    outcome.trainedSamples = m_trainedSamples;
    if (m_network) outcome.replicas = replicaReport();
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
    startLayers();
    setState(RunState::Running);
    startSampling();
    const bool isDone = trainToEnd();
    if (!isDone) setState(RunState::Stopping);
    finish(outcome, isDone);
  }
  catch (...) {
    // The files of the run record every failure.
    Error error = currentError();
    if (error.subject() == kProcesses) saveAfterFailure();
    outcome.outcome = error.code() == ErrorCode::Stopped ? Outcome::Stopped : Outcome::Failed;
    if (outcome.outcome == Outcome::Failed) outcome.error = withKeptFiles(error);
  }
  endSampling();
  fill();
  if (m_files) {
    if (m_files->hasEvents()) m_files->events().onOutcome(outcome);
    m_files->close();
  }
  return outcome;
}

}  // namespace strata
