// SPDX-License-Identifier: Apache-2.0
// A trace: what the threads of the host and the streams of devices did, and when. A process has
// lanes (threads, streams), a lane has rows by nesting depth, and a row has events that do not
// overlap, sorted by time. Times are nanoseconds since the origin of the trace.
// Not here: building (trace_builder.h), questions of a view (trace_query.h), files
// (chrome_reader.h, binary_trace.h, trace_export.h).
// Thread: a Trace never changes, so all threads may read it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/shared_list.h"

namespace strata {

/// What happened from one time to another. Only 16 bytes, because traces have millions of events.
class TraceEvent {
 public:
  // 39 hours before and after the origin, and 78 hours of duration
  static constexpr int64_t kMaxTime = (int64_t{1} << 47) - 1;
  static constexpr int64_t kMaxDuration = (int64_t{1} << 48) - 1;

  TraceEvent() = default;
  /// Requires: -kMaxTime <= begin <= kMaxTime, 0 <= duration <= kMaxDuration.
  TraceEvent(int64_t begin, int64_t duration, uint32_t record)
      : m_high((static_cast<uint64_t>(begin) << 16) | (static_cast<uint64_t>(duration) >> 32)),
        m_low((static_cast<uint64_t>(duration) << 32) | record) {}
  int64_t begin() const { return static_cast<int64_t>(m_high) >> 16; }
  int64_t duration() const {
    return static_cast<int64_t>(((m_high & 0xffff) << 32) | (m_low >> 32));
  }
  int64_t end() const { return begin() + duration(); }
  /// Returns the index of what all events of this kind have in common, in Trace::records.
  uint32_t record() const { return static_cast<uint32_t>(m_low); }
  bool operator==(const TraceEvent&) const = default;

 private:
  // 48 bits of begin, 48 bits of duration, 32 bits of record
  uint64_t m_high = 0, m_low = 0;
};
static_assert(sizeof(TraceEvent) == 16);

/// What a kernel or copy did. What is unknown is 0.
struct TraceWork {
  std::array<int64_t, 3> grid{}, block{};
  int64_t registers = 0, sharedBytes = 0;
  double theoreticalOccupancy = 0, occupancy = 0;
  double flops = 0, bytes = 0;
  bool operator==(const TraceWork&) const = default;
};

/// What events have in common. Texts are indices in Trace::texts, and `work` is an index in
/// Trace::works; 0 is empty.
struct TraceRecord {
  uint32_t name = 0, category = 0, layer = 0, op = 0, phase = 0, work = 0;
  bool operator==(const TraceRecord&) const = default;
};

/// Events that do not overlap, sorted by time.
struct TraceRow {
  // The row has for each complete block of events the place of its longest event in the block
  static constexpr size_t kBlock = 64;
  SharedList<TraceEvent> events;
  SharedList<uint8_t> longest;
};

/// Something without a duration.
struct TraceMark {
  int64_t time = 0;
  uint32_t record = 0;
};

enum class LaneKind : uint8_t { Host, Device };

struct TraceLane {
  std::string name;
  LaneKind kind = LaneKind::Host;
  // Index in Trace::processes
  uint32_t process = 0;
  // Outer events come first. The first row exists if there are events.
  std::vector<TraceRow> rows;
  SharedList<TraceMark> marks;
  size_t numEvents() const;
};

struct TraceProcess {
  std::string name;
  // Indices in Trace::lanes, in the order in which they are shown
  std::vector<uint32_t> lanes;
};

/// A value over time, such as the memory of a category.
struct TraceCounter {
  struct Sample {
    int64_t time = 0;
    double value = 0;
  };
  uint32_t process = 0;
  std::string name, series;
  // Sorted by time
  SharedList<Sample> samples;
};

/// Connects the event that launched a kernel with the kernel. An event is named by its value,
/// because its row may change while a file is read.
struct TraceLink {
  uint32_t fromLane = 0, toLane = 0;
  TraceEvent from, to;
};

/// What a reader could not keep, or found missing.
struct TraceNote {
  enum class Kind : uint8_t {
    // The file ends too early, such as that of a killed profiler
    Truncated,
    UnknownPhase,
    // The event lacks its time or name, or has a value that makes no sense
    BadEvent,
    // The end of an event has no begin, or the reverse
    Unmatched,
    // The time is too far from the origin
    OutOfRange,
    // More events, lanes, texts, ... than the limits allow
    OverLimit,
    // A recorded step without kernels
    NoKernels
  };
  Kind kind = Kind::BadEvent;
  int64_t count = 0;
  // For the first of them: where it is, or what it was
  std::string example;
  bool operator==(const TraceNote&) const = default;
};
/// Returns a sentence for a person.
std::string noteText(const TraceNote& note);

struct Trace {
  std::vector<TraceProcess> processes;
  // Indices of processes, in the order in which they are shown
  std::vector<uint32_t> processOrder;
  std::vector<std::shared_ptr<const TraceLane>> lanes;
  SharedList<TraceRecord> records;
  SharedList<std::string> texts;
  SharedList<TraceWork> works;
  std::vector<std::shared_ptr<const TraceCounter>> counters;
  // Marks of all lanes
  SharedList<TraceMark> marks;
  // Sorted by lane and begin of `from`; only in complete traces
  std::vector<TraceLink> links;
  // Indices of links, sorted by lane and begin of `to`
  std::vector<uint32_t> linksByTarget;
  std::vector<TraceNote> notes;
  // The time 0 of the trace on the clock of the file
  int64_t origin = 0;
  // The first begin and the last end of anything
  int64_t begin = 0, end = 0;
  // Whether all of the file was read
  bool isComplete = true;

  size_t numEvents() const;
  const TraceRecord& recordOf(const TraceEvent& event) const { return records[event.record()]; }
  const std::string& nameOf(const TraceEvent& event) const { return texts[recordOf(event).name]; }
};
using TracePointer = std::shared_ptr<const Trace>;

}  // namespace strata
