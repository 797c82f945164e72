// SPDX-License-Identifier: Apache-2.0
// Runs a step on the threads of the host. The hazards of the layout divide the step into parts. In
// a part, each worker executes its share of all instructions in order. If a worker is late, another
// one executes its share.
// Thread: as Runner. During a step, all workers read the data; comments say who writes.
#pragma once

#include <atomic>
#include <exception>
#include <vector>

#include "gpu/base/clock.h"
#include "gpu/exec/dead_bytes.h"
#include "gpu/exec/runner.h"
#include "gpu/host/host_stream.h"

namespace strata {

class HostRunner final : public Runner, private PartedWork {
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
    // Whether this instruction begins a part
    bool hasBarrier = true;
    bool isSolo = false;
  };
  /// One stage of an instruction.
  struct Stage {
    int instruction = 0, stage = 0;
  };
  /// A part of the step: a range of m_stages. Shares of a part do not depend on each other.
  struct StepPart {
    size_t begin = 0, end = 0;
    // Whether the step may be stopped before this part
    bool mayStop = false;
    // Whether only share 0 does work
    bool isSolo = true;
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
  std::vector<StepPart> makeParts(bool isInstrumented) const;
  Part nextPart() noexcept override;
  void runShare(int share) noexcept override;
  void fail(int share, int instruction) noexcept;
  void enterPhase(Phase phase);
  void endInstruction(int instruction);
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
  std::vector<Stage> m_stages;
  // The parts of a step, and those of an instrumented step, which are single stages
  std::vector<StepPart> m_parts, m_instrumentedParts;
  // If all instructions are solo, only the caller runs the step
  bool m_areAllSolo = false;

  // The running step. nextPart() writes these
  const std::vector<StepPart>* m_runningParts = nullptr;
  // The number of the part that runs is one less
  size_t m_numBegun = 0;
  const std::stop_token* m_stop = nullptr;
  bool m_isInstrumented = false, m_isStopped = false;
  std::atomic<bool> m_hasFailed{false};
  // Each share writes only its own entry
  std::vector<WorkerFailure> m_failures;

  // The total time of each instruction. Only share 0 and nextPart() write this and the other
  // measurements.
  std::vector<std::chrono::nanoseconds> m_nodeTimes;
  // When each instruction began and ended in the last profiled step, since the begin of the step
  struct Span {
    std::chrono::nanoseconds begin{0}, end{0};
  };
  std::vector<Span> m_spans;
  // Whether m_spans are those of a step that is done
  bool m_hasSpans = false;
  int64_t m_profiledSteps = 0;
  StepPhases m_phases{};
  int m_phaseReadings = 0;
  Phase m_phase = Phase::Forward;
  Clock::time_point m_stepStarted{}, m_phaseStarted{}, m_instructionStarted{};

  bool m_hasCanaries = false;
  DeadBytes m_dead;
};

}  // namespace strata
