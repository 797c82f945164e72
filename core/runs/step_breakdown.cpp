// SPDX-License-Identifier: Apache-2.0
#include "core/runs/step_breakdown.h"

#include <algorithm>
#include <ranges>

#include "core/runs/events.h"
#include "gpu/ops/communication.h"

namespace strata {

std::string_view stepPartName(StepPart part) {
  static constexpr std::string_view kNames[kNumStepParts] = {
      "waiting", "copies", "forward", "backward", "update", "communication", "host"};
  return kNames[static_cast<size_t>(part)];
}

/// Returns the time of copies that belong to no node, in microseconds a step.
static double copyMicroseconds(const KernelProfile* kernels) {
  if (!kernels || kernels->steps == 0) return 0;
  double nanoseconds = 0;
  for (const KernelRow& row : kernels->rows)
    if (row.record.instruction < 0) nanoseconds += static_cast<double>(row.total.count());
  return nanoseconds / 1000 / static_cast<double>(kernels->steps);
}

/// Returns how the time of collectives divides among the phases, in parts of 1. Without times of
/// nodes, all of it is in the backward pass.
static std::array<double, 3> phasesOfCommunication(const ProfileSnapshot& profile) {
  std::array<double, 3> phases{};
  double sum = 0;
  for (const ProfileRow& row : profile.rows) {
    if (!isCommunication(row.op)) continue;
    phases[static_cast<size_t>(row.phase)] += static_cast<double>(row.total.count());
    sum += static_cast<double>(row.total.count());
  }
  if (sum <= 0) return {0, 1, 0};
  for (double& phase : phases)
    phase /= sum;
  return phases;
}

StepBreakdown breakdownOf(const ProfileSnapshot& profile) {
  StepBreakdown result;
  result.lastStep = profile.step;
  result.step = profile.stepMicroseconds;
  const auto set = [&](StepPart part, double time) {
    result.parts[static_cast<size_t>(part)] = time;
  };
  std::array<double, 3> phases{profile.forwardFraction, profile.backwardFraction,
                               profile.updateFraction};
  const std::array<double, 3> shares = phasesOfCommunication(profile);
  double communication = 0;
  for (size_t i = 0; i < phases.size(); ++i) {
    const double taken = std::min(phases[i], profile.communicationFraction * shares[i]);
    phases[i] -= taken;
    communication += taken;
  }
  // A device waits for others in the last phases, which the nodes do not show
  for (double& phase : std::views::reverse(phases)) {
    const double taken =
        std::min(phase, std::max(0.0, profile.communicationFraction - communication));
    phase -= taken;
    communication += taken;
  }
  const double step = result.step;
  set(StepPart::Waiting, profile.dataWaitFraction * step);
  set(StepPart::Forward, phases[0] * step);
  set(StepPart::Backward, phases[1] * step);
  set(StepPart::Update, phases[2] * step);
  set(StepPart::Communication, communication * step);
  double known = 0;
  for (const double part : result.parts)
    known += part;
  const double rest = std::max(0.0, step - known);
  const double copies = std::min(rest, copyMicroseconds(profile.kernels.get()));
  set(StepPart::Copies, copies);
  set(StepPart::Host, rest - copies);
  return result;
}

void BreakdownHistory::add(const StepBreakdown& breakdown) {
  if (m_added++ % m_stride != 0) return;
  if (m_all.size() == kMost) {
    for (size_t i = 0; i < kMost / 2; ++i)
      m_all[i] = m_all[2 * i];
    m_all.resize(kMost / 2);
    m_stride *= 2;
  }
  m_all.push_back(breakdown);
}

}  // namespace strata
