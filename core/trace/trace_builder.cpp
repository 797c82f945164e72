// SPDX-License-Identifier: Apache-2.0
#include "core/trace/trace_builder.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "core/project/seal.h"
#include "core/project/text.h"
#include "core/trace/trace_query.h"

namespace strata {

struct TraceBuilder::Lane {
  TraceLane lane;
  LaneLayout layout;
  int64_t place = 0;
  // The lane as in the last snapshot; null if it changed since
  std::shared_ptr<const TraceLane> taken;
};

template <class T>
static uint64_t hashOfValue(const T& value) {
  return hashOf(std::as_bytes(std::span(&value, 1)));
}

/// Returns the index of a value in a list without duplicates, and appends it if it is new.
template <class T>
static uint32_t indexOf(const T& value, SharedList<T>& list,
                        std::unordered_multimap<uint64_t, uint32_t>& indices) {
  const uint64_t hash = hashOfValue(value);
  const auto [first, last] = indices.equal_range(hash);
  for (auto each = first; each != last; ++each)
    if (list[each->second] == value) return each->second;
  const auto index = static_cast<uint32_t>(list.size());
  list.push_back(value);
  indices.emplace(hash, index);
  return index;
}

template <class T, class Key>
static void sortList(SharedList<T>& list, Key key) {
  bool isSorted = true;
  for (size_t i = 1; i < list.size() && isSorted; ++i)
    isSorted = !(std::invoke(key, list[i]) < std::invoke(key, list[i - 1]));
  if (isSorted) return;
  std::vector<T> values;
  values.reserve(list.size());
  for (size_t i = 0; i < list.size(); ++i)
    values.push_back(list[i]);
  std::ranges::stable_sort(values, {}, key);
  list = {};
  for (T& value : values)
    list.push_back(std::move(value));
}

TraceBuilder::TraceBuilder(const TraceLimits& limits) : m_limits(limits) {
  m_trace.texts.push_back("", true);
  m_texts.emplace("", 0);
  indexOf(TraceWork(), m_trace.works, m_works);
  indexOf(TraceRecord(), m_trace.records, m_records);
}

TraceBuilder::~TraceBuilder() = default;

uint32_t TraceBuilder::text(std::string_view text) {
  if (text.size() > TraceLimits::kMaxText) {
    text = text.substr(0, TraceLimits::kMaxText);
    text = text.substr(0, firstNotUtf8(text));
  }
  if (const auto known = m_texts.find(text); known != m_texts.end()) return known->second;
  // What a text takes in addition to its characters
  constexpr size_t kOverhead = 96;
  if (m_textBytes + text.size() + kOverhead > m_limits.textBytes) {
    addNote(TraceNote::Kind::OverLimit, "the text " + excerpt(text, 60));
    return 0;
  }
  m_textBytes += text.size() + kOverhead;
  const auto index = static_cast<uint32_t>(m_trace.texts.size());
  m_trace.texts.push_back(std::string(text), true);
  m_texts.emplace(m_trace.texts.back(), index);
  return index;
}

uint32_t TraceBuilder::work(const TraceWork& work) {
  if (m_trace.works.size() >= m_limits.records) return 0;
  return indexOf(work, m_trace.works, m_works);
}

uint32_t TraceBuilder::record(const TraceRecord& record) {
  if (m_trace.records.size() >= m_limits.records) {
    addNote(TraceNote::Kind::OverLimit, "the kind of event " + m_trace.texts[record.name]);
    return 0;
  }
  return indexOf(record, m_trace.records, m_records);
}

uint32_t TraceBuilder::addProcess(const std::string& name) {
  m_trace.processes.push_back({name, {}});
  m_processPlaces.push_back(0);
  return static_cast<uint32_t>(m_trace.processes.size() - 1);
}

std::optional<uint32_t> TraceBuilder::addLane(uint32_t process, const std::string& name,
                                              LaneKind kind) {
  if (m_lanes.size() >= m_limits.lanes) {
    addNote(TraceNote::Kind::OverLimit, "the lane " + name);
    return std::nullopt;
  }
  auto lane = std::make_unique<Lane>();
  lane->lane.name = name;
  lane->lane.kind = kind;
  lane->lane.process = process;
  m_lanes.push_back(std::move(lane));
  return static_cast<uint32_t>(m_lanes.size() - 1);
}

void TraceBuilder::setProcessName(uint32_t process, std::string name) {
  m_trace.processes[process].name = std::move(name);
}

void TraceBuilder::setLaneName(uint32_t lane, std::string name) {
  m_lanes[lane]->lane.name = std::move(name);
  m_lanes[lane]->taken = nullptr;
}

void TraceBuilder::setLaneKind(uint32_t lane, LaneKind kind) {
  if (m_lanes[lane]->lane.kind == kind) return;
  m_lanes[lane]->lane.kind = kind;
  m_lanes[lane]->taken = nullptr;
}

void TraceBuilder::setProcessPlace(uint32_t process, int64_t place) {
  m_processPlaces[process] = place;
}

void TraceBuilder::setLanePlace(uint32_t lane, int64_t place) { m_lanes[lane]->place = place; }

void TraceBuilder::include(int64_t begin, int64_t end) {
  m_trace.begin = m_isEmpty ? begin : std::min(m_trace.begin, begin);
  m_trace.end = m_isEmpty ? end : std::max(m_trace.end, end);
  m_isEmpty = false;
}

bool TraceBuilder::isInRange(int64_t time, uint32_t record) {
  if (-TraceEvent::kMaxTime <= time && time <= TraceEvent::kMaxTime) return true;
  addNote(TraceNote::Kind::OutOfRange, m_trace.texts[m_trace.records[record].name]);
  return false;
}

std::optional<TraceEvent> TraceBuilder::addEvent(uint32_t lane, int64_t begin, int64_t duration,
                                                 uint32_t record) {
  if (duration < 0 || duration > TraceEvent::kMaxDuration) {
    addNote(TraceNote::Kind::BadEvent, m_trace.texts[m_trace.records[record].name]);
    return std::nullopt;
  }
  if (!isInRange(begin, record) || !isInRange(begin + duration, record)) return std::nullopt;
  if (m_numEvents >= m_limits.events) {
    addNote(TraceNote::Kind::OverLimit, m_trace.texts[m_trace.records[record].name]);
    return std::nullopt;
  }
  ++m_numEvents;
  const TraceEvent event(begin, duration, record);
  m_lanes[lane]->layout.add(event);
  include(begin, begin + duration);
  return event;
}

void TraceBuilder::addMark(std::optional<uint32_t> lane, int64_t time, uint32_t record) {
  if (!isInRange(time, record)) return;
  if (m_numMarks >= m_limits.marks) {
    addNote(TraceNote::Kind::OverLimit, "a mark");
    return;
  }
  ++m_numMarks;
  SharedList<TraceMark>& marks = lane ? m_lanes[*lane]->lane.marks : m_trace.marks;
  marks.push_back({time, record});
  if (lane) m_lanes[*lane]->taken = nullptr;
  include(time, time);
}

void TraceBuilder::addSample(uint32_t process, const std::string& counter,
                             const std::string& series, int64_t time, double value) {
  if (!isInRange(time, 0)) return;
  const auto key = std::pair(process, counter + '\0' + series);
  auto known = m_counters.find(key);
  const bool isNew = known == m_counters.end();
  if (m_numSamples >= m_limits.samples || (isNew && m_counters.size() >= m_limits.counters)) {
    addNote(TraceNote::Kind::OverLimit, "the counter " + counter);
    return;
  }
  ++m_numSamples;
  if (isNew) {
    auto made = std::make_unique<TraceCounter>();
    made->process = process;
    made->name = counter;
    made->series = series;
    known = m_counters.emplace(key, std::move(made)).first;
  }
  known->second->samples.push_back({time, value});
  include(time, time);
}

void TraceBuilder::addLink(const TraceLink& link) {
  if (m_links.size() < m_limits.links)
    m_links.push_back(link);
  else
    addNote(TraceNote::Kind::OverLimit, "a link");
}

void TraceBuilder::addFlow(uint32_t fromLane, int64_t fromTime, uint32_t toLane, int64_t toTime) {
  if (m_flows.size() < m_limits.links)
    m_flows.push_back({fromLane, toLane, fromTime, toTime});
  else
    addNote(TraceNote::Kind::OverLimit, "a flow");
}

void TraceBuilder::addNote(TraceNote::Kind kind, std::string_view example, int64_t count) {
  const auto known = std::ranges::find(m_trace.notes, kind, &TraceNote::kind);
  if (known != m_trace.notes.end())
    known->count += count;
  else
    m_trace.notes.push_back({kind, count, excerpt(example, 120)});
}

void TraceBuilder::setRows(uint32_t lane, std::vector<TraceRow> rows) {
  for (const TraceRow& row : rows) {
    include(row.events[0].begin(), row.events.back().end());
    m_numEvents += row.events.size();
  }
  m_lanes[lane]->layout.setRows(std::move(rows));
  m_lanes[lane]->taken = nullptr;
}

/// Finds the event of a lane that a flow means.
std::optional<TraceEvent> TraceBuilder::eventForFlow(uint32_t lane, int64_t time,
                                                     bool mayFollow) const {
  const std::vector<TraceRow>& rows = m_trace.lanes[lane]->rows;
  std::optional<TraceEvent> found;
  for (const TraceRow& row : rows) {
    const size_t at = eventAt(row, time);
    if (at != kNoEvent) found = row.events[at];
  }
  if (found || !mayFollow || rows.empty()) return found;
  const SharedList<TraceEvent>& events = rows.front().events;
  const size_t next =
      events.partitionPoint([&](const TraceEvent& event) { return event.begin() < time; });
  if (next < events.size()) found = events[next];
  return found;
}

void TraceBuilder::finishLinks(const StopCheck& check) {
  std::vector<TraceLink>& links = m_trace.links = std::move(m_links);
  for (const Flow& flow : m_flows) {
    check.sometimes();
    const auto from = eventForFlow(flow.fromLane, flow.fromTime, false);
    const auto to = eventForFlow(flow.toLane, flow.toTime, true);
    if (from && to) links.push_back({flow.fromLane, flow.toLane, *from, *to});
  }
  m_flows = {};
  const auto source = [&](const TraceLink& link) {
    check.sometimes();
    return std::tuple(link.fromLane, link.from.begin(), link.from.duration(), link.toLane,
                      link.to.begin(), link.to.duration());
  };
  std::ranges::sort(links, {}, source);
  // The flows of a file repeat the correlations
  const auto same = std::ranges::unique(links, {}, source);
  links.erase(same.begin(), same.end());
  links.shrink_to_fit();
  m_trace.linksByTarget.resize(links.size());
  std::iota(m_trace.linksByTarget.begin(), m_trace.linksByTarget.end(), 0u);
  std::ranges::sort(m_trace.linksByTarget, {}, [&](uint32_t index) {
    check.sometimes();
    return std::tuple(links[index].toLane, links[index].to.begin(), index);
  });
}

TracePointer TraceBuilder::take(bool isLast, const StopCheck& check) {
  m_trace.lanes.clear();
  for (const auto& each : m_lanes) {
    Lane& lane = *each;
    const size_t dropped = lane.layout.numDropped();
    if (lane.layout.layOut(isLast, check)) lane.taken = nullptr;
    if (lane.layout.numDropped() > dropped)
      addNote(TraceNote::Kind::OverLimit, "events that are nested too deeply in " + lane.lane.name,
              static_cast<int64_t>(lane.layout.numDropped() - dropped));
    if (!lane.taken) {
      sortList(lane.lane.marks, &TraceMark::time);
      auto taken = std::make_shared<TraceLane>(lane.lane);
      taken->rows = lane.layout.rows();
      lane.taken = std::move(taken);
    }
    m_trace.lanes.push_back(lane.taken);
  }
  m_trace.counters.clear();
  for (auto& [key, counter] : m_counters) {
    sortList(counter->samples, &TraceCounter::Sample::time);
    m_trace.counters.push_back(std::make_shared<const TraceCounter>(*counter));
  }
  if (isLast) finishLinks(check);

  Trace trace = isLast ? std::move(m_trace) : m_trace;
  trace.isComplete = isLast;
  std::vector<uint32_t> order(m_lanes.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](uint32_t lane) { return m_lanes[lane]->place; });
  for (const uint32_t lane : order)
    trace.processes[m_lanes[lane]->lane.process].lanes.push_back(lane);
  trace.processOrder.resize(trace.processes.size());
  std::iota(trace.processOrder.begin(), trace.processOrder.end(), 0u);
  std::ranges::stable_sort(trace.processOrder, {},
                           [&](uint32_t process) { return m_processPlaces[process]; });
  sortList(trace.marks, &TraceMark::time);
  return std::make_shared<const Trace>(std::move(trace));
}

TracePointer TraceBuilder::snapshot() { return take(false, StopCheck({})); }

TracePointer TraceBuilder::finish(const std::stop_token& stop) {
  return take(true, StopCheck(stop));
}

}  // namespace strata
