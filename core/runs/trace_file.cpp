// SPDX-License-Identifier: Apache-2.0
#include "core/runs/trace_file.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "core/trace/trace_builder.h"
#include "core/trace/trace_export.h"

namespace strata {

using std::chrono::nanoseconds;

namespace {

// The stream whose records make up the slices of layers
const std::string kCompute = "compute";

/// A layer that computes without a pause of another layer, in one phase.
struct LayerSpan {
  std::string name, layer;
  nanoseconds start{0}, end{0};
};

/// Makes the trace of a profile. Times are since the begin of the first step.
class ProfileTrace {
 public:
  explicit ProfileTrace(const KernelProfile& kernels) : m_kernels(kernels) {}
  TracePointer make();

 private:
  uint32_t laneOf(const std::string& stream, size_t number);
  uint32_t recordOf(const KernelRecord& record);
  void add(uint32_t lane, uint32_t record, nanoseconds start, nanoseconds duration);
  void addStep(const TracedStep& step, nanoseconds offset);
  void addMemory(const TracedStep& step, nanoseconds offset);

  const KernelProfile& m_kernels;
  TraceBuilder m_builder;
  uint32_t m_process = 0;
  std::map<std::pair<std::string, size_t>, uint32_t> m_lanes;
};

/// Returns the lane of a stream. Records that overlap on one stream are in several lanes.
uint32_t ProfileTrace::laneOf(const std::string& stream, size_t number) {
  const auto known = m_lanes.find({stream, number});
  if (known != m_lanes.end()) return known->second;
  const std::string name =
      number == 0 ? stream : stream + ", at the same time " + std::to_string(number);
  const auto lane = m_builder.addLane(m_process, name, LaneKind::Device);
  return m_lanes[{stream, number}] = lane.value_or(0);
}

uint32_t ProfileTrace::recordOf(const KernelRecord& record) {
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

void ProfileTrace::add(uint32_t lane, uint32_t record, nanoseconds start, nanoseconds duration) {
  (void)m_builder.addEvent(lane, start.count(), duration.count(), record);
}

void ProfileTrace::addStep(const TracedStep& step, nanoseconds offset) {
  std::vector<TracedStep::Entry> entries = step.entries;
  std::ranges::stable_sort(entries, {}, &TracedStep::Entry::start);
  std::vector<LayerSpan> spans;
  std::vector<size_t> numbers;
  // When the lanes of each stream are free
  std::map<std::string, std::vector<nanoseconds>> lanes;
  for (const TracedStep::Entry& entry : entries) {
    const KernelRecord& record = m_kernels.rows[static_cast<size_t>(entry.row)].record;
    std::vector<nanoseconds>& ends = lanes[record.stream];
    const auto number = static_cast<size_t>(
        std::ranges::find_if(ends, [&](nanoseconds end) { return end <= entry.start; }) -
        ends.begin());
    if (number == ends.size()) ends.emplace_back();
    const nanoseconds end = ends[number] = entry.start + entry.duration;
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
  std::string whole = "step " + std::to_string(step.step);
  if (m_kernels.source != StepRecords::Source::HostClock) whole += " with inputs and results";
  const uint32_t compute = laneOf(kCompute, 0);
  add(compute, m_builder.record({m_builder.text(whole), m_builder.text("step")}), offset,
      step.duration());
  for (const LayerSpan& span : spans)
    add(compute,
        m_builder.record(
            {m_builder.text(span.name), m_builder.text("layer"), m_builder.text(span.layer)}),
        offset + span.start, span.end - span.start);
  for (size_t i = 0; i < entries.size(); ++i) {
    const KernelRecord& record = m_kernels.rows[static_cast<size_t>(entries[i].row)].record;
    add(laneOf(record.stream, numbers[i]), recordOf(record), offset + entries[i].start,
        entries[i].duration);
  }
}

void ProfileTrace::addMemory(const TracedStep& step, nanoseconds offset) {
  size_t next = 0;
  std::vector<TracedStep::Entry> entries = step.entries;
  std::ranges::stable_sort(entries, {}, &TracedStep::Entry::start);
  for (const TracedStep::Entry& entry : entries) {
    const int instruction = m_kernels.rows[static_cast<size_t>(entry.row)].record.instruction;
    size_t now = next;
    while (now < m_kernels.memory.size() && m_kernels.memory[now].instruction <= instruction)
      ++now;
    if (now == next) continue;
    next = now;
    const auto sample = [&](std::string_view series, size_t bytes) {
      m_builder.addSample(m_process, "memory", std::string(series), (offset + entry.start).count(),
                          static_cast<double>(bytes));
    };
    const MemorySample& memory = m_kernels.memory[now - 1];
    for (size_t i = 0; i < memory.bytes.size(); ++i)
      sample(categoryName(static_cast<Category>(i)), memory.bytes[i]);
    if (m_kernels.contextBytes > 0) sample("context", m_kernels.contextBytes);
    if (m_kernels.transferBytes > 0) sample("transfer", m_kernels.transferBytes);
  }
}

TracePointer ProfileTrace::make() {
  m_process = m_builder.addProcess(m_kernels.device);
  nanoseconds offset{0};
  for (const TracedStep& step : m_kernels.traced) {
    addStep(step, offset);
    addMemory(step, offset);
    offset += step.duration();
  }
  return m_builder.finish();
}

std::string csvField(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + "\"";
}

std::string extent(const std::array<int64_t, 3>& size) {
  return size[0] == 0 ? ""
                      : std::to_string(size[0]) + "x" + std::to_string(size[1]) + "x" +
                            std::to_string(size[2]);
}

std::string number(double value) {
  char buffer[40];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

}  // namespace

TracePointer traceOf(const KernelProfile& kernels) { return ProfileTrace(kernels).make(); }

std::string printTrace(const KernelProfile& kernels) {
  std::string text;
  printChromeTrace(
      *traceOf(kernels), [&](std::string_view piece) { text += piece; },
      {{"device", kernels.device}, {"source", std::string(sourceName(kernels.source))}});
  return text;
}

std::string printKernelTable(const KernelProfile& kernels) {
  std::string text =
      "device,source,layer,op,phase,kernel,stream,calls,nanoseconds,grid,block,registers,"
      "shared_bytes,theoretical_occupancy,occupancy,flops_per_second,bytes_per_second\n";
  for (const KernelRow& row : kernels.rows) {
    const KernelRecord& record = row.record;
    for (const std::string& field :
         {csvField(kernels.device), std::string(sourceName(kernels.source)), csvField(record.layer),
          csvField(record.op), std::string(phaseName(record.phase)), csvField(record.name),
          csvField(record.stream), std::to_string(row.calls), std::to_string(row.total.count()),
          extent(record.grid), extent(record.block), std::to_string(record.registers),
          std::to_string(record.sharedBytes), number(record.theoreticalOccupancy),
          number(record.occupancy), kernels.isMain(row) ? number(row.flopsPerSecond()) : ""})
      text += field + ",";
    if (kernels.isMain(row)) text += number(row.bytesPerSecond());
    text += "\n";
  }
  return text;
}

}  // namespace strata
