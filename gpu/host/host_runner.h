// SPDX-License-Identifier: Apache-2.0
// Runs a step on the threads of the host. Each worker executes its share of all instructions in
// order, and waits at the barriers that follow from the hazards of the layout.
// Thread: as Runner. During a step, all workers read the data; comments say what the workers write.
#pragma once

#include <atomic>
#include <exception>
#include <vector>

#include "gpu/exec/dead_bytes.h"
#include "gpu/exec/runner.h"
#include "gpu/host/host_stream.h"

namespace strata {

class HostRunner final : public Runner {
 public:
  HostRunner(HostStream& stream, const StepLayout& layout, StepAddresses addresses);
  ~HostRunner() override { m_stream.wait(); }
  HostRunner(const HostRunner&) = delete;
  HostRunner& operator=(const HostRunner&) = delete;

  void submit(SubmittedStep& step) override { m_stream.submit(*this, step); }
  void wait(SubmittedStep& step) override;
  void bindInput(int storage, const std::byte* address) override;
  int numBarriers() const override;
  std::vector<std::chrono::nanoseconds> instructionTimes() const override { return m_nodeTimes; }
  int64_t profiledSteps() const override { return m_profiledSteps; }
  StepRecords lastRecords() const override;
  void resetProfile() override;
  int phaseReadings() const override { return m_phaseReadings; }
  void setCanaries(bool on) override;

  /// Runs a submitted step now. Sets everything in `step` except isDone, and does not throw.
  void run(SubmittedStep& step);

 private:
  struct Instruction {
    const HostKernel* kernel = nullptr;
    KernelArguments arguments;
    int numStages = 1;
    // Where this is 0, the instruction does nothing; null if it always runs
    const float* apply = nullptr;
    // Position in the graph's order
    int position = 0;
    Phase phase = Phase::Forward;
    // Whether workers wait for each other before this instruction
    bool hasBarrier = true;
    bool isSolo = false;
  };
  /// An operand whose address bindInput() changes.
  struct InputUse {
    int storage = 0;
    size_t instruction = 0, operand = 0;
  };
  struct WorkerFailure {
    std::exception_ptr exception;
    int instruction = 0;
  };

  std::byte* pointerOf(int storage) const;
  void makeInstructions();
  void placeBarriers();
  template <bool kInstrumented>
  void work(const std::stop_token& stop, int worker);
  StepOutcome runInstructions(const SubmittedStep& step);
  void fillDead(const std::vector<ByteRange>& ranges) const;
  [[noreturn]] void rethrow(const WorkerFailure& failure) const;

  HostStream& m_stream;
  HostDevice& m_device;
  const StepLayout& m_layout;
  const StepAddresses m_addresses;
  ThreadPool& m_pool;
  std::byte* m_arena = nullptr;
  std::vector<Instruction> m_instructions;
  std::vector<InputUse> m_inputUses;
  // Where the results of the step are
  std::vector<const std::byte*> m_results;
  // If all instructions are solo, only worker 0 runs the step and no barriers are needed
  bool m_areAllSolo = false;

  // The number of the barrier at which all workers leave the step. Any worker may lower it to the
  // number of a barrier that it has not reached yet.
  std::atomic<int> m_stopAt{0};
  // Each worker writes only its own entry
  std::vector<WorkerFailure> m_failures;

  // The total time of each instruction. Only worker 0 writes this and the other measurements.
  std::vector<std::chrono::nanoseconds> m_nodeTimes;
  // When each instruction began and ended in the last profiled step, since the begin of the step
  struct Span {
    std::chrono::nanoseconds begin{0}, end{0};
  };
  std::vector<Span> m_spans;
  int64_t m_profiledSteps = 0;
  StepPhases m_phases{};
  int m_phaseReadings = 0;

  bool m_hasCanaries = false;
  DeadBytes m_dead;
};

}  // namespace strata
