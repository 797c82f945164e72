// SPDX-License-Identifier: Apache-2.0
#include "core/trace/trace_query.h"

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

/// Returns the first event that is not completely before a time.
size_t firstFrom(const TraceRow& row, double time) {
  return row.events.partitionPoint([&](const TraceEvent& event) {
    const auto end = static_cast<double>(event.end());
    return end < time || (end <= time && static_cast<double>(event.begin()) < time);
  });
}

/// Goes through the events of a row, column by column.
class ColumnFiller {
 public:
  ColumnFiller(const TraceRow& row, double begin) : m_row(row), m_next(firstFrom(row, begin)) {}
  /// Returns the event that covers most of a column. Requires: the columns are asked in order.
  uint32_t next(double begin, double end);
  bool isAtEnd() const { return m_next >= m_row.events.size(); }
  const TraceEvent& event() const { return m_row.events[m_next]; }

 private:
  bool skipBlock(double begin, double end);
  void offer(size_t index, double covered) {
    if (covered <= m_most) return;
    m_most = covered;
    m_best = static_cast<uint32_t>(index);
  }
  const TraceRow& m_row;
  size_t m_next;
  double m_most = -1;
  uint32_t m_best = kNoColumn;
};

/// Offers the longest event of the next block, if all of the block is in the column.
bool ColumnFiller::skipBlock(double begin, double end) {
  const size_t block = m_next / TraceRow::kBlock;
  if (m_next % TraceRow::kBlock != 0 || block >= m_row.longest.size()) return false;
  const std::span<const TraceEvent> events = m_row.events.from(m_next);
  if (static_cast<double>(events[TraceRow::kBlock - 1].end()) > end ||
      static_cast<double>(events[0].begin()) < begin)
    return false;
  const size_t longest = m_row.longest[block];
  offer(m_next + longest, static_cast<double>(events[longest].duration()));
  m_next += TraceRow::kBlock;
  return true;
}

uint32_t ColumnFiller::next(double begin, double end) {
  m_most = -1;
  m_best = kNoColumn;
  while (!isAtEnd()) {
    const TraceEvent& each = event();
    const auto from = static_cast<double>(each.begin());
    if (from >= end) break;
    if (skipBlock(begin, end)) continue;
    const auto to = static_cast<double>(each.end());
    offer(m_next, std::min(to, end) - std::max(from, begin));
    if (to > end) break;
    ++m_next;
  }
  return m_best;
}

}  // namespace

void fillColumns(const TraceRow& row, double begin, double step, std::span<uint32_t> columns) {
  ColumnFiller filler(row, begin);
  const auto edge = [&](size_t column) {
    return begin + static_cast<double>(column) * step;
  };
  size_t column = 0;
  while (column < columns.size()) {
    if (filler.isAtEnd()) {
      std::ranges::fill(columns.subspan(column), kNoColumn);
      return;
    }
    columns[column] = filler.next(edge(column), edge(column + 1));
    ++column;
  }
}

size_t eventAt(const TraceRow& row, int64_t time) {
  const size_t after =
      row.events.partitionPoint([&](const TraceEvent& event) { return event.begin() <= time; });
  if (after == 0) return kNoEvent;
  const TraceEvent& event = row.events[after - 1];
  return event.end() > time || event.begin() == time ? after - 1 : kNoEvent;
}

size_t nearestEvent(const TraceRow& row, int64_t time) {
  if (row.events.empty()) return kNoEvent;
  const size_t after =
      row.events.partitionPoint([&](const TraceEvent& event) { return event.begin() <= time; });
  if (after == 0) return 0;
  if (after == row.events.size()) return after - 1;
  const int64_t before = std::max<int64_t>(0, time - row.events[after - 1].end());
  return row.events[after].begin() - time < before ? after : after - 1;
}

size_t findEvent(const TraceRow& row, const TraceEvent& event) {
  size_t at = row.events.partitionPoint(
      [&](const TraceEvent& each) { return each.begin() < event.begin(); });
  for (; at < row.events.size() && row.events[at].begin() == event.begin(); ++at)
    if (row.events[at] == event) return at;
  return kNoEvent;
}

const TraceEvent& eventOf(const Trace& trace, const EventPlace& place) {
  return trace.lanes[place.lane]->rows[place.row].events[place.index];
}

static void addPlace(const Trace& trace, uint32_t lane, const TraceEvent& event,
                     std::vector<EventPlace>& places) {
  const std::vector<TraceRow>& rows = trace.lanes[lane]->rows;
  for (uint32_t row = 0; row < rows.size(); ++row) {
    const size_t index = findEvent(rows[row], event);
    if (index == kNoEvent) continue;
    places.push_back({lane, row, index});
    return;
  }
}

std::vector<EventPlace> linkedEvents(const Trace& trace, const EventPlace& place, size_t most) {
  const TraceEvent event = eventOf(trace, place);
  const std::pair key(place.lane, event.begin());
  std::vector<EventPlace> places;
  const auto fromKey = [](const TraceLink& link) {
    return std::pair(link.fromLane, link.from.begin());
  };
  for (auto each = std::ranges::lower_bound(trace.links, key, {}, fromKey);
       each != trace.links.end() && fromKey(*each) == key && places.size() < most; ++each)
    if (each->from == event) addPlace(trace, each->toLane, each->to, places);
  const auto toKey = [&](uint32_t index) {
    const TraceLink& link = trace.links[index];
    return std::pair(link.toLane, link.to.begin());
  };
  for (auto each = std::ranges::lower_bound(trace.linksByTarget, key, {}, toKey);
       each != trace.linksByTarget.end() && toKey(*each) == key && places.size() < most; ++each)
    if (const TraceLink& link = trace.links[*each]; link.to == event)
      addPlace(trace, link.fromLane, link.from, places);
  return places;
}

std::vector<NameSum> sumByName(const Trace& trace, std::span<const uint32_t> lanes, int64_t begin,
                               int64_t end) {
  // By record first, because looking up the name of each event takes longer
  std::vector<NameSum> byRecord(trace.records.size());
  const auto add = [](NameSum& sum, const NameSum& more) {
    sum.min = sum.count > 0 ? std::min(sum.min, more.min) : more.min;
    sum.max = std::max(sum.max, more.max);
    sum.count += more.count;
    sum.total += more.total;
  };
  for (const uint32_t lane : lanes)
    for (const TraceRow& row : trace.lanes[lane]->rows) {
      size_t at = firstFrom(row, static_cast<double>(begin));
      for (bool isInside = begin < end; isInside && at < row.events.size();) {
        const std::span<const TraceEvent> piece = row.events.from(at);
        for (const TraceEvent& event : piece) {
          isInside = event.begin() < end;
          if (!isInside) break;
          const int64_t time = std::min(event.end(), end) - std::max(event.begin(), begin);
          add(byRecord[event.record()], {0, 1, time, time, time});
        }
        at += piece.size();
      }
    }
  std::vector<NameSum> byName(trace.texts.size());
  for (uint32_t record = 0; record < byRecord.size(); ++record)
    if (byRecord[record].count > 0) add(byName[trace.records[record].name], byRecord[record]);
  std::vector<NameSum> sums;
  for (uint32_t name = 0; name < byName.size(); ++name)
    if (byName[name].count > 0) {
      sums.push_back(byName[name]);
      sums.back().name = name;
    }
  std::ranges::stable_sort(sums, std::ranges::greater(), &NameSum::total);
  return sums;
}

}  // namespace strata
