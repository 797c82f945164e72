// SPDX-License-Identifier: Apache-2.0
// Questions of a view of a trace: what each pixel of a row shows, which event is at a time, which
// one is linked with it, and how long the events of a range took in total.
// Not here: drawing (ui/plots/timeline_view.h).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/trace/trace.h"

namespace strata {

constexpr size_t kNoEvent = std::numeric_limits<size_t>::max();

/// Sets each element of `columns` to the index of the event that covers most of its time, or to
/// kNoColumn. Column k is the time from `begin + k * step` to `begin + (k + 1) * step`. The first
/// event wins if several cover the same. An event without duration is shown if no other one is.
/// Takes time for the columns and for a fraction of the events in them. Requires: step > 0.
constexpr uint32_t kNoColumn = std::numeric_limits<uint32_t>::max();
void fillColumns(const TraceRow& row, double begin, double step, std::span<uint32_t> columns);

/// Returns the index of the event at a time, or kNoEvent. An event does not contain its end, unless
/// it has no duration.
size_t eventAt(const TraceRow& row, int64_t time);
/// Returns the index of the event that is nearest to a time, or kNoEvent if there are none.
size_t nearestEvent(const TraceRow& row, int64_t time);
/// Returns the index of an event in its row, or kNoEvent.
size_t findEvent(const TraceRow& row, const TraceEvent& event);

/// Where an event is.
struct EventPlace {
  uint32_t lane = 0;
  uint32_t row = 0;
  size_t index = 0;
  bool operator==(const EventPlace&) const = default;
};
const TraceEvent& eventOf(const Trace& trace, const EventPlace& place);
/// Returns the events that launched an event, or that it launched; at most `most` of them.
std::vector<EventPlace> linkedEvents(const Trace& trace, const EventPlace& place, size_t most);

/// The events of one name, as far as they are in a range of time.
struct NameSum {
  // Index in Trace::texts
  uint32_t name = 0;
  int64_t count = 0, total = 0, min = 0, max = 0;
  double mean() const { return static_cast<double>(total) / static_cast<double>(count); }
};
/// Adds up the events of some lanes by name, longest total first. Of an event that begins before
/// the range or ends after it, only the part in the range counts.
std::vector<NameSum> sumByName(const Trace& trace, std::span<const uint32_t> lanes, int64_t begin,
                               int64_t end);

}  // namespace strata
