// SPDX-License-Identifier: Apache-2.0
#include "core/trace/chrome_reader.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/data/gzip_file.h"
#include "core/project/text.h"
#include "core/trace/chrome_event.h"
#include "core/trace/chrome_tracks.h"
#include "core/trace/json_tokens.h"
#include "core/trace/stop_check.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

using Token = JsonTokens::Token;
using Clock = std::chrono::steady_clock;

/// Whether a device did what events of this category say.
bool isOfDevice(std::string_view category) {
  return category == "kernel" || category.starts_with("gpu_") || category == "Kernel" ||
         category == "Memcpy" || category == "Memset";
}

class ChromeReader {
 public:
  ChromeReader(const std::string& path, const TraceReadOptions& options);
  TracePointer read();

 private:
  struct Open {
    ChromeTime begin;
    uint32_t record = 0;
    std::optional<uint64_t> correlation;
    bool isOfDevice = false;
  };
  // An event with a correlation: the launch, or what was launched
  struct Correlated {
    uint64_t id = 0;
    bool isOfDevice = false;
    uint32_t lane = 0;
    TraceEvent event;
  };
  struct FlowPoint {
    uint64_t key = 0;
    int64_t time = 0;
    // 0 begins, 1 continues, 2 ends
    int place = 0;
    uint32_t lane = 0;
  };
  uint64_t readBytes(char* target, uint64_t bytes);
  void readDocument();
  void readEvents();
  void takeFirst();
  void take(const ChromeEvent& event);
  void takeWhole(const ChromeEvent& event);
  void takeBegin(const ChromeEvent& event);
  void takeEnd(const ChromeEvent& event);
  void takeMark(const ChromeEvent& event);
  void takeCounter(const ChromeEvent& event);
  void takeFlow(const ChromeEvent& event);
  void addSlice(uint32_t lane, const Open& open, const std::optional<int64_t>& end);
  Open openOf(const ChromeEvent& event);
  uint32_t recordOf(const ChromeEvent& event);
  int64_t sinceOrigin(const ChromeTime& time) const { return time.nanoseconds - m_origin; }
  void note(TraceNote::Kind kind, const ChromeEvent& event);
  void checkIn();
  void closeOpen();
  void link();

  const std::string m_path;
  const TraceReadOptions& m_options;
  const StopCheck m_check;
  GzipFile m_file;
  JsonTokens m_tokens;
  TraceBuilder m_builder;
  ChromeTracks m_tracks;
  uint64_t m_numBytes = 0, m_numEvents = 0;
  Clock::time_point m_lastSnapshot = Clock::now();
  int64_t m_origin = 0;
  // The first events, from which the origin is chosen
  std::vector<ChromeEvent> m_first;
  bool m_hasOrigin = false, m_hasEvents = false;
  std::unordered_map<uint32_t, std::vector<Open>> m_open;
  std::vector<Correlated> m_correlated;
  std::vector<FlowPoint> m_flows;
  // Names of ops of the host by their external ids, which count from 1; 0 for other ids
  std::vector<uint32_t> m_ops;
  static constexpr uint64_t kMaxOps = uint64_t{1} << 24;
};

ChromeReader::ChromeReader(const std::string& path, const TraceReadOptions& options)
    : m_path(path),
      m_options(options),
      m_check(options.stop, path),
      m_file(path),
      m_tokens([this](char* target, uint64_t bytes) { return readBytes(target, bytes); }, path),
      m_builder(options.limits),
      m_tracks(m_builder, options.limits.lanes) {}

uint64_t ChromeReader::readBytes(char* target, uint64_t bytes) {
  m_check.now();
  const uint64_t read = m_file.read(target, bytes);
  m_numBytes += read;
  if (m_numBytes > m_options.maxBytes)
    throw Error(ErrorCode::InvalidFile, m_path,
                "is too large (expected at most " + std::to_string(m_options.maxBytes) +
                    " bytes of JSON). Record fewer steps.");
  return read;
}

void ChromeReader::note(TraceNote::Kind kind, const ChromeEvent& event) {
  m_builder.addNote(kind, event.name.empty() ? "event " + std::to_string(m_numEvents) : event.name);
}

uint32_t ChromeReader::recordOf(const ChromeEvent& event) {
  TraceRecord record;
  record.name = m_builder.text(event.name);
  record.category = m_builder.text(event.category);
  if (!event.layer.empty()) record.layer = m_builder.text(event.layer);
  if (!event.op.empty()) record.op = m_builder.text(event.op);
  if (!event.computePhase.empty()) record.phase = m_builder.text(event.computePhase);
  if (event.hasWork()) record.work = m_builder.work(event.work);
  if (event.externalId && record.op == 0 && *event.externalId < kMaxOps) {
    const uint64_t id = *event.externalId;
    if (event.category == "cpu_op" || event.category == "Operator") {
      if (id >= m_ops.size()) m_ops.resize(std::max<uint64_t>(id + 1, 2 * m_ops.size()));
      m_ops[id] = record.name;
    }
    else if (id < m_ops.size()) {
      record.op = m_ops[id];
    }
  }
  return m_builder.record(record);
}

ChromeReader::Open ChromeReader::openOf(const ChromeEvent& event) {
  return {*event.time, recordOf(event), event.correlation, isOfDevice(event.category)};
}

void ChromeReader::addSlice(uint32_t lane, const Open& open, const std::optional<int64_t>& end) {
  const int64_t begin = sinceOrigin(open.begin);
  int64_t duration = 0;
  if (!end || __builtin_sub_overflow(*end, open.begin.nanoseconds, &duration)) duration = -1;
  if (duration < 0 || duration > TraceEvent::kMaxDuration) {
    m_builder.addNote(TraceNote::Kind::OutOfRange, "a duration");
    return;
  }
  const auto added = m_builder.addEvent(lane, begin, duration, open.record);
  if (!added) return;
  if (open.isOfDevice) m_tracks.setDevice(lane);
  if (open.correlation && *open.correlation != 0 && m_correlated.size() < m_options.limits.links)
    m_correlated.push_back({*open.correlation, open.isOfDevice, lane, *added});
}

void ChromeReader::takeWhole(const ChromeEvent& event) {
  if (const auto lane = m_tracks.lane(event))
    addSlice(*lane, openOf(event), sumOf(*event.time, event.duration.value_or(ChromeTime())));
}

void ChromeReader::takeBegin(const ChromeEvent& event) {
  constexpr size_t kMostOpen = 4096;
  const auto lane = m_tracks.lane(event);
  if (!lane) return;
  std::vector<Open>& open = m_open[*lane];
  if (open.size() < kMostOpen)
    open.push_back(openOf(event));
  else
    note(TraceNote::Kind::OverLimit, event);
}

void ChromeReader::takeEnd(const ChromeEvent& event) {
  const auto lane = m_tracks.lane(event);
  if (!lane) return;
  std::vector<Open>& open = m_open[*lane];
  if (open.empty()) return note(TraceNote::Kind::Unmatched, event);
  addSlice(*lane, open.back(), event.time->nanoseconds);
  open.pop_back();
}

void ChromeReader::takeMark(const ChromeEvent& event) {
  if (event.name == "[memory]" && event.allocated) {
    // The PyTorch profiler has a mark for each allocation, with the sum
    const std::string series = event.memoryKind == "0" ? "host" : "device " + event.memoryNumber;
    if (const auto process = m_tracks.process(event))
      m_builder.addSample(*process, "memory", series, sinceOrigin(*event.time), *event.allocated);
    return;
  }
  if (event.scope == "g" || event.scope == "p") {
    m_builder.addMark(std::nullopt, sinceOrigin(*event.time), recordOf(event));
    return;
  }
  if (const auto lane = m_tracks.lane(event))
    m_builder.addMark(lane, sinceOrigin(*event.time), recordOf(event));
}

void ChromeReader::takeCounter(const ChromeEvent& event) {
  const auto process = m_tracks.process(event);
  if (!process) return;
  const std::string name = event.id.empty() ? event.name : event.name + " " + event.id;
  for (const auto& [series, value] : event.values)
    m_builder.addSample(*process, name, series, sinceOrigin(*event.time), value);
}

void ChromeReader::takeFlow(const ChromeEvent& event) {
  const auto lane = m_tracks.lane(event);
  if (!lane) return;
  if (m_flows.size() >= 2 * m_options.limits.links) return note(TraceNote::Kind::OverLimit, event);
  const std::hash<std::string_view> hash;
  constexpr uint64_t kFactor = 0x9e3779b97f4a7c15;
  const uint64_t key =
      (hash(event.category) * kFactor + hash(event.name)) * kFactor + hash(event.id);
  m_flows.push_back({key, sinceOrigin(*event.time),
                     static_cast<int>(std::string_view("stf").find(event.phase)), *lane});
}

void ChromeReader::take(const ChromeEvent& event) {
  switch (event.phase) {
    case 'X': return takeWhole(event);
    case 'B': return takeBegin(event);
    case 'E': return takeEnd(event);
    case 'i':
    case 'I': return takeMark(event);
    case 'C': return takeCounter(event);
    case 's':
    case 't':
    case 'f': return takeFlow(event);
    default: break;
  }
}

/// Chooses the origin so that a few events with strange times do not matter, and takes the events
/// that waited for it.
void ChromeReader::takeFirst() {
  m_hasOrigin = true;
  std::vector<int64_t> times;
  for (const ChromeEvent& event : m_first)
    times.push_back(event.time->nanoseconds);
  if (times.empty()) return;
  std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
  const int64_t median = times[times.size() / 2];
  // So that typical times are not negative
  m_origin = median;
  for (const int64_t time : times)
    if (median - time < TraceEvent::kMaxTime / 2) m_origin = std::min(m_origin, time);
  m_builder.setOrigin(m_origin);
  for (const ChromeEvent& event : m_first)
    take(event);
  m_first = {};
}

/// Makes a snapshot if it is time for one.
void ChromeReader::checkIn() {
  m_check.now();
  if (!m_options.onSnapshot || Clock::now() - m_lastSnapshot < m_options.interval) return;
  const auto size = static_cast<double>(std::max<uint64_t>(1, m_file.file().size()));
  m_options.onSnapshot(m_builder.snapshot(), static_cast<double>(m_file.taken()) / size);
  m_lastSnapshot = Clock::now();
}

void ChromeReader::readEvents() {
  m_hasEvents = true;
  constexpr uint64_t kBetweenChecks = 512;
  constexpr size_t kFirst = 200;
  static constexpr std::string_view kKnown = "XBEiICstf";
  ChromeEvent event;
  for (Token token = m_tokens.next(); token != Token::EndArray; token = m_tokens.next()) {
    if (++m_numEvents % kBetweenChecks == 0) checkIn();
    if (token != Token::BeginObject) {
      m_tokens.skipValue(token);
      m_builder.addNote(TraceNote::Kind::BadEvent, "event " + std::to_string(m_numEvents));
      continue;
    }
    readChromeEvent(m_tokens, event);
    if (event.phase == 'M') {
      m_tracks.takeMetadata(event);
    }
    else if (event.phase == 0 ||
             (kKnown.find(event.phase) != std::string_view::npos &&
              (!event.time || (event.duration && event.duration->nanoseconds < 0)))) {
      note(TraceNote::Kind::BadEvent, event);
    }
    else if (kKnown.find(event.phase) == std::string_view::npos) {
      m_builder.addNote(TraceNote::Kind::UnknownPhase, std::string(1, event.phase));
    }
    else if (!m_hasOrigin) {
      m_first.push_back(event);
      if (m_first.size() >= kFirst) takeFirst();
    }
    else {
      take(event);
    }
  }
}

void ChromeReader::readDocument() {
  const Token first = m_tokens.next();
  if (first == Token::BeginArray) {
    readEvents();
  }
  else if (first == Token::BeginObject) {
    while (m_tokens.next() == Token::Key) {
      const bool isEvents = m_tokens.text() == "traceEvents";
      const Token value = m_tokens.next();
      if (isEvents && value == Token::BeginArray)
        readEvents();
      else
        m_tokens.skipValue(value);
    }
  }
  else {
    m_tokens.skipValue(first);
  }
  (void)m_tokens.next();
}

/// Ends what has begun at the end of the trace.
void ChromeReader::closeOpen() {
  const int64_t end = m_builder.end() + m_origin;
  for (auto& [lane, opened] : m_open)
    for (const Open& open : opened) {
      m_builder.addNote(TraceNote::Kind::Unmatched, "begin without an end");
      addSlice(lane, open, std::max(end, open.begin.nanoseconds));
    }
}

void ChromeReader::link() {
  // The launch comes before what it launched, which may be several kernels
  std::ranges::sort(m_correlated, {}, [this](const Correlated& each) {
    m_check.sometimes();
    return std::tuple(each.id, each.isOfDevice, each.lane, each.event.begin());
  });
  const Correlated* launch = nullptr;
  for (const Correlated& each : m_correlated) {
    if (!each.isOfDevice)
      launch = &each;
    else if (launch && launch->id == each.id)
      m_builder.addLink({launch->lane, each.lane, launch->event, each.event});
  }
  m_correlated = {};
  std::ranges::stable_sort(m_flows, {}, [this](const FlowPoint& each) {
    m_check.sometimes();
    return std::tuple(each.key, each.time, each.place);
  });
  for (size_t i = 1; i < m_flows.size(); ++i) {
    const FlowPoint& from = m_flows[i - 1];
    const FlowPoint& to = m_flows[i];
    if (from.key == to.key && from.place < 2 && to.place > 0)
      m_builder.addFlow(from.lane, from.time, to.lane, to.time);
  }
  m_flows = {};
}

TracePointer ChromeReader::read() {
  try {
    readDocument();
  }
  catch (const Error& error) {
    if (error.code() != ErrorCode::InvalidFile || !m_tokens.endsEarly() || m_numEvents == 0) throw;
    m_builder.addNote(TraceNote::Kind::Truncated, "after " + std::to_string(m_numBytes) + " bytes");
  }
  if (!m_hasEvents)
    throw Error(ErrorCode::InvalidFile, m_path,
                "is not a trace (expected a list of events, or an object with \"traceEvents\"). "
                "Choose a file of a profiler.");
  if (!m_hasOrigin) takeFirst();
  closeOpen();
  link();
  return m_builder.finish(m_options.stop);
}

}  // namespace

TracePointer readChromeTrace(const std::string& path, const TraceReadOptions& options) {
  return ChromeReader(path, options).read();
}

}  // namespace strata
