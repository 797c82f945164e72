// SPDX-License-Identifier: Apache-2.0
// Records some consecutive steps of a run on one time axis: the training thread, the threads that
// load batches, and every kernel of every device. Recorded steps and their micro-batches run one at
// a time, and each kernel is linked with the event of the host that started it. Only workers of a
// parameter server that do not wait for each other compute several steps at the same time.
// The times of a simulated card are predicted; its steps begin when the host started them.
// Not here: sums over steps (step_profile.h), traces (core/trace).
// Thread: only the training thread may use an object. Threads of the host add to spans().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/runs/events.h"
#include "core/runs/kernel_profile.h"
#include "core/trace/trace_builder.h"
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
  /// Whether the next step is to be recorded, too.
  bool wantsStep() const { return m_left > m_numOpen; }
  HostSpans& spans() { return m_spans; }
  /// Adds what the training thread did. Does nothing unless steps are recorded.
  void addHost(const std::string& what, Clock::time_point begin, Clock::time_point end);

  /// Begins a step, which has this number. Steps end in the order in which they begin.
  void beginStep(int64_t step);
  /// Expects records of a program, which replica `rank` runs next for a step that has begun. It is
  /// the micro-batch after those that the replica has run for this step.
  void expect(Program& program, size_t rank, int64_t step);
  /// Expects records of the program with which a parameter server ends the oldest open step.
  void expectUpdate(Program& program);
  /// Whether the replica runs an expected program, whose records take() has not taken.
  bool expects(size_t rank) const;
  /// Forgets the programs, before they are compiled again. Requires: no step is open.
  void forgetPrograms();
  /// Notes that the host has submitted all expected programs, and could go on.
  void endLaunch(Clock::time_point at);
  /// Takes the records of all expected programs, which are done. Requires: endLaunch() was called.
  void take();
  /// Ends the oldest open step, which is done, and takes its records. Returns whether more steps
  /// follow.
  bool endStep();
  /// Returns what was recorded, also if fewer steps followed than begin() was told. `devices` are
  /// the names of the replicas' devices.
  StepsTraced finish(const std::vector<std::string>& devices);

 private:
  struct Step {
    int64_t number = 0;
    // The micro-batches of each replica
    std::vector<int64_t> pieces;
    bool isDone = false;
    // Whether a program of the step has no records, and why, if that is known
    bool lacksKernels = false;
    std::string whyNoKernels;
  };
  /// Programs that the host submitted together: the steps from `first` to `last`, indices in
  /// m_steps.
  struct Launch {
    Clock::time_point begin, end;
    size_t first = 0, last = 0;
    // The number of the micro-batch; the first one is 1
    int64_t piece = 1;
  };
  /// The records of a program, which have their own instructions and memory.
  struct Kernels {
    const Program* program = nullptr;
    KernelProfile profile;
  };
  /// A run of a program: indices in Device::programs, in KernelProfile::traced and in m_steps, the
  /// index of its launch, if it has one, and the number of the micro-batch; 0 for the update of a
  /// server.
  struct Recorded {
    size_t program = 0, traced = 0, step = 0;
    std::optional<size_t> launch;
    int64_t piece = 0;
    Clock::time_point begin;
  };
  struct Device {
    std::vector<Kernels> programs;
    std::vector<Recorded> runs;
  };
  struct Expected {
    Program* program = nullptr;
    size_t rank = 0, step = 0;
    int64_t piece = 0;
  };
  void record(Device& device, const Expected& expected, std::optional<size_t> launch,
              Clock::time_point begin);
  std::string nameOf(const Launch& launch) const;
  void addDevice(TraceBuilder& builder, const Device& device, const std::string& name,
                 uint32_t hostLane, const std::vector<std::optional<TraceEvent>>& launches) const;
  std::chrono::nanoseconds sinceBegin(Clock::time_point time) const { return time - m_began; }

  int64_t m_left = 0;
  // How many steps have begun and not ended; they are the last in m_steps
  int64_t m_numOpen = 0;
  Clock::time_point m_began, m_launchBegan, m_updateBegan;
  HostSpans m_spans;
  std::vector<Step> m_steps;
  std::vector<Launch> m_launches;
  // By rank
  std::vector<Device> m_devices;
  Device m_server;
  std::vector<Expected> m_expected;
  Program* m_update = nullptr;
};

}  // namespace strata
