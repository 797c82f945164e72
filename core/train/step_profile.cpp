// SPDX-License-Identifier: Apache-2.0
#include "core/train/step_profile.h"

#include <algorithm>

namespace strata {

using namespace std::chrono_literals;

namespace {

constexpr auto kSnapshotInterval = 400ms;
constexpr int64_t kPlainBetween = 15;  // steps between two measured ones
constexpr auto kLongStep = 50ms;       // where meeting after each node costs nothing to speak of: every second step

}  // namespace

bool StepProfile::wantsMeasuring() const {
  if (m_measuredSteps == 0) return m_plainSteps > 0;  // a plain one first, for comparison
  const bool isLong = m_plain > kLongStep * m_plainSteps;
  return m_sinceMeasured >= (isLong ? 1 : kPlainBetween);
}

void StepProfile::add(bool isMeasured, std::chrono::nanoseconds step, std::chrono::nanoseconds data,
                      const std::array<std::chrono::nanoseconds, 3>& phases) {
  if (m_since == std::chrono::steady_clock::time_point{}) m_since = std::chrono::steady_clock::now();
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
  for (size_t i = 0; i < phases.size(); ++i) m_phases[i] += phases[i];
}

std::shared_ptr<const ProfileSnapshot> StepProfile::takeSnapshot(Program& program, int64_t step, bool isLast) {
  const auto now = std::chrono::steady_clock::now();
  if (m_measuredSteps == 0 || m_plainSteps == 0 || (!isLast && now - m_since < kSnapshotInterval)) return nullptr;
  auto snapshot = std::make_shared<ProfileSnapshot>();
  snapshot->steps = m_measuredSteps;
  snapshot->step = step;
  const double plainTotal = std::max(1.0, static_cast<double>(m_plain.count()));
  const double plain = plainTotal / static_cast<double>(m_plainSteps),
               measured = static_cast<double>(m_measured.count()) / static_cast<double>(m_measuredSteps);
  snapshot->stepMicroseconds = plain / 1000;
  snapshot->dataWaitFraction = static_cast<double>(m_data.count()) / plainTotal;
  const double all = plainTotal + static_cast<double>(m_measured.count());
  snapshot->observationFraction = std::max(0.0, measured - plain) * static_cast<double>(m_measuredSteps) / all;
  snapshot->rows = program.profile();
  // A measured step meets after every node and takes longer: its times are shares of what a plain step computes, so that all figures add up to that one.
  const auto computed = std::chrono::duration_cast<std::chrono::nanoseconds>(m_phases[0] + m_phases[1] + m_phases[2]);
  const double fraction = std::min(1.0, static_cast<double>(computed.count()) / plainTotal);
  double sum = 0;
  for (const ProfileRow& row : snapshot->rows) sum += static_cast<double>(row.total.count());
  const double scale = sum > 0 ? fraction * plain * static_cast<double>(m_measuredSteps) / sum : 0;
  double* const phases[] = {&snapshot->forwardFraction, &snapshot->backwardFraction, &snapshot->updateFraction};
  for (ProfileRow& row : snapshot->rows) {
    if (sum > 0) *phases[static_cast<size_t>(row.phase)] += fraction * static_cast<double>(row.total.count()) / sum;
    row.total = std::chrono::nanoseconds(static_cast<int64_t>(static_cast<double>(row.total.count()) * scale));
  }
  program.resetProfile();
  reset();
  m_since = now;
  return snapshot;
}

void StepProfile::reset() {
  m_plainSteps = m_measuredSteps = m_sinceMeasured = 0;
  m_plain = m_measured = m_data = {};
  m_phases = {};
}

}  // namespace strata
