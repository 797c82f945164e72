// SPDX-License-Identifier: Apache-2.0
// Measures the steps of a runner: the times of its phases by events in some steps, and the times of
// its instructions in profiled steps, by records of the card or by events.
// Thread: as Runner.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "gpu/cuda/cuda_stream.h"
#include "gpu/exec/runner.h"

namespace strata::cuda {

class StepProfile {
 public:
  /// Both must outlive the object.
  StepProfile(CudaStream& stream, const StepLayout& layout);

  /// Records the event at which a phase ends, if one ends after `done` instructions. At 0 the first
  /// phase begins.
  void recordPhase(size_t done, bool isCaptured);
  /// Reads these events. Requires: the step is done.
  void readPhases();
  /// Takes a time out of a phase.
  void leaveOut(Phase phase, std::chrono::nanoseconds time) {
    m_phases[static_cast<size_t>(phase)] -= time;
  }
  /// The times of the phases in the last step for which they are known.
  const StepPhases& phases() const { return m_phases; }
  int numPhaseEvents() const { return static_cast<int>(m_phaseEvents.size()); }

  /// Records an event after `done` instructions of a profiled step. Requires: no capture.
  void recordInstruction(size_t done);
  /// Reads these events. Requires: the step is done.
  void readInstructions(SubmittedStep& step);

  /// Returns whether the next profiled step is worth recording.
  bool canRecord() const;
  /// Begins to record what the card does. Returns false, and notes the reason, if it cannot.
  bool beginRecords();
  /// Ends it. Requires: the step is done.
  void endRecords(SubmittedStep& step);
  /// Ends it after an error.
  void dropRecords();

  const std::vector<std::chrono::nanoseconds>& times() const { return m_times; }
  int64_t numSteps() const { return m_numSteps; }
  const StepRecords& records() const { return m_records; }
  void reset();

 private:
  void noteProblem();
  void takeRecords(const StrataRecord* records, size_t count, SubmittedStep& step);

  CudaStream& m_stream;
  const StepLayout& m_layout;
  // Of each instruction, over all profiled steps
  std::vector<std::chrono::nanoseconds> m_times;
  int64_t m_numSteps = 0;
  // An event at the begin of each phase and at the end of the step, and the one after each number
  // of instructions, or -1
  std::vector<EventHandle> m_phaseEvents;
  std::vector<int> m_eventAfter;
  // An event before each instruction and at the end
  std::vector<EventHandle> m_events;
  StepPhases m_phases{};
  // Recordings in a row whose records did not say to which instructions they belong
  int m_untiedTries = 0;
  // The last profiled step
  StepRecords m_records;
};

}  // namespace strata::cuda
