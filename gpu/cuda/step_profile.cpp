// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/step_profile.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "gpu/cuda/card_collective.h"

namespace strata::cuda {

// After so many profiled steps in a row whose records say nothing about nodes, steps are no longer
// recorded
constexpr int kMaxUntiedTries = 3;

StepProfile::StepProfile(CudaStream& stream, const StepLayout& layout)
    : m_stream(stream),
      m_layout(layout),
      m_times(layout.instructions.size()),
      m_eventAfter(layout.instructions.size() + 1, -1) {
  const auto add = [&](size_t done) {
    m_eventAfter[done] = static_cast<int>(m_phaseEvents.size());
    m_phaseEvents.push_back(makeEvent(stream.card(), true));
  };
  add(0);
  for (size_t i = 0; i < layout.instructions.size(); ++i)
    if (i + 1 == layout.instructions.size() ||
        layout.instructions[i].phase != layout.instructions[i + 1].phase)
      add(i + 1);
}

void StepProfile::recordPhase(size_t done, bool isCaptured) {
  if (m_eventAfter[done] < 0) return;
  m_stream.card().driver().eventRecord(m_phaseEvents[static_cast<size_t>(m_eventAfter[done])].get(),
                                       m_stream.compute(),
                                       isCaptured ? STRATA_CUDA_EVENT_RECORD_EXTERNAL : 0);
}

void StepProfile::readPhases() {
  m_phases = {};
  for (size_t i = 0; i < m_layout.instructions.size(); ++i) {
    const int event = m_eventAfter[i + 1];
    if (event < 0) continue;
    m_phases[static_cast<size_t>(m_layout.instructions[i].phase)] +=
        elapsed(m_stream.card(), m_phaseEvents[static_cast<size_t>(event) - 1],
                m_phaseEvents[static_cast<size_t>(event)]);
  }
}

void StepProfile::recordInstruction(size_t done) {
  if (m_events.empty())
    for (size_t i = 0; i <= m_times.size(); ++i)
      m_events.push_back(makeEvent(m_stream.card(), true));
  m_stream.card().driver().eventRecord(m_events[done].get(), m_stream.compute(), 0);
}

void StepProfile::readInstructions(SubmittedStep& step) {
  step.phases = {};
  for (size_t i = 0; i < m_times.size(); ++i) {
    const auto time = elapsed(m_stream.card(), m_events[i], m_events[i + 1]);
    m_times[i] += time;
    step.phases[static_cast<size_t>(m_layout.instructions[i].phase)] += time;
  }
  ++m_numSteps;
}

bool StepProfile::canRecord() const { return m_untiedTries < kMaxUntiedTries; }

void StepProfile::noteProblem() {
  const StrataRecorder& recorder = m_stream.card().recorder();
  m_records = {};
  m_records.problem = recorder.lastError(recorder.self);
}

bool StepProfile::beginRecords() {
  const StrataRecorder& recorder = m_stream.card().recorder();
  if (recorder.begin(recorder.self) == 0) return true;
  noteProblem();
  return false;
}

void StepProfile::endRecords(SubmittedStep& step) {
  const StrataRecorder& recorder = m_stream.card().recorder();
  const StrataRecord* records = nullptr;
  size_t count = 0;
  if (recorder.end(recorder.self, &records, &count) != 0)
    noteProblem();
  else
    takeRecords(records, count, step);
}

void StepProfile::dropRecords() {
  const StrataRecorder& recorder = m_stream.card().recorder();
  const StrataRecord* records = nullptr;
  size_t count = 0;
  recorder.end(recorder.self, &records, &count);
}

void StepProfile::takeRecords(const StrataRecord* records, size_t count, SubmittedStep& step) {
  const bool areTied = std::any_of(records, records + count,
                                   [](const StrataRecord& record) { return record.number > 0; });
  if (!areTied) {
    m_records = {};
    // Records may come too late, so nothing follows from a step without any
    if (count > 0) ++m_untiedTries;
    m_records.problem = count == 0 ? "the card has no records of this step; the next profiled step "
                                     "is recorded again"
                                   : "the card does not say which node its kernels belong to";
    if (m_untiedTries >= kMaxUntiedTries)
      m_records.problem += ", in " + std::to_string(m_untiedTries) +
                           " profiled steps, so the times of nodes are measured by events";
    step.phases = m_phases;
    return;
  }
  m_untiedTries = 0;
  static constexpr const char* kKinds[] = {
      "kernel", "copy to the card",  "copy to the host", "copy on the card",
      "fill",   "copy between cards"};
  const StrataRecorder& recorder = m_stream.card().recorder();
  const int32_t compute = recorder.streamNumber(recorder.self, m_stream.compute()),
                copies = recorder.streamNumber(recorder.self, m_stream.copies());
  m_records = {};
  m_records.source =
      m_stream.card().isSimulated() ? StepRecords::Source::Predicted : StepRecords::Source::Card;
  uint64_t begin = UINT64_MAX;
  for (size_t i = 0; i < count; ++i)
    begin = std::min(begin, records[i].beginNanoseconds);
  step.phases = {};
  for (size_t i = 0; i < count; ++i) {
    const StrataRecord& from = records[i];
    KernelRecord record;
    record.name = from.name ? from.name : kKinds[from.kind];
    record.stream = "stream " + std::to_string(from.stream);
    if (from.stream == compute) record.stream = "compute";
    if (from.stream == copies) record.stream = "copies";
    record.instruction = from.number - 1;
    record.start = std::chrono::nanoseconds(from.beginNanoseconds - begin);
    record.duration = std::chrono::nanoseconds(from.endNanoseconds - from.beginNanoseconds);
    std::copy_n(from.grid, 3, record.grid.begin());
    std::copy_n(from.block, 3, record.block.begin());
    record.registers = from.registers;
    record.sharedBytes = from.sharedBytes;
    record.bytes = static_cast<double>(from.bytes);
    const Occupancy occupancy = m_stream.card().limits().occupancy(record);
    record.theoreticalOccupancy = occupancy.theoretical;
    record.occupancy = occupancy.average;
    // What cards do together meanwhile, on another stream, takes no time of an instruction
    if (record.instruction >= 0 && (compute < 0 || from.stream == compute)) {
      const auto instruction = static_cast<size_t>(record.instruction);
      m_times[instruction] += record.duration;
      step.phases[static_cast<size_t>(m_layout.instructions[instruction].phase)] += record.duration;
    }
    m_records.records.push_back(std::move(record));
  }
  std::ranges::stable_sort(m_records.records, [](const KernelRecord& a, const KernelRecord& b) {
    return std::tie(a.stream, a.start) < std::tie(b.stream, b.start);
  });
  ++m_numSteps;
}

void StepProfile::reset() {
  std::ranges::fill(m_times, std::chrono::nanoseconds(0));
  m_numSteps = 0;
}

}  // namespace strata::cuda
