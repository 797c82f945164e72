// SPDX-License-Identifier: Apache-2.0
#include "gpu/host/host_runner.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

#include "gpu/base/clock.h"
#include "gpu/base/error.h"
#include "gpu/graph/op.h"

namespace strata {
namespace {

constexpr int kNever = std::numeric_limits<int>::max();

/// Lowers `value` to `wanted` if it is larger. Several workers may call this at the same time.
void lower(std::atomic<int>& value, int wanted) {
  int current = value.load(std::memory_order_relaxed);
  while (wanted < current &&
         !value.compare_exchange_weak(current, wanted, std::memory_order_relaxed)) {
  }
}

}  // namespace

HostRunner::HostRunner(HostStream& stream, const StepLayout& layout, StepAddresses addresses)
    : m_stream(stream),
      m_device(stream.device()),
      m_layout(layout),
      m_addresses(std::move(addresses)),
      m_pool(m_device.pool()),
      m_arena(m_device.pointer(m_addresses.arena)),
      m_failures(static_cast<size_t>(m_device.numWorkers())) {
  makeInstructions();
  placeBarriers();
  for (const StepResult& result : m_addresses.results)
    m_results.push_back(pointerOf(result.storage));
  m_phaseReadings = 2;
  for (size_t i = 1; i < m_instructions.size(); ++i)
    m_phaseReadings += m_instructions[i].phase != m_instructions[i - 1].phase;
  m_nodeTimes.assign(m_instructions.size(), std::chrono::nanoseconds(0));
  m_spans.resize(m_instructions.size());
}

std::byte* HostRunner::pointerOf(int storage) const {
  return storage < 0 ? nullptr
                     : m_device.pointer(m_addresses.storages[static_cast<size_t>(storage)]);
}

void HostRunner::makeInstructions() {
  for (const LaidInstruction& laid : m_layout.instructions) {
    Instruction instruction;
    instruction.kernel = static_cast<const HostKernel*>(laid.kernel.get());
    instruction.numStages = instruction.kernel->numStages();
    instruction.position = laid.position;
    instruction.phase = laid.phase;
    instruction.isSolo = instruction.kernel->isSolo();
    instruction.apply = reinterpret_cast<const float*>(pointerOf(laid.apply));
    instruction.arguments.workspace = pointerOf(laid.workspace);
    for (const int storage : laid.inputs) {
      if (m_layout.plan.storages[static_cast<size_t>(storage)].lane == Storage::Lane::Input)
        m_inputUses.push_back(
            {storage, m_instructions.size(), instruction.arguments.inputs.size()});
      instruction.arguments.inputs.push_back(pointerOf(storage));
    }
    for (const int storage : laid.outputs)
      instruction.arguments.outputs.push_back(pointerOf(storage));
    m_instructions.push_back(std::move(instruction));
  }
  m_areAllSolo = std::ranges::all_of(m_instructions, &Instruction::isSolo);
}

/// Places a barrier before an instruction that must wait for one since the last barrier. Two solo
/// instructions need no barrier between them, because worker 0 runs both. All workers read `apply`,
/// even if the kernel is solo.
void HostRunner::placeBarriers() {
  int sinceBarrier = 0;
  for (size_t i = 0; i < m_instructions.size(); ++i) {
    Instruction& instruction = m_instructions[i];
    const bool isSolo = instruction.isSolo && !instruction.apply;
    // A single worker has a barrier before each instruction: it costs nothing, and stop requests
    // are checked there
    instruction.hasBarrier =
        m_device.numWorkers() == 1 ||
        std::ranges::any_of(m_layout.instructions[i].waitsFor, [&](int earlier) {
          const Instruction& other = m_instructions[static_cast<size_t>(earlier)];
          return earlier >= sinceBarrier && !(isSolo && other.isSolo && !other.apply);
        });
    if (instruction.hasBarrier) sinceBarrier = static_cast<int>(i);
  }
}

int HostRunner::numBarriers() const {
  int result = 0;
  if (m_device.numWorkers() > 1 && !m_areAllSolo)
    for (const Instruction& instruction : m_instructions)
      result += (instruction.hasBarrier ? 1 : 0) + instruction.numStages - 1;
  return result;
}

void HostRunner::bindInput(int storage, const std::byte* address) {
  const std::byte* const bound = address ? address : pointerOf(storage);
  for (const InputUse& use : m_inputUses)
    if (use.storage == storage)
      m_instructions[use.instruction].arguments.inputs[use.operand] = bound;
  for (size_t i = 0; i < m_results.size(); ++i)
    if (m_addresses.results[i].storage == storage) m_results[i] = bound;
}

void HostRunner::resetProfile() {
  std::ranges::fill(m_nodeTimes, std::chrono::nanoseconds(0));
  m_profiledSteps = 0;
}

StepRecords HostRunner::lastRecords() const {
  StepRecords result;
  if (m_profiledSteps == 0) return result;
  result.source = StepRecords::Source::HostClock;
  for (size_t i = 0; i < m_instructions.size(); ++i) {
    KernelRecord record;
    record.name = m_instructions[i].kernel->implementation();
    record.stream = "compute";
    record.instruction = static_cast<int>(i);
    record.start = m_spans[i].begin;
    record.duration = m_spans[i].end - m_spans[i].begin;
    result.records.push_back(std::move(record));
  }
  return result;
}

void HostRunner::setCanaries(bool on) {
  m_hasCanaries = on;
  if (on) m_dead = deadBytesOf(m_layout);
}

void HostRunner::wait(SubmittedStep& step) {
  m_stream.waitFor(step);
  if (step.failure) std::rethrow_exception(step.failure);
}

void HostRunner::run(SubmittedStep& step) {
  for (const HostCopy& copy : step.copies)
    std::memcpy(m_device.pointer(copy.to), copy.from, copy.bytes);
  if (!step.scalars.empty())
    std::memcpy(m_device.pointer(step.scalarsTo), step.scalars.data(), step.scalars.size());
  try {
    step.outcome = runInstructions(step);
  }
  catch (...) {
    step.failure = std::current_exception();
    step.outcome = StepOutcome::Skipped;
    return;
  }
  step.phases = m_phases;
  if (step.outcome == StepOutcome::Stopped) return;
  for (size_t i = 0; i < m_results.size(); ++i)
    std::memcpy(step.results.data() + m_addresses.results[i].offset, m_results[i],
                m_addresses.results[i].bytes);
  float guard = 1;
  if (m_addresses.guard >= 0)
    std::memcpy(&guard, m_results[static_cast<size_t>(m_addresses.guard)], sizeof guard);
  if (guard == 0) step.outcome = StepOutcome::NonFinite;
}

// Runs the share of one worker. Each worker counts the barriers that it passes. A worker that wants
// to stop writes the number of the next barrier to m_stopAt before it arrives there. All workers
// check m_stopAt after each barrier. A slow worker that checks after barrier n may already read n +
// 1. It then correctly continues.
template <bool kInstrumented>
void HostRunner::work(const std::stop_token& stop, int worker) {
  SpinBarrier& barrier = m_pool.barrier();
  WorkerFailure& failure = m_failures[static_cast<size_t>(worker)];
  int passed = 0;
  const auto waitAtBarrier = [&](bool mayStop) {
    ++passed;
    if (worker == 0 && mayStop && stop.stop_requested()) lower(m_stopAt, passed);
    if (!m_areAllSolo) barrier.wait();
    return m_stopAt.load(std::memory_order_relaxed) > passed;
  };
  Clock::time_point started{}, phaseStarted{}, stepStarted{};
  size_t phase = m_instructions.empty() ? 0 : static_cast<size_t>(m_instructions.front().phase);
  if (worker == 0) stepStarted = phaseStarted = started = Clock::now();

  const int count = static_cast<int>(m_instructions.size()),
            firstStateWrite = m_layout.firstStateWrite;
  for (int i = 0; i < count; ++i) {
    const Instruction& instruction = m_instructions[static_cast<size_t>(i)];
    // Instrumented steps have a barrier after each instruction. With canaries they need a second
    // one here, because worker 0 fills unused bytes between the two.
    if (kInstrumented ? m_hasCanaries : instruction.hasBarrier)
      if (!waitAtBarrier(i <= firstStateWrite)) return;
    if (worker == 0) {
      if constexpr (kInstrumented) {
        if (m_hasCanaries) started = Clock::now();
      }
      if (static_cast<size_t>(instruction.phase) != phase) {
        const auto now = Clock::now();
        m_phases[phase] += now - phaseStarted;
        phaseStarted = now;
        phase = static_cast<size_t>(instruction.phase);
      }
    }
    const int stages = instruction.apply && *instruction.apply == 0 ? 0 : instruction.numStages;
    for (int stage = 0; stage < stages; ++stage) {
      if (stage > 0 && !waitAtBarrier(i < firstStateWrite)) return;
      // Continue to the next barrier, where all workers leave
      if (failure.exception) continue;
      try {
        instruction.kernel->run(instruction.arguments, stage, worker);
      }
      catch (...) {
        failure = {std::current_exception(), i};
        lower(m_stopAt, passed + 1);
      }
    }
    if constexpr (kInstrumented) {
      if (!waitAtBarrier(i < firstStateWrite)) return;
      if (worker == 0) {
        const auto now = Clock::now();
        m_nodeTimes[static_cast<size_t>(i)] += now - started;
        m_spans[static_cast<size_t>(i)] = {started - stepStarted, now - stepStarted};
        started = now;
        if (m_hasCanaries) {
          try {
            checkCanaries(m_layout, m_dead, static_cast<size_t>(i), m_arena);
          }
          catch (...) {
            failure = {std::current_exception(), i};
            lower(m_stopAt, passed + 1);
          }
          fillDead(m_dead.after[static_cast<size_t>(i)]);
        }
      }
    }
  }
  if (worker == 0) m_phases[phase] += Clock::now() - phaseStarted;
}

StepOutcome HostRunner::runInstructions(const SubmittedStep& step) {
  m_phases.fill(std::chrono::nanoseconds(0));
  if (step.stop.stop_requested()) return StepOutcome::Stopped;
  m_stopAt.store(kNever, std::memory_order_relaxed);
  const bool isInstrumented = step.isProfiled || m_hasCanaries;
  if (m_hasCanaries && m_arena) fillDead({{0, m_layout.plan.transientBytes}});
  m_pool.run(
      [&](int worker) {
        if (isInstrumented)
          work<true>(step.stop, worker);
        else
          work<false>(step.stop, worker);
      },
      m_areAllSolo);
  const WorkerFailure* first = nullptr;
  for (const WorkerFailure& failure : m_failures)
    if (failure.exception && (!first || failure.instruction < first->instruction)) first = &failure;
  if (first) {
    const WorkerFailure failure = *first;
    std::fill(m_failures.begin(), m_failures.end(), WorkerFailure{});
    rethrow(failure);
  }
  if (m_stopAt.load(std::memory_order_relaxed) != kNever) return StepOutcome::Stopped;
  if (isInstrumented) ++m_profiledSteps;
  return StepOutcome::Done;
}

void HostRunner::rethrow(const WorkerFailure& failure) const {
  const Node& node = m_layout.graph.node(m_layout.graph.order()[static_cast<size_t>(
      m_instructions[static_cast<size_t>(failure.instruction)].position)]);
  const std::string subject = node.layer.empty() ? node.op->name : node.layer;
  try {
    std::rethrow_exception(failure.exception);
  }
  catch (const Error& error) {
    if (!error.subject().empty()) throw;
    throw Error(error.code(), subject, error.what(), error.where());
  }
  catch (const std::bad_alloc&) {
    throw Error(ErrorCode::OutOfMemory, subject,
                "op \"" + node.op->name + "\" ran out of memory. Use a smaller batch or network.");
  }
  catch (const std::exception& error) {
    throw Error(
        ErrorCode::DeviceFailure, subject,
        "op \"" + node.op->name + "\" failed: " + error.what() + ". Try --device reference.");
  }
}

void HostRunner::fillDead(const std::vector<ByteRange>& ranges) const {
  for (const ByteRange& range : ranges)
    std::memset(m_arena + range.begin, kCanary, range.end - range.begin);
}

}  // namespace strata
