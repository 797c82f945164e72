// SPDX-License-Identifier: Apache-2.0
// Watching a run: most steps are timed by phase only, one in a few is measured node by node, and
// the difference between the two is the cost of watching.
// Thread: the training thread.
#pragma once

#include <array>
#include <chrono>
#include <memory>

#include "core/runs/events.h"

namespace strata {

class StepProfile {
 public:
  /// Whether the next step should be measured node by node.
  bool wantsMeasuring() const;
  /// isFullBatch: a step that the plain and measured times are of; a shorter one counts in phases()
  /// alone.
  void add(bool isMeasured, bool isFullBatch, std::chrono::nanoseconds step,
           std::chrono::nanoseconds data, const std::array<std::chrono::nanoseconds, 3>& phases,
           int clockReadings);
  /// Every few hundred milliseconds a snapshot of what was measured since the last; null between.
  /// isLast: now, if anything was measured. Without watching, of the phases alone, and without
  /// taking memory.
  std::shared_ptr<const ProfileSnapshot> takeSnapshot(Program& program, int64_t step,
                                                      bool isWatching, bool isLast = false);
  /// The mean of the snapshots so far that tell of nodes, each by its measured steps; null before
  /// the first.
  std::shared_ptr<const ProfileSnapshot> ofRun() const;
  /// Of all steps that were added.
  const PhaseTimes& phases() const { return m_all; }

 private:
  std::shared_ptr<const ProfileSnapshot> phasesAlone(int64_t step,
                                                     std::chrono::steady_clock::time_point now);
  void addToRun(const ProfileSnapshot& snapshot);
  void reset();
  std::chrono::steady_clock::time_point m_since{};
  int64_t m_plainSteps = 0, m_measuredSteps = 0, m_sinceMeasured = 0;
  std::chrono::nanoseconds m_plain{0}, m_measured{0}, m_data{0};
  std::array<std::chrono::nanoseconds, 3> m_phases{};
  PhaseTimes m_all;
  // Mean of the snapshots, each by its time
  ProfileSnapshot m_run;
  // Of one reading of the clock; measured at the first step
  double m_readingSeconds = 0;
  std::array<std::shared_ptr<ProfileSnapshot>, 3> m_spare;
};

}  // namespace strata
