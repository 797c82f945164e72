// SPDX-License-Identifier: Apache-2.0
#include "core/runs/device_lanes.h"

#include <algorithm>

namespace strata {

namespace {

// The stream whose records make up the slices of layers
const std::string kCompute = "compute";
// The end of the name of a process
constexpr std::string_view kPredictedTimes = " (predicted times)";

/// A layer that computes without a pause of another layer, in one phase.
struct LayerSpan {
  std::string name, layer;
  std::chrono::nanoseconds start{0}, end{0};
};

}  // namespace

bool isPredicted(const TraceProcess& process) { return process.name.ends_with(kPredictedTimes); }

DeviceLanes::DeviceLanes(TraceBuilder& builder, const std::string& device, bool isPredicted)
    : m_builder(builder),
      m_process(builder.addProcess(isPredicted ? device + std::string(kPredictedTimes) : device)) {}

/// Returns the lane of a stream. Records that overlap on one stream are in several lanes.
uint32_t DeviceLanes::laneOf(const std::string& stream, size_t number) {
  const auto known = m_lanes.find({stream, number});
  if (known != m_lanes.end()) return known->second;
  const std::string name =
      number == 0 ? stream : stream + ", at the same time " + std::to_string(number);
  const auto lane = m_builder.addLane(m_process, name, LaneKind::Device);
  return m_lanes[{stream, number}] = lane.value_or(0);
}

uint32_t DeviceLanes::recordOf(const KernelRecord& record) {
  TraceRecord result;
  result.name = m_builder.text(record.name);
  result.category = m_builder.text("kernel");
  result.layer = m_builder.text(record.layer);
  result.op = m_builder.text(record.op);
  result.phase = m_builder.text(phaseName(record.phase));
  TraceWork work;
  work.grid = record.grid;
  work.block = record.block;
  work.registers = record.registers;
  work.sharedBytes = static_cast<int64_t>(record.sharedBytes);
  work.theoreticalOccupancy = record.theoreticalOccupancy;
  work.occupancy = record.occupancy;
  work.flops = record.flops;
  work.bytes = record.bytes;
  result.work = m_builder.work(work);
  return m_builder.record(result);
}

std::vector<DeviceLanes::Added> DeviceLanes::addStep(const KernelProfile& kernels,
                                                     const TracedStep& step,
                                                     std::chrono::nanoseconds offset,
                                                     const std::string& part) {
  std::vector<TracedStep::Entry> entries = step.entries;
  std::ranges::stable_sort(entries, {}, &TracedStep::Entry::start);
  std::vector<LayerSpan> spans;
  std::vector<size_t> numbers;
  // When the lanes of each stream are free
  std::map<std::string, std::vector<std::chrono::nanoseconds>> lanes;
  for (const TracedStep::Entry& entry : entries) {
    const KernelRecord& record = kernels.rows[static_cast<size_t>(entry.row)].record;
    std::vector<std::chrono::nanoseconds>& ends = lanes[record.stream];
    const auto number = static_cast<size_t>(
        std::ranges::find_if(ends,
                             [&](std::chrono::nanoseconds end) { return end <= entry.start; }) -
        ends.begin());
    if (number == ends.size()) ends.emplace_back();
    const std::chrono::nanoseconds end = ends[number] = entry.start + entry.duration;
    numbers.push_back(number);
    if (record.stream != kCompute || number > 0) continue;
    std::string name = record.layer.empty() ? record.op : record.layer;
    if (record.instruction < 0) name = "inputs and results";
    if (record.phase != Phase::Forward && record.instruction >= 0)
      name += " (" + std::string(phaseName(record.phase)) + ")";
    if (spans.empty() || spans.back().name != name)
      spans.push_back({name, record.layer, entry.start, end});
    spans.back().end = end;
  }

  // Outer slices first, so that they stay outside of inner ones that take the same time
  const auto add = [&](uint32_t lane, uint32_t record, std::chrono::nanoseconds start,
                       std::chrono::nanoseconds duration) {
    return m_builder.addEvent(lane, (offset + start).count(), duration.count(), record);
  };
  std::string whole = "step " + std::to_string(step.step);
  if (!part.empty()) whole += ", " + part;
  if (kernels.source != StepRecords::Source::HostClock) whole += " with inputs and results";
  const uint32_t compute = laneOf(kCompute, 0);
  add(compute, m_builder.record({m_builder.text(whole), m_builder.text("step")}),
      std::chrono::nanoseconds(0), step.duration());
  for (const LayerSpan& span : spans)
    add(compute,
        m_builder.record(
            {m_builder.text(span.name), m_builder.text("layer"), m_builder.text(span.layer)}),
        span.start, span.end - span.start);
  std::vector<Added> added;
  for (size_t i = 0; i < entries.size(); ++i) {
    const KernelRecord& record = kernels.rows[static_cast<size_t>(entries[i].row)].record;
    const uint32_t lane = laneOf(record.stream, numbers[i]);
    if (const auto event = add(lane, recordOf(record), entries[i].start, entries[i].duration))
      added.push_back({lane, *event});
  }
  addMemory(kernels, entries, offset);
  return added;
}

/// Adds the memory at each of the entries, which are sorted by time.
void DeviceLanes::addMemory(const KernelProfile& kernels,
                            const std::vector<TracedStep::Entry>& entries,
                            std::chrono::nanoseconds offset) {
  size_t next = 0;
  for (const TracedStep::Entry& entry : entries) {
    const int instruction = kernels.rows[static_cast<size_t>(entry.row)].record.instruction;
    size_t now = next;
    while (now < kernels.memory.size() && kernels.memory[now].instruction <= instruction)
      ++now;
    if (now == next) continue;
    next = now;
    const auto sample = [&](std::string_view series, size_t bytes) {
      m_builder.addSample(m_process, "memory", std::string(series), (offset + entry.start).count(),
                          static_cast<double>(bytes));
    };
    const MemorySample& memory = kernels.memory[now - 1];
    for (size_t i = 0; i < memory.bytes.size(); ++i)
      sample(categoryName(static_cast<Category>(i)), memory.bytes[i]);
    if (kernels.contextBytes > 0) sample("context", kernels.contextBytes);
    if (kernels.transferBytes > 0) sample("transfer", kernels.transferBytes);
  }
}

}  // namespace strata
