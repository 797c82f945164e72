// SPDX-License-Identifier: Apache-2.0
// Builds a Trace from events that arrive in any order, and makes snapshots of it while it grows.
// What exceeds a limit is counted in the notes of the trace, because a part of a trace is better
// than none.
// Not here: reading files.
// Thread: only one thread at a time may use an object. The snapshots may be read by all threads.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/trace/lane_layout.h"
#include "core/trace/trace.h"

namespace strata {

/// What one trace may have. A trace within the limits takes up to 1.2 GiB.
struct TraceLimits {
  size_t events = 40'000'000, lanes = 10'000, records = 2'000'000, links = 4'000'000;
  size_t counters = 10'000, samples = 10'000'000, marks = 4'000'000;
  size_t textBytes = size_t{192} << 20;
  // Longer texts are cut
  static constexpr size_t kMaxText = 4096;
};

class TraceBuilder {
 public:
  explicit TraceBuilder(const TraceLimits& limits = {});
  ~TraceBuilder();
  TraceBuilder(const TraceBuilder&) = delete;
  TraceBuilder& operator=(const TraceBuilder&) = delete;

  /// Sets the time 0 on the clock of the file.
  void setOrigin(int64_t nanoseconds) { m_trace.origin = nanoseconds; }
  /// Returns the index of a text, a kind of work or a record. Those beyond the limits are all 0,
  /// which is empty.
  uint32_t text(std::string_view text);
  uint32_t work(const TraceWork& work);
  uint32_t record(const TraceRecord& record);

  uint32_t addProcess(const std::string& name);
  /// Returns the index of a new lane, or nullopt beyond the limit.
  std::optional<uint32_t> addLane(uint32_t process, const std::string& name,
                                  LaneKind kind = LaneKind::Host);
  void setProcessName(uint32_t process, std::string name);
  void setLaneName(uint32_t lane, std::string name);
  void setLaneKind(uint32_t lane, LaneKind kind);
  /// Sets the place among the processes, or the lanes of the process; equal places are in the order
  /// of their creation. The place is 0 at first.
  void setProcessPlace(uint32_t process, int64_t place);
  void setLanePlace(uint32_t lane, int64_t place);

  /// Returns nullopt if the event was not kept. Times are since the origin.
  std::optional<TraceEvent> addEvent(uint32_t lane, int64_t begin, int64_t duration,
                                     uint32_t record);
  /// Adds a mark to a lane, or to all lanes.
  void addMark(std::optional<uint32_t> lane, int64_t time, uint32_t record);
  void addSample(uint32_t process, const std::string& counter, const std::string& series,
                 int64_t time, double value);
  void addLink(const TraceLink& link);
  /// Links the innermost event of a lane at a time with one of another lane, when the trace is
  /// complete. If no event of the target encloses the time, takes the next one.
  void addFlow(uint32_t fromLane, int64_t fromTime, uint32_t toLane, int64_t toTime);
  void addNote(TraceNote::Kind kind, std::string_view example, int64_t count = 1);
  /// Sets the rows of a new lane. Requires: the rows are sorted and do not overlap.
  void setRows(uint32_t lane, std::vector<TraceRow> rows);

  /// Returns the last end of anything so far.
  int64_t end() const { return m_trace.end; }
  /// Returns the trace so far. This takes little time, and events that arrived much too late may
  /// be missing.
  TracePointer snapshot();
  /// Returns the whole trace. The builder must not be used any more. Fails: Stopped.
  TracePointer finish(const std::stop_token& stop = {});

 private:
  struct Lane;
  struct Flow {
    uint32_t fromLane = 0, toLane = 0;
    int64_t fromTime = 0, toTime = 0;
  };
  bool isInRange(int64_t time, uint32_t record);
  void include(int64_t begin, int64_t end);
  TracePointer take(bool isLast, const StopCheck& check);
  void finishLinks(const StopCheck& check);
  std::optional<TraceEvent> eventForFlow(uint32_t lane, int64_t time, bool mayFollow) const;

  const TraceLimits m_limits;
  Trace m_trace;
  bool m_isEmpty = true;
  size_t m_numEvents = 0, m_numSamples = 0, m_numMarks = 0, m_textBytes = 0;
  std::unordered_map<std::string_view, uint32_t> m_texts;
  // Indices of records and works by their hashes
  std::unordered_multimap<uint64_t, uint32_t> m_records, m_works;
  std::vector<int64_t> m_processPlaces;
  std::vector<std::unique_ptr<Lane>> m_lanes;
  std::map<std::pair<uint32_t, std::string>, std::unique_ptr<TraceCounter>> m_counters;
  std::vector<TraceLink> m_links;
  std::vector<Flow> m_flows;
};

}  // namespace strata
