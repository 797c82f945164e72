// SPDX-License-Identifier: Apache-2.0
#include "core/train/step_profile.h"
#include "gpu/base/clock.h"

#include <algorithm>
#include <cmath>

#include "gpu/exec/device.h"
#include "gpu/ops/communication.h"

namespace strata {

using namespace std::chrono_literals;

namespace {

constexpr auto kSnapshotInterval = 400ms;
// Number of plain steps between two measured steps
constexpr int64_t kPlainBetween = 15;

/// Returns the time that reading the clock takes.
double readingSeconds() {
  constexpr int kReadings = 256, kTries = 5;
  double least = 1;
  for (int i = 0; i < kTries; ++i) {
    const auto start = Clock::now();
    auto last = start;
    for (int n = 0; n < kReadings; ++n)
      last = Clock::now();
    least = std::min(least, std::chrono::duration<double>(last - start).count() / kReadings);
  }
  return least;
}

// Every second step is measured if steps are longer than this, because synchronizing after each
// node then costs little.
constexpr auto kLongStep = 50ms;

// Records of this many steps are taken without a pause, and then at most those of one step in this
// time
constexpr int64_t kFirstRecords = 3;
constexpr auto kRecordInterval = 250ms;

/// What makes parts of a plain step from times of measured steps. Nodes of communication have a
/// factor of their own.
class RowScales {
 public:
  /// `computed`, `communication`: the part of a plain step in all nodes, and the part of it in
  /// which the device communicated. `source`: records of a card have the kernels of a collective,
  /// but not the communication; other times have both.
  RowScales(const std::vector<ProfileRow>& rows, double computed, double communication,
            StepRecords::Source source) {
    double sum = 0, communicating = 0;
    for (const ProfileRow& row : rows)
      (isCommunication(row.op) ? communicating : sum) += static_cast<double>(row.total.count());
    const double all = sum + communicating;
    const bool hasKernelsAlone =
        source == StepRecords::Source::Card || source == StepRecords::Source::Predicted;
    if (communicating <= 0 || communication <= 0 || communication > computed) {
      if (all > 0) m_other = m_communication = computed / all;
    }
    else if (hasKernelsAlone) {
      m_other = (computed - communication) / all;
      m_communication = m_other + communication / communicating;
    }
    else {
      m_communication = communication / communicating;
      if (sum > 0) m_other = (computed - communication) / sum;
    }
  }
  double of(const ProfileRow& row) const {
    return isCommunication(row.op) ? m_communication : m_other;
  }

 private:
  double m_communication = 0, m_other = 0;
};

}  // namespace

std::vector<MemorySample> memoryByInstruction(const Program& program) {
  const std::vector<BytesByCategory> timeline = memoryTimeline(program.graph(), program.memory());
  std::vector<MemorySample> result;
  const std::vector<int> positions = program.positions();
  for (size_t i = 0; i < positions.size(); ++i) {
    const BytesByCategory& bytes = timeline[static_cast<size_t>(positions[i])];
    if (result.empty() || result.back().bytes != bytes)
      result.push_back({static_cast<int>(i), bytes});
  }
  return result;
}

bool StepProfile::wantsMeasuring() const {
  // The first step is a plain one, for comparison.
  if (m_measuredSteps == 0) return m_plainSteps > 0;
  const bool isLong = m_plain > kLongStep * m_plainSteps;
  return m_sinceMeasured >= (isLong ? 1 : kPlainBetween);
}

void StepProfile::add(bool isMeasured, bool isFullBatch, std::chrono::nanoseconds step,
                      std::chrono::nanoseconds data,
                      const std::array<std::chrono::nanoseconds, 3>& phases, int clockReadings,
                      std::chrono::nanoseconds communication) {
  if (m_since == std::chrono::steady_clock::time_point{}) {
    m_since = std::chrono::steady_clock::now();
    m_readingSeconds = readingSeconds();
    for (auto& spare : m_spare)
      spare = std::make_shared<ProfileSnapshot>();
  }
  const auto seconds = [](std::chrono::nanoseconds time) {
    return std::chrono::duration<double>(time).count();
  };
  const auto addTo = [&](PhaseTimes& times) {
    ++times.steps;
    times.stepSeconds += seconds(step);
    times.waitSeconds += seconds(data);
    times.forwardSeconds += seconds(phases[0]);
    times.backwardSeconds += seconds(phases[1]);
    times.updateSeconds += seconds(phases[2]);
    times.collectiveSeconds += seconds(communication);
    times.measuringSeconds += clockReadings * m_readingSeconds;
  };
  addTo(m_all);
  if (isFullBatch) addTo(m_full);
  if (!isFullBatch) return;
  if (isMeasured) {
    ++m_measuredSteps;
    m_sinceMeasured = 0;
    m_measured += step;
    return;
  }
  ++m_plainSteps;
  ++m_sinceMeasured;
  m_plain += step;
  m_data += data;
  m_communication += communication;
  for (size_t i = 0; i < phases.size(); ++i)
    m_phases[i] += phases[i];
}

void StepProfile::addCommunication(const ProcessSums::Times& times,
                                   std::chrono::nanoseconds exposed, bool isFullBatch) {
  const auto seconds = [](std::chrono::nanoseconds time) {
    return std::chrono::duration<double>(time).count();
  };
  for (PhaseTimes* each : {&m_all, &m_full}) {
    if (each == &m_full && !isFullBatch) continue;
    each->communicationSeconds += seconds(std::max(times.communicating, exposed));
    each->exposedSeconds += seconds(exposed);
    each->communicationProcessorSeconds += seconds(times.processor);
    each->communicationBytes += times.bytes;
    each->collectives += times.sums;
  }
}

void StepProfile::addRecords(const Program& program, Device& device, int64_t step) {
  const auto now = std::chrono::steady_clock::now();
  if (m_kernels && m_kernels->steps >= kFirstRecords && now - m_recorded < kRecordInterval) return;
  m_recorded = now;
  if (!m_kernels) {
    m_kernels = std::make_shared<KernelProfile>();
    m_kernels->limits = limitsOf(device);
    m_kernels->precision = m_precision;
  }
  else if (m_isShared)
    // A snapshot has these
    m_kernels = std::make_shared<KernelProfile>(*m_kernels);
  m_isShared = false;
  m_kernels->device = device.name();
  m_kernels->add(step, program.lastRecords());
  if (const auto use = device.memoryUse()) {
    m_kernels->contextBytes = use->contextBytes;
    m_kernels->transferBytes = use->transferBytes;
  }
  if (m_program == &program) return;
  m_program = &program;
  m_kernels->memory = memoryByInstruction(program);
}

std::shared_ptr<const ProfileSnapshot> StepProfile::takeSnapshot(Program& program, int64_t step,
                                                                 bool isWatching, bool isLast) {
  const auto now = std::chrono::steady_clock::now();
  if ((isWatching && m_measuredSteps == 0) || m_plainSteps == 0 ||
      (!isLast && now - m_since < kSnapshotInterval))
    return nullptr;
  if (m_measuredSteps == 0) return phasesAlone(step, now);
  auto snapshot = std::make_shared<ProfileSnapshot>();
  snapshot->steps = m_measuredSteps;
  snapshot->step = step;
  const double plainTotal = std::max(1.0, static_cast<double>(m_plain.count()));
  const double plain = plainTotal / static_cast<double>(m_plainSteps),
               measured =
                   static_cast<double>(m_measured.count()) / static_cast<double>(m_measuredSteps);
  snapshot->stepMicroseconds = plain / 1000;
  snapshot->dataWaitFraction = static_cast<double>(m_data.count()) / plainTotal;
  snapshot->communicationFraction = static_cast<double>(m_communication.count()) / plainTotal;
  snapshot->loaderThreads = m_loaderThreads;
  const double all = plainTotal + static_cast<double>(m_measured.count());
  snapshot->observationFraction =
      std::max(0.0, measured - plain) * static_cast<double>(m_measuredSteps) / all +
      m_all.fractionOf(m_all.measuringSeconds);
  snapshot->rows = program.profile();
  snapshot->kernels = m_kernels;
  m_isShared = true;
  // A measured step synchronizes after every node and takes longer. Its times are scaled, so that
  // they sum to the time of a plain step.
  const auto computed =
      std::chrono::duration_cast<std::chrono::nanoseconds>(m_phases[0] + m_phases[1] + m_phases[2]);
  const double fraction = std::min(1.0, static_cast<double>(computed.count()) / plainTotal);
  const RowScales scales(snapshot->rows, fraction, snapshot->communicationFraction,
                         m_kernels ? m_kernels->source : StepRecords::Source::None);
  double* const phases[] = {&snapshot->forwardFraction, &snapshot->backwardFraction,
                            &snapshot->updateFraction};
  for (ProfileRow& row : snapshot->rows) {
    const double part = scales.of(row) * static_cast<double>(row.total.count());
    *phases[static_cast<size_t>(row.phase)] += part;
    row.total =
        std::chrono::nanoseconds(std::llround(part * plain * static_cast<double>(m_measuredSteps)));
  }
  program.resetProfile();
  reset();
  m_since = now;
  m_overTime.add(breakdownOf(*snapshot));
  m_run.add(*snapshot);
  return snapshot;
}

std::shared_ptr<const ProfileSnapshot> StepProfile::ofRun(std::vector<DeviceSummary> devices,
                                                          ReplicaReport replicas) const {
  const std::shared_ptr<ProfileSnapshot> snapshot = m_run.mean();
  if (!snapshot) return nullptr;
  snapshot->loaderThreads = m_loaderThreads;
  snapshot->overTime = m_overTime.all();
  snapshot->devices = std::move(devices);
  snapshot->replicas = std::move(replicas);
  return snapshot;
}

std::shared_ptr<const ProfileSnapshot> StepProfile::phasesAlone(
    int64_t step, std::chrono::steady_clock::time_point now) {
  const auto spare = std::find_if(m_spare.begin(), m_spare.end(),
                                  [](const auto& each) { return each && each.use_count() == 1; });
  // There is no free snapshot, because the observer still uses all of them.
  if (spare == m_spare.end()) return nullptr;
  ProfileSnapshot& snapshot = **spare;
  const double total = std::max(1.0, static_cast<double>(m_plain.count()));
  const auto fraction = [&](std::chrono::nanoseconds time) {
    return static_cast<double>(time.count()) / total;
  };
  snapshot.step = step;
  snapshot.stepMicroseconds = total / static_cast<double>(m_plainSteps) / 1000;
  snapshot.dataWaitFraction = fraction(m_data);
  snapshot.communicationFraction = fraction(m_communication);
  snapshot.loaderThreads = m_loaderThreads;
  snapshot.forwardFraction = fraction(m_phases[0]);
  snapshot.backwardFraction = fraction(m_phases[1]);
  snapshot.updateFraction = fraction(m_phases[2]);
  snapshot.observationFraction = m_all.fractionOf(m_all.measuringSeconds);
  m_overTime.add(breakdownOf(snapshot));
  reset();
  m_since = now;
  return *spare;
}

void StepProfile::reset() {
  m_plainSteps = m_measuredSteps = m_sinceMeasured = 0;
  m_plain = m_measured = m_data = m_communication = {};
  m_phases = {};
}

}  // namespace strata
