// SPDX-License-Identifier: Apache-2.0
#include "gpu/host/host_runner.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "gpu/base/error.h"
#include "gpu/graph/op.h"

namespace strata {

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
  m_parts = makeParts(false);
  m_instrumentedParts = makeParts(true);
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
    instruction.arguments.replica = m_device.replica();
    for (const int storage : laid.inputs) {
      if (m_layout.plan.storages[static_cast<size_t>(storage)].lane == Storage::Lane::Input)
        m_inputUses.push_back(
            {storage, m_instructions.size(), instruction.arguments.inputs.size()});
      instruction.arguments.inputs.push_back(pointerOf(storage));
    }
    for (const int storage : laid.outputs)
      instruction.arguments.outputs.push_back(pointerOf(storage));
    for (int stage = 0; stage < instruction.numStages; ++stage)
      m_stages.push_back({static_cast<int>(m_instructions.size()), stage});
    m_instructions.push_back(std::move(instruction));
  }
  m_areAllSolo = std::ranges::all_of(m_instructions, &Instruction::isSolo);
}

/// Places a barrier before an instruction that must wait for one since the last barrier. Two solo
/// instructions need no barrier between them, because share 0 executes both.
void HostRunner::placeBarriers() {
  int sinceBarrier = 0;
  for (size_t i = 0; i < m_instructions.size(); ++i) {
    Instruction& instruction = m_instructions[i];
    // A single worker has a barrier before each instruction: it costs nothing, and stop requests
    // are checked there
    instruction.hasBarrier =
        m_device.numWorkers() == 1 ||
        std::ranges::any_of(m_layout.instructions[i].waitsFor, [&](int earlier) {
          const bool areSolo =
              instruction.isSolo && m_instructions[static_cast<size_t>(earlier)].isSolo;
          return earlier >= sinceBarrier && !areSolo;
        });
    if (instruction.hasBarrier) sinceBarrier = static_cast<int>(i);
  }
}

/// Divides the stages into parts. A part begins at each barrier, and at each further stage of an
/// instruction. In an instrumented step, each stage is a part.
std::vector<HostRunner::StepPart> HostRunner::makeParts(bool isInstrumented) const {
  std::vector<StepPart> parts;
  for (size_t i = 0; i < m_stages.size(); ++i) {
    const auto [number, stage] = m_stages[i];
    const Instruction& instruction = m_instructions[static_cast<size_t>(number)];
    if (isInstrumented || parts.empty() || stage > 0 || instruction.hasBarrier) {
      const int lastStop = m_layout.lastStop;
      parts.push_back({i, i, stage > 0 ? number < lastStop : number <= lastStop});
    }
    parts.back().end = i + 1;
    parts.back().isSolo = parts.back().isSolo && instruction.isSolo;
  }
  return parts;
}

int HostRunner::numBarriers() const {
  if (m_device.numWorkers() == 1 || m_areAllSolo || m_parts.empty()) return 0;
  return static_cast<int>(m_parts.size()) - 1;
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
  if (!m_hasSpans) return result;
  result.source = StepRecords::Source::HostClock;
  result.began = m_stepStarted;
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

HostRunner::Part HostRunner::nextPart() noexcept {
  if (m_isInstrumented && m_numBegun > 0 && !m_hasFailed.load(std::memory_order_relaxed)) {
    const auto [instruction, stage] = m_stages[m_numBegun - 1];
    if (stage + 1 == m_instructions[static_cast<size_t>(instruction)].numStages)
      endInstruction(instruction);
  }
  if (m_hasFailed.load(std::memory_order_relaxed)) return Part::None;
  if (m_numBegun == m_runningParts->size()) {
    m_phases[static_cast<size_t>(m_phase)] += Clock::now() - m_phaseStarted;
    return Part::None;
  }
  const StepPart& part = (*m_runningParts)[m_numBegun];
  if (part.mayStop && m_stop->stop_requested()) {
    m_isStopped = true;
    return Part::None;
  }
  ++m_numBegun;
  return part.isSolo ? Part::Solo : Part::Shared;
}

void HostRunner::runShare(int share) noexcept {
  const StepPart& part = (*m_runningParts)[m_numBegun - 1];
  for (size_t i = part.begin; i < part.end; ++i) {
    const auto [number, stage] = m_stages[i];
    const Instruction& instruction = m_instructions[static_cast<size_t>(number)];
    if (share == 0)
      enterPhase(instruction.phase);
    else if (instruction.isSolo)
      continue;
    if (instruction.apply && *instruction.apply == 0) continue;
    try {
      instruction.kernel->run(instruction.arguments, stage, share);
    }
    catch (...) {
      fail(share, number);
      return;
    }
  }
}

/// Keeps the current exception. The step ends after this part.
void HostRunner::fail(int share, int instruction) noexcept {
  m_failures[static_cast<size_t>(share)] = {std::current_exception(), instruction};
  m_hasFailed.store(true, std::memory_order_relaxed);
}

void HostRunner::enterPhase(Phase phase) {
  if (phase == m_phase) return;
  const auto now = Clock::now();
  m_phases[static_cast<size_t>(m_phase)] += now - m_phaseStarted;
  m_phaseStarted = now;
  m_phase = phase;
}

/// Ends an instruction of an instrumented step.
void HostRunner::endInstruction(int instruction) {
  const auto now = Clock::now();
  const auto index = static_cast<size_t>(instruction);
  m_nodeTimes[index] += now - m_instructionStarted;
  m_spans[index] = {m_instructionStarted - m_stepStarted, now - m_stepStarted};
  m_instructionStarted = now;
  if (!m_hasCanaries) return;
  try {
    checkCanaries(m_layout, m_dead, index, m_arena);
  }
  catch (...) {
    fail(0, instruction);
  }
  fillDead(m_dead.after[index]);
  m_instructionStarted = Clock::now();
}

StepOutcome HostRunner::runInstructions(const SubmittedStep& step) {
  m_phases.fill(std::chrono::nanoseconds(0));
  if (step.stop.stop_requested()) return StepOutcome::Stopped;
  m_isInstrumented = step.isProfiled || m_hasCanaries;
  if (m_isInstrumented) m_hasSpans = false;
  if (m_hasCanaries && m_arena) fillDead({{0, m_layout.plan.transientBytes}});
  m_runningParts = m_isInstrumented ? &m_instrumentedParts : &m_parts;
  m_numBegun = 0;
  m_stop = &step.stop;
  m_isStopped = false;
  m_hasFailed.store(false, std::memory_order_relaxed);
  m_phase = m_instructions.empty() ? Phase::Forward : m_instructions.front().phase;
  m_stepStarted = m_phaseStarted = m_instructionStarted = Clock::now();
  m_pool.run(*this, m_areAllSolo);
  const WorkerFailure* first = nullptr;
  for (const WorkerFailure& failure : m_failures)
    if (failure.exception && (!first || failure.instruction < first->instruction)) first = &failure;
  if (first) {
    const WorkerFailure failure = *first;
    std::fill(m_failures.begin(), m_failures.end(), WorkerFailure{});
    rethrow(failure);
  }
  if (m_isStopped) return StepOutcome::Stopped;
  if (m_isInstrumented) {
    ++m_profiledSteps;
    m_hasSpans = true;
  }
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
