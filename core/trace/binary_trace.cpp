// SPDX-License-Identifier: Apache-2.0
#include "core/trace/binary_trace.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "core/interchange/file_bytes.h"
#include "core/project/seal.h"
#include "core/project/text.h"
#include "core/trace/stop_check.h"
#include "core/trace/trace_builder.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

static_assert(std::endian::native == std::endian::little);
constexpr std::string_view kMagic = "STRATAT1";
constexpr uint32_t kVersion = 1;
constexpr size_t kHashBytes = 16;

class BinaryWriter {
 public:
  explicit BinaryWriter(const TraceSink& sink) : m_sink(sink) {}
  void add(std::string_view bytes) {
    constexpr size_t kPiece = size_t{1} << 18;
    m_bytes += bytes;
    if (m_bytes.size() >= kPiece) flush();
  }
  template <class T>
  void number(T value) {
    add({reinterpret_cast<const char*>(&value), sizeof value});
  }
  void count(size_t size) { number(static_cast<uint32_t>(size)); }
  void text(const std::string& text) {
    count(text.size());
    add(text);
  }
  void event(const TraceEvent& event) { number(event); }
  void marks(const SharedList<TraceMark>& marks) {
    count(marks.size());
    for (size_t i = 0; i < marks.size(); ++i) {
      number(marks[i].time);
      number(marks[i].record);
    }
  }
  /// Writes the hash after everything else.
  void finish() {
    flush();
    m_sink(m_hash.text());
  }

 private:
  void flush() {
    m_hash.add(std::as_bytes(std::span(m_bytes)));
    m_sink(m_bytes);
    m_bytes.clear();
  }
  const TraceSink& m_sink;
  std::string m_bytes;
  RunningHash m_hash;
};

void writeTables(BinaryWriter& out, const Trace& trace) {
  out.count(trace.texts.size());
  for (size_t i = 0; i < trace.texts.size(); ++i)
    out.text(trace.texts[i]);
  out.count(trace.works.size());
  for (size_t i = 0; i < trace.works.size(); ++i)
    out.number(trace.works[i]);
  out.count(trace.records.size());
  for (size_t i = 0; i < trace.records.size(); ++i)
    out.number(trace.records[i]);
}

/// Writes the processes and lanes. Returns the numbers of processes and lanes in the file.
std::pair<std::vector<uint32_t>, std::vector<uint32_t>> writeLanes(BinaryWriter& out,
                                                                   const Trace& trace) {
  std::vector<uint32_t> processes(trace.processes.size()), lanes(trace.lanes.size());
  std::vector<uint32_t> order;
  out.count(trace.processOrder.size());
  for (uint32_t i = 0; i < trace.processOrder.size(); ++i) {
    const TraceProcess& process = trace.processes[trace.processOrder[i]];
    processes[trace.processOrder[i]] = i;
    out.text(process.name);
    order.insert(order.end(), process.lanes.begin(), process.lanes.end());
  }
  out.count(order.size());
  for (uint32_t i = 0; i < order.size(); ++i) {
    const TraceLane& lane = *trace.lanes[order[i]];
    lanes[order[i]] = i;
    out.number(processes[lane.process]);
    out.number(static_cast<uint32_t>(lane.kind));
    out.text(lane.name);
    out.count(lane.rows.size());
    for (const TraceRow& row : lane.rows) {
      out.count(row.events.size());
      for (size_t k = 0; k < row.events.size(); ++k)
        out.event(row.events[k]);
    }
    out.marks(lane.marks);
  }
  return {processes, lanes};
}

/// Reads the parts of a file in order, and checks each against what is left of the file.
class BinaryReader {
 public:
  BinaryReader(const std::string& path, const std::stop_token& stop);
  TracePointer read(const std::stop_token& stop);

 private:
  static constexpr size_t kBlockBytes = size_t{1} << 20;
  [[noreturn]] void fail(const std::string& what) const;
  void take(void* target, size_t bytes);
  template <class T>
  T number() {
    T value{};
    take(&value, sizeof value);
    return value;
  }
  /// Reads the count of a list whose elements take at least `bytes` bytes each.
  uint32_t count(size_t bytes);
  uint32_t index(size_t size, const char* what);
  std::string text();
  TraceEvent event();
  void readTables();
  void readLanes();
  TraceRow readRow();
  void readMarks(const std::optional<uint32_t>& lane);
  void readCounters();
  void readLinks();
  void readNotes();
  void checkHash();

  FileBytes m_file;
  StopCheck m_check;
  // The place of the next byte, and the end of the part that has a hash
  uint64_t m_at = 0, m_end = 0;
  std::vector<char> m_block;
  size_t m_inBlock = 0, m_numEvents = 0;
  RunningHash m_hash;
  TraceBuilder m_builder;
  // The numbers of the builder, by those of the file
  std::vector<uint32_t> m_texts, m_works, m_records, m_processes, m_lanes;
};

BinaryReader::BinaryReader(const std::string& path, const std::stop_token& stop)
    : m_file(path), m_check(stop, path) {
  if (m_file.size() < kMagic.size() + kHashBytes)
    m_file.fail("is too short to be a trace (got " + std::to_string(m_file.size()) + " bytes).");
  m_end = m_file.size() - kHashBytes;
}

void BinaryReader::fail(const std::string& what) const {
  m_file.fail("is damaged before byte " + std::to_string(m_at) + ": " + what +
              ". Record the trace again.");
}

void BinaryReader::take(void* target, size_t bytes) {
  if (bytes > m_end - m_at) fail("a part of the trace is missing");
  auto* to = static_cast<char*>(target);
  while (bytes > 0) {
    if (m_inBlock == m_block.size()) {
      m_check.now();
      m_block.resize(std::min<uint64_t>(kBlockBytes, m_end - m_at));
      m_file.read(m_block.data(), m_block.size(), m_at);
      m_hash.add(std::as_bytes(std::span(m_block)));
      m_inBlock = 0;
    }
    const size_t piece = std::min(bytes, m_block.size() - m_inBlock);
    std::memcpy(to, m_block.data() + m_inBlock, piece);
    m_inBlock += piece;
    m_at += piece;
    to += piece;
    bytes -= piece;
  }
}

uint32_t BinaryReader::count(size_t bytes) {
  const auto count = number<uint32_t>();
  if (count > (m_end - m_at) / bytes)
    fail("a list has " + std::to_string(count) + " elements, but the file ends before");
  return count;
}

uint32_t BinaryReader::index(size_t size, const char* what) {
  const auto index = number<uint32_t>();
  if (index >= size)
    fail("there is no " + std::string(what) + " " + std::to_string(index) + " (there are " +
         std::to_string(size) + ")");
  return index;
}

std::string BinaryReader::text() {
  std::string text(count(1), '\0');
  take(text.data(), text.size());
  if (!isUtf8(text)) fail("a text is not UTF-8");
  return text;
}

TraceEvent BinaryReader::event() {
  const auto event = number<TraceEvent>();
  if (event.record() >= m_records.size())
    fail("there is no record " + std::to_string(event.record()));
  if (event.begin() < -TraceEvent::kMaxTime || event.end() > TraceEvent::kMaxTime)
    fail("the time of an event is too large");
  return {event.begin(), event.duration(), m_records[event.record()]};
}

void BinaryReader::readTables() {
  const uint32_t numTexts = count(4);
  for (uint32_t i = 0; i < numTexts; ++i)
    m_texts.push_back(m_builder.text(text()));
  const uint32_t numWorks = count(sizeof(TraceWork));
  for (uint32_t i = 0; i < numWorks; ++i) {
    const auto work = number<TraceWork>();
    for (const double value : {work.theoreticalOccupancy, work.occupancy, work.flops, work.bytes})
      if (!std::isfinite(value) || value < 0) fail("the work of a kernel is not a number");
    for (const auto* extent : {&work.grid, &work.block})
      if (std::ranges::any_of(*extent, [](int64_t size) { return size < 0; }))
        fail("the grid of a kernel is negative");
    m_works.push_back(m_builder.work(work));
  }
  const uint32_t numRecords = count(sizeof(TraceRecord));
  for (uint32_t i = 0; i < numRecords; ++i) {
    TraceRecord record;
    for (uint32_t* each :
         {&record.name, &record.category, &record.layer, &record.op, &record.phase})
      *each = m_texts[index(m_texts.size(), "text")];
    record.work = m_works[index(m_works.size(), "work")];
    m_records.push_back(m_builder.record(record));
  }
}

TraceRow BinaryReader::readRow() {
  const uint32_t size = count(sizeof(TraceEvent));
  if (size == 0) fail("a row has no events");
  m_numEvents += size;
  if (m_numEvents > TraceLimits().events) fail("there are too many events");
  TraceRow row;
  int64_t end = std::numeric_limits<int64_t>::min();
  for (uint32_t i = 0; i < size; ++i) {
    const TraceEvent next = event();
    if (next.begin() < end) fail("the events of a row overlap");
    end = next.end();
    appendEvent(row, next);
  }
  return row;
}

void BinaryReader::readMarks(const std::optional<uint32_t>& lane) {
  const uint32_t size = count(12);
  for (uint32_t i = 0; i < size; ++i) {
    const auto time = number<int64_t>();
    m_builder.addMark(lane, time, m_records[index(m_records.size(), "record")]);
  }
}

void BinaryReader::readLanes() {
  const TraceLimits limits;
  const uint32_t numProcesses = count(4);
  const uint32_t most = static_cast<uint32_t>(limits.lanes);
  if (numProcesses > most) fail("there are more than " + std::to_string(most) + " processes");
  for (uint32_t i = 0; i < numProcesses; ++i) {
    m_processes.push_back(m_builder.addProcess(text()));
    m_builder.setProcessPlace(m_processes.back(), i);
  }
  const uint32_t numLanes = count(20);
  if (numLanes > most) fail("there are more than " + std::to_string(most) + " lanes");
  for (uint32_t i = 0; i < numLanes; ++i) {
    const uint32_t process = m_processes[index(m_processes.size(), "process")];
    const uint32_t kind = index(2, "kind of lane");
    const auto lane = m_builder.addLane(process, text(), static_cast<LaneKind>(kind));
    m_lanes.push_back(*lane);
    const uint32_t numRows = count(4 + sizeof(TraceEvent));
    if (numRows > LaneLayout::kMaxRows) fail("a lane has too many rows");
    std::vector<TraceRow> rows;
    for (uint32_t row = 0; row < numRows; ++row)
      rows.push_back(readRow());
    m_builder.setRows(*lane, std::move(rows));
    readMarks(lane);
  }
}

void BinaryReader::readCounters() {
  const uint32_t size = count(16);
  for (uint32_t i = 0; i < size; ++i) {
    const uint32_t process = m_processes[index(m_processes.size(), "process")];
    const std::string name = text();
    const std::string series = text();
    const uint32_t numSamples = count(16);
    for (uint32_t k = 0; k < numSamples; ++k) {
      const auto time = number<int64_t>();
      const auto value = number<double>();
      if (!std::isfinite(value)) fail("the value of a counter is not a number");
      m_builder.addSample(process, name, series, time, value);
    }
  }
}

void BinaryReader::readLinks() {
  const uint32_t size = count(8 + 2 * sizeof(TraceEvent));
  for (uint32_t i = 0; i < size; ++i) {
    const uint32_t from = m_lanes[index(m_lanes.size(), "lane")];
    const uint32_t to = m_lanes[index(m_lanes.size(), "lane")];
    const TraceEvent first = event();
    m_builder.addLink({from, to, first, event()});
  }
}

void BinaryReader::readNotes() {
  constexpr size_t kNumKinds = static_cast<size_t>(TraceNote::Kind::NoKernels) + 1;
  const uint32_t size = count(16);
  if (size > kNumKinds) fail("there are more notes than kinds of notes");
  for (uint32_t i = 0; i < size; ++i) {
    const uint32_t kind = index(kNumKinds, "kind of note");
    const auto number = this->number<int64_t>();
    constexpr int64_t kMost = int64_t{1} << 48;
    if (number < 0 || number > kMost) fail("the count of a note is too large");
    m_builder.addNote(static_cast<TraceNote::Kind>(kind), text(), number);
  }
}

void BinaryReader::checkHash() {
  if (m_at != m_end) fail("there is data after the end");
  std::string hash(kHashBytes, '\0');
  m_file.read(hash.data(), hash.size(), m_end);
  if (hash != m_hash.text()) fail("its checksum differs");
}

TracePointer BinaryReader::read(const std::stop_token& stop) {
  std::string magic(kMagic.size(), '\0');
  take(magic.data(), magic.size());
  if (magic != kMagic)
    m_file.fail("is not a trace of Strata (expected \"STRATAT1\" at byte 0). Choose another file.");
  const auto version = number<uint32_t>();
  if (version != kVersion)
    m_file.fail("has version " + std::to_string(version) + " (expected " +
                std::to_string(kVersion) + "). Use the program that wrote it.");
  if (number<uint32_t>() != 0) fail("the header is not that of this version");
  // So that the origin and a time do not overflow together
  constexpr int64_t kMostOrigin = int64_t{1} << 62;
  const auto origin = number<int64_t>();
  if (origin < -kMostOrigin || origin > kMostOrigin) fail("the origin is too large");
  m_builder.setOrigin(origin);
  readTables();
  readLanes();
  readMarks(std::nullopt);
  readCounters();
  readLinks();
  readNotes();
  checkHash();
  return m_builder.finish(stop);
}

}  // namespace

void printBinaryTrace(const Trace& trace, const TraceSink& sink) {
  BinaryWriter out(sink);
  out.add(kMagic);
  out.number(kVersion);
  out.number(uint32_t{0});
  out.number(trace.origin);
  writeTables(out, trace);
  const auto [processes, lanes] = writeLanes(out, trace);
  out.marks(trace.marks);
  out.count(trace.counters.size());
  for (const auto& counter : trace.counters) {
    out.number(processes[counter->process]);
    out.text(counter->name);
    out.text(counter->series);
    out.count(counter->samples.size());
    for (size_t i = 0; i < counter->samples.size(); ++i)
      out.number(counter->samples[i]);
  }
  out.count(trace.links.size());
  for (const TraceLink& link : trace.links) {
    out.number(lanes[link.fromLane]);
    out.number(lanes[link.toLane]);
    out.event(link.from);
    out.event(link.to);
  }
  out.count(trace.notes.size());
  for (const TraceNote& note : trace.notes) {
    out.number(static_cast<uint32_t>(note.kind));
    out.number(note.count);
    out.text(note.example);
  }
  out.finish();
}

TracePointer readBinaryTrace(const std::string& path, const std::stop_token& stop) {
  return BinaryReader(path, stop).read(stop);
}

bool isBinaryTrace(const std::string& path) {
  FileBytes file(path);
  if (file.size() < kMagic.size()) return false;
  std::string magic(kMagic.size(), '\0');
  file.read(magic.data(), magic.size(), 0);
  return magic == kMagic;
}

}  // namespace strata
