// SPDX-License-Identifier: Apache-2.0
// Records some consecutive steps of a run on one time axis: the training thread, the threads that
// load batches, and every kernel of every device. Recorded steps run one at a time, and each kernel
// is linked with the event of the host that started it.
// The times of a simulated card are predicted; its steps begin when the host started them.
// Not here: sums over steps (step_profile.h), traces (core/trace).
// Thread: only the training thread may use an object. Threads of the host add to spans().
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/runs/events.h"
#include "core/runs/kernel_profile.h"
#include "core/train/host_spans.h"
#include "gpu/exec/program.h"

namespace strata {

class StepCapture {
 public:
  /// As many as a person can look through, and a file of at most some hundred MiB.
  static constexpr int64_t kMostSteps = 1000;

  /// Begins to record the next `steps` steps, between 1 and kMostSteps.
  void begin(int64_t steps);
  /// Whether steps are recorded now.
  bool isOn() const { return m_left > 0; }
  HostSpans& spans() { return m_spans; }
  /// Adds what the training thread did. Does nothing unless steps are recorded.
  void addHost(const std::string& what, Clock::time_point begin, Clock::time_point end);

  /// Begins a step, which has this number.
  void beginStep(int64_t step);
  /// Expects records of a program, which replica `rank` runs next. If the step runs the program
  /// several times, takes those of its last time.
  void expect(Program& program, size_t rank);
  /// Adds the time from the submission of the step until the host could go on.
  void setLaunch(Clock::time_point begin, Clock::time_point end);
  /// Takes the records of the step, which is done. Returns whether more steps follow.
  bool endStep();
  /// Returns what was recorded, also if fewer steps followed than begin() was told. `devices` are
  /// the names of the replicas' devices.
  StepsTraced finish(const std::vector<std::string>& devices);

 private:
  struct Step {
    int64_t number = 0;
    Clock::time_point launchBegin, launchEnd;
  };
  struct Replica {
    KernelProfile kernels;
    // When the steps in `kernels` began, and their indices in m_steps
    std::vector<Clock::time_point> begins;
    std::vector<size_t> steps;
  };
  struct Expected {
    Program* program = nullptr;
    size_t rank = 0;
  };

  int64_t m_left = 0;
  // Whether the last step in m_steps has not ended
  bool m_isInStep = false;
  Clock::time_point m_began;
  HostSpans m_spans;
  std::vector<Step> m_steps;
  std::vector<Replica> m_replicas;
  std::vector<Expected> m_expected;
};

}  // namespace strata
