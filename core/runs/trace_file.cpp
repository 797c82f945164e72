// SPDX-License-Identifier: Apache-2.0
#include "core/runs/trace_file.h"

#include <algorithm>
#include <charconv>
#include <map>

#include <nlohmann/json.hpp>

#include "core/project/json.h"

namespace strata {

using std::chrono::nanoseconds;

namespace {

constexpr int kProcess = 1;
// The stream whose records make up the slices of layers
const std::string kCompute = "compute";

/// Microseconds with three decimals, which are exact.
std::string microseconds(nanoseconds time) {
  const std::string digits = std::to_string(time.count() % 1000);
  return std::to_string(time.count() / 1000) + "." + std::string(3 - digits.size(), '0') + digits;
}

std::string quoted(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// A layer that computes without a pause of another layer, in one phase.
struct LayerSpan {
  std::string name;
  nanoseconds start{0}, end{0};
};

/// Writes events. Times are since the begin of the trace.
class TraceWriter {
 public:
  explicit TraceWriter(const KernelProfile& kernels) : m_kernels(kernels) {}
  std::string print();

 private:
  // From the outermost to the innermost slice
  enum class Depth { Step, Layer, Kernel };
  struct Slice {
    nanoseconds start{0};
    Depth depth = Depth::Step;
    std::string event;
  };
  void add(const std::string& event);
  void name(const char* what, int thread, const std::string& text);
  void addSlice(const std::string& name, Depth depth, int thread, nanoseconds start,
                nanoseconds duration, const Json& arguments);
  void writeSlices();
  int threadOf(const std::string& stream, size_t lane);
  void addStep(const TracedStep& step, nanoseconds offset);
  void addMemory(const TracedStep& step, nanoseconds offset);
  Json argumentsOf(const KernelRecord& record) const;

  const KernelProfile& m_kernels;
  std::string m_text;
  bool m_isFirst = true;
  std::vector<Slice> m_slices;
  std::map<std::pair<std::string, size_t>, int> m_threads;
};

void TraceWriter::add(const std::string& event) {
  m_text += m_isFirst ? "\n" : ",\n";
  m_text += event;
  m_isFirst = false;
}

void TraceWriter::name(const char* what, int thread, const std::string& text) {
  add(R"({"ph":"M","name":")" + std::string(what) + R"(","pid":)" + std::to_string(kProcess) +
      R"(,"tid":)" + std::to_string(thread) + R"(,"args":{"name":)" + quoted(text) + "}}");
}

void TraceWriter::addSlice(const std::string& name, Depth depth, int thread, nanoseconds start,
                           nanoseconds duration, const Json& arguments) {
  static constexpr const char* kCategories[] = {"step", "layer", "kernel"};
  m_slices.push_back({start, depth,
                      R"({"ph":"X","name":)" + quoted(name) + R"(,"cat":")" +
                          kCategories[static_cast<size_t>(depth)] + R"(","pid":)" +
                          std::to_string(kProcess) + R"(,"tid":)" + std::to_string(thread) +
                          R"(,"ts":)" + microseconds(start) + R"(,"dur":)" +
                          microseconds(duration) + R"(,"args":)" +
                          arguments.dump(-1, ' ', false, Json::error_handler_t::replace) + "}"});
}

/// Writes outer slices before inner ones that begin at the same time, as readers expect.
void TraceWriter::writeSlices() {
  std::ranges::stable_sort(m_slices, [](const Slice& a, const Slice& b) {
    return a.start != b.start ? a.start < b.start : a.depth < b.depth;
  });
  for (const Slice& slice : m_slices)
    add(slice.event);
  m_slices.clear();
}

/// Returns the number of a thread, and names it when it is new.
int TraceWriter::threadOf(const std::string& stream, size_t lane) {
  const auto [at, isNew] =
      m_threads.try_emplace({stream, lane}, static_cast<int>(m_threads.size()) + 1);
  if (isNew)
    name("thread_name", at->second,
         lane == 0 ? stream : stream + ", at the same time " + std::to_string(lane));
  return at->second;
}

Json TraceWriter::argumentsOf(const KernelRecord& record) const {
  Json arguments{{"op", record.op}, {"layer", record.layer}, {"phase", phaseName(record.phase)}};
  if (record.grid[0] > 0) {
    arguments["grid"] = record.grid;
    arguments["block"] = record.block;
    arguments["registers"] = record.registers;
    arguments["shared_bytes"] = record.sharedBytes;
    arguments["theoretical_occupancy"] = record.theoreticalOccupancy;
    arguments["occupancy"] = record.occupancy;
  }
  arguments["flops"] = record.flops;
  arguments["bytes"] = record.bytes;
  return arguments;
}

void TraceWriter::addStep(const TracedStep& step, nanoseconds offset) {
  std::string whole = "step " + std::to_string(step.step);
  if (m_kernels.source != StepRecords::Source::HostClock) whole += " with inputs and results";
  addSlice(whole, Depth::Step, threadOf(kCompute, 0), offset, step.duration(),
           {{"step", step.step}});
  std::vector<TracedStep::Entry> entries = step.entries;
  std::ranges::stable_sort(entries, {}, &TracedStep::Entry::start);
  std::vector<LayerSpan> spans;
  // When the lanes of each stream are free
  std::map<std::string, std::vector<nanoseconds>> lanes;
  for (const TracedStep::Entry& entry : entries) {
    const KernelRecord& record = m_kernels.rows[static_cast<size_t>(entry.row)].record;
    std::vector<nanoseconds>& ends = lanes[record.stream];
    const auto lane = static_cast<size_t>(
        std::ranges::find_if(ends, [&](nanoseconds end) { return end <= entry.start; }) -
        ends.begin());
    if (lane == ends.size()) ends.emplace_back();
    const nanoseconds end = ends[lane] = entry.start + entry.duration;
    addSlice(record.name, Depth::Kernel, threadOf(record.stream, lane), offset + entry.start,
             entry.duration, argumentsOf(record));
    if (record.stream != kCompute || lane > 0) continue;
    std::string name = record.layer.empty() ? record.op : record.layer;
    if (record.instruction < 0) name = "inputs and results";
    if (record.phase != Phase::Forward && record.instruction >= 0)
      name += " (" + std::string(phaseName(record.phase)) + ")";
    if (spans.empty() || spans.back().name != name) spans.push_back({name, entry.start, end});
    spans.back().end = end;
  }
  for (const LayerSpan& span : spans)
    addSlice(span.name, Depth::Layer, threadOf(kCompute, 0), offset + span.start,
             span.end - span.start, Json::object());
  writeSlices();
}

void TraceWriter::addMemory(const TracedStep& step, nanoseconds offset) {
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
    Json bytes = Json::object();
    const MemorySample& sample = m_kernels.memory[now - 1];
    for (size_t i = 0; i < sample.bytes.size(); ++i)
      bytes[std::string(categoryName(static_cast<Category>(i)))] = sample.bytes[i];
    if (m_kernels.contextBytes > 0) bytes["context"] = m_kernels.contextBytes;
    if (m_kernels.transferBytes > 0) bytes["transfer"] = m_kernels.transferBytes;
    add(R"({"ph":"C","name":"memory","pid":)" + std::to_string(kProcess) + R"(,"ts":)" +
        microseconds(offset + entry.start) + R"(,"args":)" + bytes.dump() + "}");
  }
}

std::string TraceWriter::print() {
  m_text = R"({"displayTimeUnit":"ns","otherData":{"device":)" + quoted(m_kernels.device) +
           R"(,"source":)" + quoted(std::string(sourceName(m_kernels.source))) +
           R"(},"traceEvents":[)";
  name("process_name", 0, m_kernels.device);
  nanoseconds offset{0};
  for (const TracedStep& step : m_kernels.traced) {
    addStep(step, offset);
    addMemory(step, offset);
    offset += step.duration();
  }
  m_text += "\n]}\n";
  return m_text;
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

std::string printTrace(const KernelProfile& kernels) { return TraceWriter(kernels).print(); }

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
