// SPDX-License-Identifier: Apache-2.0
// Where the time of a training step goes, and how this changes over a run. All views and files use
// these figures.
// Not here: measuring (core/train/step_profile.h), times of layers (layer_times.h).
// Thread: plain values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace strata {

struct ProfileSnapshot;

enum class StepPart : uint8_t {
  // For the loader, and gathering samples
  Waiting,
  // Inputs to a device, and results from it
  Copies,
  Forward,
  Backward,
  Update,
  // As far as computing does not hide it; with waiting for other devices
  Communication,
  // Everything else on this machine, such as writing the history
  Host
};
constexpr size_t kNumStepParts = 7;
/// Returns a name for files, such as "waiting" or "forward".
std::string_view stepPartName(StepPart part);

/// The mean step of some steps. Times are microseconds, and the parts add up to `step`.
struct StepBreakdown {
  // The last of the steps
  int64_t lastStep = 0;
  double step = 0;
  std::array<double, kNumStepParts> parts{};
  double of(StepPart part) const { return parts[static_cast<size_t>(part)]; }
  double shareOf(StepPart part) const { return step > 0 ? of(part) / step : 0; }
};

StepBreakdown breakdownOf(const ProfileSnapshot& profile);

/// The breakdowns of a run, oldest first. When there are too many, every second one is dropped, and
/// from then on only every second, fourth, ... one is kept.
class BreakdownHistory {
 public:
  static constexpr size_t kMost = 512;
  /// Allocates everything, so that add() allocates nothing.
  BreakdownHistory() { m_all.reserve(kMost); }
  void add(const StepBreakdown& breakdown);
  const std::vector<StepBreakdown>& all() const { return m_all; }

 private:
  std::vector<StepBreakdown> m_all;
  int64_t m_stride = 1, m_added = 0;
};

}  // namespace strata
