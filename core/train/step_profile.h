// SPDX-License-Identifier: Apache-2.0
// Profiles a run. All steps are timed by phase, and some steps are measured node by node. The
// difference between these two kinds of steps is the profiling overhead. Not here: measuring nodes
// (gpu/exec).
// Thread: only the training thread may use an object.
#pragma once

#include <array>
#include <chrono>
#include <memory>

#include "core/runs/events.h"
#include "core/runs/mean_profile.h"

namespace strata {

/// Returns the memory of the step by instruction, where it differs from that of the one before.
std::vector<MemorySample> memoryByInstruction(const Program& program);

class StepProfile {
 public:
  /// After this many steps of a run, kernels were measured on every device.
  static constexpr int64_t kStepsForKernels = 20;
  /// Whether the next step should be measured node by node.
  bool wantsMeasuring() const;
  /// Adds the times of a step. `communication` is the part of the phases in which the device
  /// communicated or waited for others. If the step was not on a full batch, it only counts in
  /// phases().
  void add(bool isMeasured, bool isFullBatch, std::chrono::nanoseconds step,
           std::chrono::nanoseconds data, const std::array<std::chrono::nanoseconds, 3>& phases,
           int clockReadings, std::chrono::nanoseconds communication = {});
  /// Sets how many threads load batches, for the snapshots.
  void setLoaderThreads(int threads) { m_loaderThreads = threads; }
  /// Sets the precision of the run, whose limits belong to the kernels.
  void setPrecision(std::string precision) { m_precision = std::move(precision); }
  /// Adds the communication of a step to phases(). `exposed`: the time that it cost the step.
  void addCommunication(const ProcessSums::Times& times, std::chrono::nanoseconds exposed,
                        bool isFullBatch);
  /// Adds what the device did in the last step, which was measured. Does nothing if the records of
  /// another step were added just before, because they take time.
  void addRecords(const Program& program, Device& device, int64_t step);
  /// Forgets the program, before it is compiled again.
  void forgetProgram() { m_program = nullptr; }
  /// Returns a snapshot of the times since the last snapshot every few hundred milliseconds, and
  /// null in between. With `isLast`, returns a snapshot immediately if any step was timed. With
  /// `isWatching`, returns no snapshot before a step was measured node by node. Otherwise a
  /// snapshot without such steps contains only the phases, and no memory is allocated.
  std::shared_ptr<const ProfileSnapshot> takeSnapshot(Program& program, int64_t step,
                                                      bool isWatching, bool isLast = false);
  /// Returns the mean of all snapshots with nodes, with the states of the run's devices. Returns
  /// null before the first of them.
  std::shared_ptr<const ProfileSnapshot> ofRun(std::vector<DeviceSummary> devices = {},
                                               ReplicaReport replicas = {}) const;
  /// Returns the phase times of all added steps.
  const PhaseTimes& phases() const { return m_all; }
  /// Returns the times of the steps on full batches, or else of all steps.
  const PhaseTimes& fullPhases() const { return m_full.steps > 0 ? m_full : m_all; }

 private:
  std::shared_ptr<const ProfileSnapshot> phasesAlone(int64_t step,
                                                     std::chrono::steady_clock::time_point now);
  void reset();
  std::chrono::steady_clock::time_point m_since{};
  int m_loaderThreads = 0;
  std::string m_precision;
  BreakdownHistory m_overTime;
  int64_t m_plainSteps = 0, m_measuredSteps = 0, m_sinceMeasured = 0;
  std::chrono::nanoseconds m_plain{0}, m_measured{0}, m_data{0}, m_communication{0};
  std::array<std::chrono::nanoseconds, 3> m_phases{};
  PhaseTimes m_all, m_full;
  MeanProfile m_run;
  // The kernels of all measured steps so far, and when records were added
  std::shared_ptr<KernelProfile> m_kernels;
  bool m_isShared = false;
  std::chrono::steady_clock::time_point m_recorded{};
  // The program whose memory is in m_kernels
  const Program* m_program = nullptr;
  // Time that reading the clock takes, measured at the first step
  double m_readingSeconds = 0;
  std::array<std::shared_ptr<ProfileSnapshot>, 3> m_spare;
};

}  // namespace strata
