// SPDX-License-Identifier: Apache-2.0
// Changes during a run: stages, pauses, changed settings of the user or the project, and decisions
// of callbacks. Also watches for slow replicas.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <nlohmann/json.hpp>

#include "core/runs/step_memory.h"
#include "core/train/training_run.h"

namespace strata {

namespace {

const char* causeOfStage(const TrainStage& stage) {
  return stage.name.empty() ? "stage" : stage.name.c_str();
}

}  // namespace

/// Returns the project from which update `step` is compiled. It includes the current stage and the
/// changes up to this step.
Project TrainingRun::projectAt(int64_t step) const {
  Project project = m_project;
  if (!m_stages.empty())
    applyStage(project.document(), m_stages[static_cast<size_t>(m_position.stage)]);
  for (const LiveChange& change : m_changes)
    if (change.isDone || change.step <= step)
      applyChange(project.document(), change.name, change.value);
  return project;
}

void TrainingRun::recompile() {
  Project changed = nextProject();
  if (changed.document() == m_compiled.document()) return;
  m_compiled = std::move(changed);
  // Samples that a card keeps make room for the changed step first
  const bool keepsSamples = m_batches->keptBytes() > 0;
  if (keepsSamples) m_batches.reset();
  if (m_layers) m_layers->release();
  m_capture.forgetPrograms();
  m_profile.forgetProgram();
  m_network->adopt(m_compiled, m_dataset.get());
  if (keepsSamples)
    m_batches = std::make_unique<Feeder>(
        *m_network, *m_dataset, m_network->steps().training().isShuffled, &m_capture.spans());
  // The views are collected again, because there may be more variables now.
  m_watched.reset();
  m_memoryBytes = m_network->allocatedBytes();
  m_peakBytes = std::max(m_peakBytes, m_memoryBytes);
  rebuildLayers();
  if (!m_files || m_isWithoutFiles) return;
  writeFiles([&] {
    m_files->writeChoices(m_network->trainProgram(m_batches->samplesOf(0)),
                          m_network->steps().kernels().variants());
    writeStepMemory(m_files->directory(), m_network->stepMemory());
  });
}

bool TrainingRun::writeFiles(const std::function<void()>& write) {
  std::string folder;
  while (true) {
    bool isMoving = !folder.empty();
    try {
      if (isMoving) {
        m_files->moveTo(std::exchange(folder, {}));
        isMoving = false;
        m_observer.onMoved(m_files->directory());
      }
      write();
      return true;
    }
    catch (const Error& error) {
      // Whatever is wrong with the chosen folder, another one can be chosen
      if (!isMoving && (!m_options.asksAboutDisk || error.code() != ErrorCode::IoFailure)) throw;
      const RunState before = m_control.state();
      setState(RunState::Paused);
      m_control.ask();
      m_observer.onDiskProblem(error);
      const std::optional<DiskAnswer> answer = m_control.waitForAnswer();
      if (!answer) throw;
      if (m_control.isStopRequested())
        setState(RunState::Stopping);
      else
        setState(before == RunState::Pausing ? RunState::Running : before);
      if (answer->choice == DiskAnswer::Choice::WithoutFiles) {
        m_isWithoutFiles = true;
        return false;
      }
      folder = answer->folder;
    }
  }
}

/// Sets the schedule of the stage whose learning rate applies.
void TrainingRun::setRateOfStage() {
  if (m_position.rateStage < 0 || m_position.rateStage >= static_cast<int64_t>(m_stages.size()))
    return;
  m_schedule = m_stages[static_cast<size_t>(m_position.rateStage)].schedule;
}

/// Returns the learning rate of the update after `step`.
double TrainingRun::rateAfter(int64_t step) const {
  return m_schedule && !m_position.isLearningRateSet ? m_schedule(step - m_position.rateStep)
                                                     : m_position.learningRate;
}

void TrainingRun::enterStage(int64_t number) {
  const TrainStage& stage = m_stages[static_cast<size_t>(number)];
  m_position.stage = number;
  m_position.stageStep = m_position.step;
  m_position.stageEpoch = m_position.epoch;
  if (stage.learningRate) {
    m_position.rateStage = number;
    m_position.rateStep = m_position.step;
    m_position.learningRate = *stage.learningRate;
    m_position.isLearningRateSet = false;
    setRateOfStage();
  }
  recompile();
  if (stage.resetsOptimizer) {
    m_network->resetOptimizer();
    m_position.updateOffset = m_position.step;
  }
  notify([&](RunObserver& o) {
    o.onSetting(
        {m_position.step + 1, "stage", static_cast<double>(number + 1), causeOfStage(stage)});
  });
  if (stage.learningRate)
    notify([&](RunObserver& o) {
      o.onSetting(
          {m_position.step + 1, "learning_rate", m_position.learningRate, causeOfStage(stage)});
    });
}

/// Begins the next stage if the current one is over.
void TrainingRun::beginDueStages() {
  while (m_position.stage + 1 < static_cast<int64_t>(m_stages.size())) {
    const TrainStage& stage = m_stages[static_cast<size_t>(m_position.stage)];
    const bool isOver =
        stage.epochs ? m_position.epoch - m_position.stageEpoch >= *stage.epochs
                     : m_position.step - m_position.stageStep >= stage.steps.value_or(INT64_MAX);
    if (!isOver) return;
    enterStage(m_position.stage + 1);
  }
}

void TrainingRun::findNextChange() {
  m_nextChange = INT64_MAX;
  for (const LiveChange& change : m_changes)
    if (!change.isDone) m_nextChange = std::min(m_nextChange, change.step);
}

/// Returns why these changes would exceed the memory limit and must be refused, or "" if they fit.
std::string TrainingRun::whyNoRoom(const std::vector<LiveChange>& added) {
  const auto isAsLarge = [&](const LiveChange& change) {
    const auto settings = liveSettings(projectAt(change.step).document());
    const auto present = settings.find(change.name);
    return change.name == "learning_rate" ||
           (present != settings.end() && levelOf(present->second) == levelOf(change.value));
  };
  if (!m_network->steps().execution().memoryLimitBytes.has_value() ||
      std::all_of(added.begin(), added.end(), isAsLarge))
    return {};
  std::vector<LiveChange> changes = m_changes;
  for (const LiveChange& change : added)
    insertChange(changes, change);
  try {
    m_network->lookAhead(partsAhead(changes), m_dataset->trainCount);
  }
  catch (const Error& error) {
    if (error.subject() != kMemoryLimit) throw;
    return error.what();
  }
  return {};
}

/// Converts requests of the user to changes or warnings. Simultaneous requests are checked
/// together, because they may fit only together.
void TrainingRun::takeRequests() {
  std::vector<LiveChange> wanted;
  for (const SettingRequest& request : m_control.takeSettings()) {
    Diagnostics problems;
    if (!checkChange(m_project.document(), request.name, request.value, request.name, problems)) {
      const std::string line = problems[0].line();
      notify([&](RunObserver& o) { o.onWarning(line); });
      continue;
    }
    const int64_t next = m_position.step + 1, step = std::max(request.step, next);
    if (step == next) {
      const auto settings = liveSettings(nextProject().document());
      const auto present = settings.find(request.name);
      const bool isRate = request.name == "learning_rate",
                 isScheduled = m_schedule && !m_position.isLearningRateSet;
      if (isRate ? request.value == m_position.learningRate && !isScheduled
                 : present != settings.end() && present->second == request.value)
        continue;
    }
    wanted.push_back({step, request.name, request.value});
  }
  takeChanges(wanted, [&](const std::string& warning) {
    notify([&](RunObserver& o) { o.onWarning(warning); });
  });
}

/// Adds the changes that fit the memory limit, and warns about the others.
void TrainingRun::takeChanges(const std::vector<LiveChange>& wanted,
                              const std::function<void(const std::string&)>& warn) {
  const bool hasRoomForAll = whyNoRoom(wanted).empty();
  for (const LiveChange& change : wanted) {
    if (const std::string reason = hasRoomForAll ? std::string() : whyNoRoom({change});
        !reason.empty())
      warn(change.name + ": is not changed, because with this change " + reason);
    else {
      insertChange(m_changes, change);
      if (m_processes) m_untoldChanges.push_back(change);
    }
  }
  findNextChange();
}

/// Applies the changes that are due at the next update. All changes need only one compilation.
void TrainingRun::applyDueChanges() {
  for (LiveChange& change : m_changes) {
    if (change.isDone || change.step > m_position.step + 1) continue;
    change.isDone = true;
    if (change.name == "learning_rate") {
      m_position.learningRate = change.value;
      m_position.isLearningRateSet = true;
    }
    const SettingChanged changed{m_position.step + 1, change.name, change.value,
                                 change.isPlanned ? "project" : ""};
    notify([&](RunObserver& o) { o.onSetting(changed); });
  }
  findNextChange();
  recompile();
}

/// Handles what the user wants between steps. Returns false if the run must stop.
bool TrainingRun::takeOrders() {
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
      if (m_files) writeFiles([&] { m_files->history().flush(); });
      for (const auto& sampler : m_samplers)
        sampler->setPaused(true);
      tellSamples();
      isPaused = true;
    }
    m_control.wait();
  }
  if (isPaused)
    for (const auto& sampler : m_samplers)
      sampler->setPaused(false);
  if (m_control.isStopRequested()) return false;
  if (m_control.state() != RunState::Running) setState(RunState::Running);
  return true;
}

/// Saves a checkpoint that a callback requests after a number of steps or minutes.
void TrainingRun::keepDueCheckpoint() {
  act(m_callbacks->stepEnded(meansSoFar(), sharedSeconds()), m_position.step, false);
}

/// Keeps the current weights, or their moving averages, as the best ones of callbacks.
void TrainingRun::keepBest(const CallbackRunner::Decision& decision, int64_t step) {
  const bool savesBest = decision.isBest && m_files && !m_isWithoutFiles;
  if (decision.snapshots.empty() && !savesBest) return;
  if (savesBest) lookAtState(step);
  const NetworkState::AveragedWeights averaged(m_network->state(), hasAverages());
  for (const int callback : decision.snapshots)
    for (const auto& [name, value] : m_network->state().weights())
      m_snapshots.insert_or_assign(CallbackRunner::snapshotName(name, callback), value);
  if (!savesBest) return;
  writeFiles([&] {
    m_files->saveBest(m_network->state().weightSnapshot().views(),
                      m_network->steps().project().name(), step, decision.bestMonitor,
                      decision.bestValue);
  });
  m_best.isBest = true;
  m_best.monitor = decision.bestMonitor;
  m_best.value = decision.bestValue;
}

void TrainingRun::act(const CallbackRunner::Decision& decision, int64_t step, bool isEpochEnd) {
  keepBest(decision, step);
  if (decision.learningRate) {
    m_position.learningRate = *decision.learningRate;
    m_position.isLearningRateSet = true;
    notify([&](RunObserver& o) {
      o.onSetting({step + 1, "learning_rate", m_position.learningRate, "ReduceLROnPlateau"});
    });
  }
  if (!decision.endedBy.empty()) m_position.endedBy = decision.endedBy;
  // At the end of an epoch, a checkpoint is saved in any case.
  if (isEpochEnd || !(decision.saves || decision.isBest)) return;
  requireEqualProcesses();
  save(true);
}

/// Restores the best weights of EarlyStopping, as Keras does at the end of every training.
void TrainingRun::restoreBest(RunOutcome& outcome) {
  for (const auto& [callback, monitor, epoch] : m_callbacks->restoring()) {
    for (const VariableRequest& request : m_network->state().variables())
      if (const auto kept = m_snapshots.find(CallbackRunner::snapshotName(request.name, callback));
          kept != m_snapshots.end())
        m_network->state().values().write(request.name, kept->second);
    outcome.restoredBy = monitor;
    outcome.restoredEpoch = epoch;
  }
}

/// Takes over how long replicas or processes have waited for each other in a step.
void TrainingRun::noteWaits() {
  std::vector<double>& waits = m_metrics.waitSeconds;
  waits.clear();
  if (m_processes) {
    for (const RunProcesses::Times& each : m_processes->times())
      waits.push_back(each.exposed + each.waiting);
    return;
  }
  for (const std::chrono::nanoseconds wait : m_network->waits())
    waits.push_back(std::chrono::duration<double>(wait).count());
}

/// Takes over what a step has measured on its device.
void TrainingRun::noteMeasures(const Ticket& step) {
  const auto take = [&](Measure measure, const char* output) {
    if (findOutput(step.program().graph(), output).isValid())
      m_metrics.measures[static_cast<size_t>(measure)] = step.result(output)[0];
  };
  take(Measure::GradientNorm, kGradientNorm);
  take(Measure::LossScale, kNextLossScale);
}

/// Takes over what the loop has measured in a step.
void TrainingRun::noteLoopMeasures(const PendingStep& step) {
  const auto note = [this](Measure measure, double value) {
    m_metrics.measures[static_cast<size_t>(measure)] = static_cast<float>(value);
  };
  note(Measure::DataWait, std::chrono::duration<double>(step.gathering).count());
  if (const std::vector<double>& waits = m_metrics.waitSeconds; !waits.empty())
    note(Measure::ReplicaWait,
         std::accumulate(waits.begin(), waits.end(), 0.0) / static_cast<double>(waits.size()));
}

/// Warns once if the others wait much for a replica or process.
void TrainingRun::watchReplicas(double seconds) {
  constexpr double kMinShare = 0.3, kMinLagSeconds = 0.01, kMinTotalSeconds = 1;
  const std::vector<double>& waits = m_metrics.waitSeconds;
  // Devices that compute different layers wait for each other
  if (waits.size() < 2 || m_hasWarnedOfReplica || m_network->steps().placement()) return;
  const auto slowest = static_cast<int>(std::ranges::min_element(waits) - waits.begin());
  double lag = seconds;
  for (size_t rank = 0; rank < waits.size(); ++rank)
    if (static_cast<int>(rank) != slowest) lag = std::min(lag, waits[rank]);
  if (slowest != m_slowReplica || lag < kMinLagSeconds || lag < kMinShare * seconds) {
    m_slowReplica = slowest;
    m_lagSeconds = m_slowSeconds = 0;
    return;
  }
  m_lagSeconds += lag;
  m_slowSeconds += seconds;
  if (m_lagSeconds < kMinTotalSeconds) return;
  m_hasWarnedOfReplica = true;
  const std::string share = std::to_string(std::lround(100 * m_lagSeconds / m_slowSeconds));
  const std::string name =
      m_processes ? m_processes->nameOf(slowest) : "replica " + std::to_string(slowest);
  const std::string warning = name + " is slow: the others wait for it " + share +
                              "% of the time. Look for other programs on its processors, or use "
                              "fewer devices.";
  notify([&](RunObserver& o) { o.onWarningOf("slow_replica", warning); });
}

}  // namespace strata
