// SPDX-License-Identifier: Apache-2.0
// Profiles a run: all steps are timed by phase, and every few steps one is measured node by node.
// The difference between the two is the profiling overhead. Not here: measuring nodes (gpu/exec).
// Thread: the training thread.
#pragma once

#include <array>
#include <chrono>
#include <memory>

#include "core/runs/events.h"

namespace strata {

class StepProfile {
 public:
  /// True if the next step should be measured node by node.
  bool wantsMeasuring() const;
  /// Adds the times of a step. A step that is not on a full batch only counts in phases().
  void add(bool isMeasured, bool isFullBatch, std::chrono::nanoseconds step,
           std::chrono::nanoseconds data, const std::array<std::chrono::nanoseconds, 3>& phases,
           int clockReadings);
  /// Every few hundred milliseconds a snapshot of the times since the last one; null in between.
  /// isLast: a snapshot now, if anything was measured. isWatching false: a snapshot of the phases
  /// only, without allocating memory.
  std::shared_ptr<const ProfileSnapshot> takeSnapshot(Program& program, int64_t step,
                                                      bool isWatching, bool isLast = false);
  /// The mean of all snapshots with nodes, weighted by their measured steps; null before the first.
  std::shared_ptr<const ProfileSnapshot> ofRun() const;
  /// The phase times of all added steps.
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
  // Mean of the snapshots, weighted by their time
  ProfileSnapshot m_run;
  // Time of one reading of the clock, measured at the first step
  double m_readingSeconds = 0;
  std::array<std::shared_ptr<ProfileSnapshot>, 3> m_spare;
};

}  // namespace strata
