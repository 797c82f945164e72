// SPDX-License-Identifier: Apache-2.0
#include "core/trace/lane_layout.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace strata {

namespace {

/// Outer events come first.
bool comesBefore(const TraceEvent& a, const TraceEvent& b) {
  return a.begin() != b.begin() ? a.begin() < b.begin() : a.duration() > b.duration();
}

using Events = std::vector<TraceEvent>;

void sortEvents(Events& events, const StopCheck& check) {
  if (std::ranges::is_sorted(events, comesBefore)) return;
  std::ranges::stable_sort(events, [&](const TraceEvent& a, const TraceEvent& b) {
    check.sometimes();
    return comesBefore(a, b);
  });
}

Events merged(const Events& a, const Events& b) {
  Events result;
  result.reserve(a.size() + b.size());
  std::ranges::merge(a, b, std::back_inserter(result), comesBefore);
  return result;
}

}  // namespace

void appendEvent(TraceRow& row, const TraceEvent& event) {
  row.events.push_back(event);
  const size_t size = row.events.size();
  if (size % TraceRow::kBlock != 0) return;
  const auto block = row.events.from(size - TraceRow::kBlock).first(TraceRow::kBlock);
  const auto longest = std::ranges::max_element(block, {}, &TraceEvent::duration);
  row.longest.push_back(static_cast<uint8_t>(longest - block.begin()));
}

void LaneLayout::append(const TraceEvent& event) {
  const int64_t begin = event.begin();
  const int64_t end = event.end();
  // The row below the innermost event that contains this one
  size_t row = m_rows.size();
  while (row > 0 && (m_ends[row - 1] <= begin || m_ends[row - 1] < end))
    --row;
  while (row < m_rows.size() && m_ends[row] > begin)
    ++row;
  if (row >= kMaxRows) {
    ++m_numDropped;
    return;
  }
  if (row == m_rows.size()) {
    m_rows.emplace_back();
    m_ends.push_back(std::numeric_limits<int64_t>::min());
  }
  appendEvent(m_rows[row], event);
  m_ends[row] = end;
}

size_t LaneLayout::numAfter(const TraceEvent& first) const {
  size_t count = 0;
  for (const TraceRow& row : m_rows)
    count += row.events.size() - row.events.partitionPoint([&](const TraceEvent& event) {
      return !comesBefore(first, event);
    });
  return count;
}

/// Removes the events that come after `first` from the rows, and returns them in order.
Events LaneLayout::takeAfter(const TraceEvent& first, const StopCheck& check) {
  std::vector<Events> lists;
  for (size_t i = 0; i < m_rows.size(); ++i) {
    auto& [events, longest] = m_rows[i];
    const size_t kept =
        events.partitionPoint([&](const TraceEvent& event) { return !comesBefore(first, event); });
    Events& list = lists.emplace_back();
    list.reserve(events.size() - kept);
    for (size_t k = kept; k < events.size(); ++k)
      list.push_back(events[k]);
    events.truncate(kept);
    longest.truncate(kept / TraceRow::kBlock);
    m_ends[i] = kept > 0 ? events.back().end() : std::numeric_limits<int64_t>::min();
  }
  while (lists.size() > 1) {
    std::vector<Events> next;
    for (size_t i = 0; i < lists.size(); i += 2) {
      check.now();
      next.push_back(i + 1 < lists.size() ? merged(lists[i], lists[i + 1]) : std::move(lists[i]));
    }
    lists = std::move(next);
  }
  return lists.empty() ? Events() : std::move(lists.front());
}

void LaneLayout::setRows(std::vector<TraceRow> rows) {
  m_rows = std::move(rows);
  m_ends.clear();
  for (const TraceRow& row : m_rows)
    m_ends.push_back(row.events.back().end());
}

bool LaneLayout::layOut(bool isLast, const StopCheck& check) {
  if (m_waiting.empty()) return false;
  sortEvents(m_waiting, check);
  // Work on this many events is always allowed
  constexpr size_t kFree = 4096;
  const size_t moved = numAfter(m_waiting.front());
  if (!isLast && moved > std::max(kFree, 2 * m_waiting.size())) return false;
  if (moved > 0) m_waiting = merged(takeAfter(m_waiting.front(), check), m_waiting);
  check.now();
  for (const TraceEvent& event : m_waiting) {
    check.sometimes();
    append(event);
  }
  m_waiting = {};
  // Rows that became empty can only be the last ones
  while (!m_rows.empty() && m_rows.back().events.empty()) {
    m_rows.pop_back();
    m_ends.pop_back();
  }
  return true;
}

}  // namespace strata
