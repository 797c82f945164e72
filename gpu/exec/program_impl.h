// SPDX-License-Identifier: Apache-2.0
// The implementation of Program, shared by program.cpp (build, bind, inputs and outputs) and
// program_run.cpp (one step). Not for other files. Thread: as Program; within run() the workers
// share it as noted.
#pragma once

#include <atomic>
#include <exception>

#include "gpu/base/thread_pool.h"
#include "gpu/exec/program.h"

namespace strata {

struct Instruction {
  const Kernel* kernel = nullptr;
  KernelArguments arguments;
  int numStages = 1;
  // Position in the graph's order
  int position = 0;
  Phase phase = Phase::Forward;
  // Whether workers wait for each other before it
  bool hasBarrier = true;
  bool isSolo = false;
};

/// A part of the arena, [begin, end).
struct ByteRange {
  size_t begin = 0, end = 0;
};

/// An operand that follows a rebound input.
struct Patch {
  int instruction = 0, operand = 0;
};

struct StepInput {
  std::string name;
  ValueId value;
  int storage = -1;
  std::byte* own = nullptr;
  const std::byte* bound = nullptr;
  std::vector<Patch> patches;
};

struct WorkerFailure {
  std::exception_ptr exception;
  int instruction = 0;
};

struct Program::Impl {
  Graph graph;
  Backend* backend = nullptr;
  State* state = nullptr;
  MemoryPlan plan;
  // By position; null for sources and views
  std::vector<std::shared_ptr<const Kernel>> kernels;
  std::vector<Instruction> instructions;
  // Only worker 0 runs the step. Otherwise a worker that another process delays would hold up every
  // barrier
  bool areAllSolo = false;
  // Index of the instruction; the number of instructions if there is none
  int firstStateWrite = 0;
  std::vector<StepInput> inputs;
  // Allocated by bind(), unless shared
  AlignedBytes inputBytes;
  Program* inputOwner = nullptr;
  std::string guardName;
  const float* guard = nullptr;
  // Written by worker 0
  bool isGuardTripped = false;
  std::byte* arena = nullptr;
  bool isBound = false;

  // State of one step. stopAt: the number of the barrier at which all workers leave. It may only
  // decrease to a barrier that no worker has passed.
  std::atomic<int> stopAt{0};
  // One per worker
  std::vector<WorkerFailure> failures;

  // Measurements, written only by worker 0.
  bool isProfiling = false;
  // By instruction
  std::vector<std::chrono::nanoseconds> nodeTimes;
  int64_t profiledSteps = 0;
  std::array<std::chrono::nanoseconds, 3> phases{};
  int phaseReadings = 0;

  bool hasCanaries = false;
  // By instruction
  std::vector<std::vector<ByteRange>> deadDuring, deadAfter;

  const std::byte* addressOf(ValueId value) const;
  std::byte* storageAddress(int storage) const;
  void makeInstructions();
  void placeBarriers();
  void placeGuard();
  void makeCanaries();
  Outcome runStep(const std::stop_token& stop);
  template <bool kInstrumented>
  void work(const std::stop_token& stop, int worker);
  void checkCanaries(size_t instruction) const;
  void fillDead(const std::vector<ByteRange>& ranges) const;
  [[noreturn]] void rethrow(const WorkerFailure& failure) const;
};

}  // namespace strata
