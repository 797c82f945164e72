// SPDX-License-Identifier: Apache-2.0
// What the devices of a run do: their states, the updates of a parameter server, and the figures of
// each device.
#include <algorithm>
#include <cmath>
#include <map>

#include "core/train/training_run.h"
#include "gpu/devices/device_name.h"

namespace strata {

static double secondsOf(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

void TrainingRun::startSampling() {
  // Logical processors share one machine, whose state is read once
  const StepBuilder& steps = m_network->steps();
  const bool isOne = steps.devices().size() == 1 || steps.device().readsHostMemory();
  const std::vector<std::string> names = DeviceName(steps.deviceName()).each();
  // Samples count the time of checkpoints too, so those of a resumed run follow the kept ones
  double seconds = m_position.seconds;
  if (m_resumed && m_files)
    for (const DeviceSample& kept : readDeviceSamples(m_files->directory()))
      seconds = std::max(seconds, kept.seconds);
  for (size_t rank = 0; rank < (isOne ? 1 : steps.devices().size()); ++rank) {
    const Device& device = *steps.devices()[rank];
    m_samplers.push_back(std::make_unique<DeviceSampler>(
        isOne ? device.name() : names[rank], device.isSimulated(), stateReaderOf(device), seconds));
  }
}

/// Passes the new states of the devices to the observer.
void TrainingRun::tellSamples() {
  for (const auto& sampler : m_samplers) {
    if (!sampler->hasSamples()) continue;
    for (const DeviceSample& sample : sampler->take())
      notify([&](RunObserver& o) { o.onDeviceState(sample); });
  }
}

/// Ends sampling, because the run does not train any more.
void TrainingRun::endSampling() {
  for (const auto& sampler : m_samplers)
    sampler->stop();
  tellSamples();
}

std::vector<DeviceSummary> TrainingRun::deviceSummaries() const {
  std::vector<DeviceSummary> summaries;
  for (const auto& sampler : m_samplers)
    summaries.push_back(sampler->summary());
  return summaries;
}

/// Runs updates whose gradients the workers of a parameter server compute at the same time, with
/// the same weights. Returns false if an update was stopped. How many updates there are depends
/// only on the position, so that a continued run has the same ones.
bool TrainingRun::trainStale() {
  const int64_t most =
      std::min<int64_t>(m_network->steps().updatesAtOnce(), stepsToFixedDecision());
  int64_t count = 1;
  while (count < most && !m_callbacks->isDue(m_position.step + count, 0))
    ++count;
  bool isWatched = false;
  for (int64_t i = 1; i < count; ++i)
    isWatched = isWatched || m_watch.isDue(m_position.step + i);
  m_stale.clear();
  beginCapture();
  for (int64_t i = 0; i < count; ++i)
    submitStep();
  m_network->computeStale(m_stale, m_control.stopToken());
  m_capture.endLaunch(Clock::now());
  for (size_t worker = 0; worker < m_stale.size(); ++worker) {
    PendingStep& step = m_pending[m_firstPending];
    for (Ticket& ticket : step.tickets)
      if (ticket.wait() == StepOutcome::Stopped) {
        dropPending();
        return false;
      }
    if (worker == 0) m_capture.take();
    if (step.isRecorded) m_capture.expectUpdate(*m_network->serverUpdate());
    const auto updateBegan = Clock::now();
    auto [ticket, age] = m_network->applyStale(worker, {step.update, step.learningRate, m_seed});
    m_capture.addHost("update of the server", updateBegan, Clock::now());
    step.tickets.push_back(std::move(ticket));
    m_metrics.staleness = age;
    m_staleWorker = worker;
    if (!finishStep()) return false;
  }
  if (isWatched && !m_watch.isDue(m_position.step)) lookAtState(m_position.step);
  return true;
}

/// Returns the times of this process in an update. While its thread communicates, a process waits
/// for sums that are not done, perhaps because another one has not come yet.
RunProcesses::Times TrainingRun::timesOf(const ProcessSums::Times& sums, const StepPhases& phases) {
  const double awaited = secondsOf(sums.waiting);
  RunProcesses::Times times;
  times.waiting = std::min(awaited, secondsOf(sums.meeting));
  times.exposed = awaited - times.waiting;
  times.hidden = std::max(0.0, secondsOf(sums.communicating - sums.meeting) - times.exposed);
  times.computing = std::max(0.0, secondsOf(phases[0] + phases[1] + phases[2]) - awaited);
  return times;
}

/// Adds an update that is done to the figures of the devices.
void TrainingRun::noteReplicas(const PendingStep& step, const std::vector<MicroBatch>& pieces) {
  const StepBuilder& steps = m_network->steps();
  const size_t devices = m_processes ? m_processes->times().size() : steps.devices().size();
  if (devices < 2 || (m_processes && m_processes->times().empty())) return;
  m_replicas.replicas.resize(devices);
  ++m_replicas.steps;
  if (m_processes) {
    for (size_t rank = 0; rank < devices; ++rank) {
      const RunProcesses::Times& times = m_processes->times()[rank];
      ReplicaFigures& figures = m_replicas.replicas[rank];
      figures.computeSeconds += times.computing;
      figures.exposedSeconds += times.exposed;
      figures.hiddenSeconds += times.hidden;
      figures.waitingSeconds += times.waiting;
    }
    return;
  }
  for (size_t i = 0; i < std::min(step.tickets.size(), pieces.size()); ++i) {
    const size_t rank = steps.isStale() ? m_staleWorker : static_cast<size_t>(pieces[i].rank);
    for (const std::chrono::nanoseconds phase : step.tickets[i].phases())
      m_replicas.replicas[rank].computeSeconds += secondsOf(phase);
  }
  if (steps.isStale()) return;
  for (size_t rank = 0; rank < devices; ++rank) {
    ReplicaFigures& figures = m_replicas.replicas[rank];
    const double waiting = secondsOf(m_network->waits()[rank]),
                 communicating = secondsOf(steps.group()->log().communicating(rank));
    figures.waitingSeconds += waiting;
    figures.exposedSeconds += communicating;
    figures.hiddenSeconds += secondsOf(steps.group()->log().hidden(rank));
    figures.computeSeconds -= waiting + communicating;
  }
}

/// Returns how long the first device communicated in the last update, or this process, as far as
/// computing did not hide it, and how long it waited for others.
std::chrono::nanoseconds TrainingRun::communicationOfStep() const {
  const StepBuilder& steps = m_network->steps();
  if (m_processes) {
    const auto rank = static_cast<size_t>(m_processes->rank());
    if (rank >= m_processes->times().size()) return {};
    const RunProcesses::Times& times = m_processes->times()[rank];
    return std::chrono::nanoseconds(std::llround(1e9 * (times.exposed + times.waiting)));
  }
  if (steps.devices().size() < 2 || steps.isStale()) return {};
  return m_network->waits()[0] + steps.group()->log().communicating(0);
}

/// Checks that all devices of this process have the same weights, and notes it.
void TrainingRun::compareReplicas() {
  if (m_network->requireEqualReplicas()) m_replicas.equalStep = m_position.step;
}

/// Passes the figures of the devices to the observer about twice a second.
void TrainingRun::tellReplicas() {
  constexpr std::chrono::milliseconds kInterval{500};
  const auto now = Clock::now();
  if (m_replicas.replicas.empty() || now - m_toldReplicas < kInterval) return;
  m_toldReplicas = now;
  notify([report = replicaReport()](RunObserver& o) { o.onReplicas(report); });
}

/// Returns the figures of all devices so far.
ReplicaReport TrainingRun::replicaReport() const {
  ReplicaReport report = m_replicas;
  if (report.replicas.empty()) return report;
  const StepBuilder& steps = m_network->steps();
  const std::vector<std::string> names = DeviceName(steps.deviceName()).each();
  for (size_t rank = 0; rank < report.replicas.size(); ++rank) {
    ReplicaFigures& figures = report.replicas[rank];
    figures.name = m_processes ? m_processes->nameOf(static_cast<int>(rank)) : names[rank];
    figures.bytes = m_processes ? m_processMemory[rank] : m_network->categoriesOf(rank);
  }
  // The collectives of all replicas by op and number
  std::map<CollectiveLog::Key, CollectiveTimes> all;
  std::map<CollectiveLog::Key, double> taking;
  const auto add = [&](const CollectiveLog& log, size_t replica) {
    for (const auto& [key, times] : log.of(replica)) {
      ++taking[key];
      CollectiveTimes& total = all[key];
      total.calls = std::max(total.calls, times.calls);
      total.bytes = times.bytes;
      total.total += times.total;
      total.waiting += times.waiting;
      total.durations.insert(total.durations.end(), times.durations.begin(), times.durations.end());
    }
  };
  for (int rank = 0; rank < steps.group()->size(); ++rank)
    add(steps.group()->log(), static_cast<size_t>(rank));
  const ProcessSums* const sums = steps.group()->processes();
  if (sums) add(sums->log(), 0);
  for (auto& [key, times] : all) {
    const auto middle = times.durations.begin() + std::ssize(times.durations) / 2;
    std::ranges::nth_element(times.durations, middle);
    report.collectives.push_back({key.first, key.second, times.calls, times.bytes,
                                  secondsOf(*middle), secondsOf(times.total) / taking[key],
                                  secondsOf(times.waiting) / taking[key],
                                  sums ? 1 : taking[key] / steps.group()->size()});
  }
  return report;
}

}  // namespace strata
