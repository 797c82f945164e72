// SPDX-License-Identifier: Apache-2.0
// Keeps the processes of a run in step: the first one decides, and the others follow it. A process
// that computes other values, or has other data, ends the run.
#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "core/train/training_run.h"
#include "gpu/base/version.h"

namespace strata {

/// Checks that the strategy fits the number of processes.
void TrainingRun::requireStrategy() const {
  constexpr const char* kStrategy = "/execution/strategy";
  const ExecutionOptions execution = CheckedProject(m_project).execution();
  if (execution.strategy == Strategy::MultiWorker && !m_processes)
    throw Error(ErrorCode::InvalidProject, kStrategy,
                "the strategy multi_worker trains in several processes (expected strata launch). "
                "Write strata launch -np N train PROJECT, or set the strategy to mirrored.");
  if (execution.strategy == Strategy::OneDevice && m_processes && m_processes->size() > 1)
    throw Error(ErrorCode::InvalidProject, kStrategy,
                "the strategy one_device does not fit several processes (expected multi_worker). "
                "Set it to multi_worker, or train without launch.");
}

/// Gives all processes the project, the settings and the checkpoint of the first one.
void TrainingRun::shareSettings() {
  if (!m_processes) return;
  Json settings;
  if (isFirstProcess())
    settings = {{"project", m_project.document()},
                {"path", m_project.path()},
                {"device", m_options.device.empty() ? m_environment.device : m_options.device},
                {"threads", m_options.threads > 0 ? m_options.threads : m_environment.threads},
                {"steps", m_environment.maxSteps ? Json(*m_environment.maxSteps) : Json(nullptr)},
                {"resumed", m_resumed.has_value()}};
  settings = m_processes->share(settings);
  m_resumed = m_processes->share(m_resumed);
  if (isFirstProcess()) return;
  m_project = Project(settings["project"], settings["path"].get<std::string>());
  m_environment.device = settings["device"].get<std::string>();
  m_environment.threads = settings["threads"].get<int>();
  if (!settings["steps"].is_null()) m_environment.maxSteps = settings["steps"].get<int64_t>();
}

/// Takes over the kernels and limits of the first process, which is ready then.
void TrainingRun::takeChoices(NetworkOptions& options) {
  if (isFirstProcess()) return;
  const Json choices = m_processes->share(Json());
  options.variants = choices["variants"].get<KernelVariants>();
  options.memoryLimitBytes = choices["memory_limit"].get<size_t>();
  options.threads = choices["threads"].get<int>();
}

/// Gives the other processes the kernels and limits of the first one, and checks that all processes
/// compute the same.
void TrainingRun::shareChoices() {
  if (!m_processes) return;
  const StepBuilder& steps = m_network->steps();
  if (isFirstProcess())
    m_processes->share({{"variants", steps.kernels().variants()},
                        {"memory_limit", steps.memoryLimitBytes()},
                        {"threads", steps.device().numWorkers()}});
  m_processes->requireEqual({{"the program", kStrataVersion},
                             {"the device", steps.device().equivalence()},
                             {"the data", fingerprintOf(*m_dataset)}});
  for (const Json& memory : m_processes->gather(m_network->categoriesOf(0)))
    m_processMemory.push_back(memory.get<std::array<size_t, kNumCategories>>());
}

/// Gives all processes the values and the position of the first one.
void TrainingRun::shareValues() {
  if (!m_processes) return;
  m_processes->share(m_network->state().values().first());
  Checkpoint position;
  if (isFirstProcess()) {
    position = m_position;
    position.tensors = m_snapshots;
  }
  position = *m_processes->share(std::optional(std::move(position)));
  if (isFirstProcess()) return;
  m_snapshots = std::move(position.tensors);
  position.tensors.clear();
  position.collected = m_resumed ? collectedIn(m_resumed->tensors, m_network->sums().numCollected(),
                                               "the first process")
                                 : std::move(m_position.collected);
  if (m_resumed) m_resumed->tensors.clear();
  m_position = std::move(position);
  m_position.stepInPass = m_batches->stepsFor(m_position.passSamples);
  std::vector<std::string> warnings;
  if (m_resumed) m_callbacks->restore(m_position.callbacks, "the first process", warnings);
  if (m_resumed && !m_resumed->endedBy.empty() && m_position.endedBy.empty()) m_callbacks->goOn();
}

/// Whether the time for another checkpoint has come. The first process decides for all.
bool TrainingRun::isCheckpointDue() const {
  return m_processes ? m_isSaveOrdered : isIntervalOver();
}

/// Whether this process, which writes files, has written no checkpoint for long.
bool TrainingRun::isIntervalOver() const {
  return m_files && Clock::now() - m_lastSave >= m_options.checkpointInterval;
}

/// Follows the order of the first process, which may wait while it is paused. Returns false if the
/// run must stop.
bool TrainingRun::followOrder() {
  StepOrder order;
  if (isFirstProcess()) {
    order.goesOn = takeOrders();
    order.saves = isIntervalOver();
    order.seconds = m_position.seconds;
    order.changes = std::exchange(m_untoldChanges, {});
  }
  const auto began = Clock::now();
  order = m_processes->share(order);
  m_orderWait += Clock::now() - began;
  m_sharedSeconds = order.seconds;
  m_isSaveOrdered = order.saves;
  if (isFirstProcess() || !order.goesOn) return order.goesOn;
  m_position.seconds = order.seconds;
  for (const LiveChange& change : order.changes)
    insertChange(m_changes, change);
  findNextChange();
  if (m_position.step + 1 >= m_nextChange) applyDueChanges();
  return true;
}

/// Adds the communication of a step that took `step` to the profile. It costs the step the time for
/// which it waited, and the time by which computing was slower than in steps that computed without
/// communication: cores, caches and memory are shared.
void TrainingRun::noteCommunication(std::chrono::nanoseconds step, bool isFullBatch) {
  using Nanoseconds = std::chrono::nanoseconds;
  const ProcessSums::Times times = m_network->communication().value_or(ProcessSums::Times{});
  const Nanoseconds waits = times.waiting + std::exchange(m_orderWait, {});
  Nanoseconds exposed = waits;
  if (isFullBatch && times.isApart) {
    constexpr size_t kMaxKept = 9;
    if (m_apart.size() == kMaxKept) m_apart.erase(m_apart.begin());
    m_apart.push_back(step - waits);
  }
  else if (isFullBatch && !m_apart.empty()) {
    std::vector<Nanoseconds> sorted = m_apart;
    const auto middle = sorted.begin() + (std::ssize(sorted) - 1) / 2;
    std::ranges::nth_element(sorted, middle);
    exposed = std::clamp(step - *middle, waits, std::max(waits, times.communicating));
  }
  m_profile.addCommunication(times, exposed, isFullBatch);
}

/// Checks that all processes have the same values. All processes call it at the same steps.
void TrainingRun::requireEqualProcesses() {
  if (!m_processes) return;
  m_processes->requireEqualValues(m_network->state().values().first());
  m_replicas.equalStep = m_position.step;
}

/// Saves the network after another process has failed. No replica has changed a value since the
/// last step that all processes finished.
void TrainingRun::saveAfterFailure() {
  if (!isFirstProcess() || !m_network || !m_files || m_savedStep == m_position.step) return;
  try {
    save(true);
  }
  catch (const Error& error) {
    notify([&](RunObserver& o) { o.onWarning(error.line()); });
  }
}

}  // namespace strata
