// SPDX-License-Identifier: Apache-2.0
// The private data of Program. Only program.cpp (build, bind, inputs and outputs) and
// program_run.cpp (running a step) include it.
// Thread: as Program. During a step, all workers read the data. Comments say which members the
// workers write.
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
  // Where this is 0, the instruction does nothing; null if it always runs
  const float* apply = nullptr;
  // Position in the graph's order
  int position = 0;
  Phase phase = Phase::Forward;
  // Whether workers wait for each other before this instruction
  bool hasBarrier = true;
  bool isSolo = false;
};

/// A half-open range of bytes in the arena.
struct ByteRange {
  size_t begin = 0, end = 0;
};

/// An operand whose address rebindInput() must change.
struct Patch {
  int instruction = 0, operand = 0;
};

struct StepInput {
  std::string name;
  ValueId value;
  // Index in MemoryPlan::storages, or -1 if the plan has no storage for the input
  int storage = -1;
  // The program's memory for this input
  std::byte* own = nullptr;
  // The memory that the step reads
  const std::byte* bound = nullptr;
  std::vector<Patch> patches;
};

struct WorkerFailure {
  std::exception_ptr exception;
  int instruction = 0;
};

struct Program::Impl {
  StepLayout layout;
  const Graph& graph = layout.graph;
  const MemoryPlan& plan = layout.plan;
  Backend* backend = nullptr;
  State* state = nullptr;
  std::vector<Instruction> instructions;
  // If all instructions are solo, only worker 0 runs the step and no barriers are needed
  bool areAllSolo = false;
  std::vector<StepInput> inputs;
  // The memory of the inputs. bind() allocates it, unless the program uses the inputs of
  // `inputOwner`.
  AlignedBytes inputBytes;
  Program* inputOwner = nullptr;
  std::string guardName;
  const float* guard = nullptr;
  std::byte* arena = nullptr;
  bool isBound = false;

  // The number of the barrier at which all workers leave the step. Any worker may lower it to the
  // number of a barrier that it has not reached yet.
  std::atomic<int> stopAt{0};
  // Each worker writes only its own entry
  std::vector<WorkerFailure> failures;

  bool isProfiling = false;
  // The total time of each instruction. Only worker 0 writes this and the other measurements.
  std::vector<std::chrono::nanoseconds> nodeTimes;
  int64_t profiledSteps = 0;
  std::array<std::chrono::nanoseconds, 3> phases{};
  int phaseReadings = 0;

  bool hasCanaries = false;
  // For each instruction, the unused parts of the arena during and after it
  std::vector<std::vector<ByteRange>> deadDuring, deadAfter;

  const std::byte* addressOf(ValueId value) const;
  std::byte* storageAddress(int storage) const;
  void makeInstructions();
  void placeBarriers();
  void findGuard();
  void makeCanaries();
  Outcome runStep(const std::stop_token& stop);
  template <bool kInstrumented>
  void work(const std::stop_token& stop, int worker);
  void checkCanaries(size_t instruction) const;
  void fillDead(const std::vector<ByteRange>& ranges) const;
  [[noreturn]] void rethrow(const WorkerFailure& failure) const;
};

}  // namespace strata
