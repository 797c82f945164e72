// SPDX-License-Identifier: Apache-2.0
// Puts the events of a lane, which arrive in any order, into rows. An event is in a row below the
// event that contains it. An event that overlaps another one without being nested in it is in
// another row, too. The rows depend only on the events, not on the calls that built them.
// Not here: what a lane is called (trace_builder.h).
// Thread: only one thread at a time may use an object.
#pragma once

#include <cstdint>
#include <vector>

#include "core/trace/stop_check.h"
#include "core/trace/trace.h"

namespace strata {

/// Requires: the event begins at or after the end of the row's last event.
void appendEvent(TraceRow& row, const TraceEvent& event);

class LaneLayout {
 public:
  // Events that are nested more deeply are counted, and not kept
  static constexpr size_t kMaxRows = 512;

  void add(const TraceEvent& event) { m_waiting.push_back(event); }
  /// Puts the waiting events into rows. Unless `isLast`, keeps them waiting if they begin so early
  /// that most rows would have to be made again: then a lane whose events arrive in reverse order
  /// takes quadratic time. Returns whether the rows changed. Fails: Stopped.
  bool layOut(bool isLast, const StopCheck& check);
  const std::vector<TraceRow>& rows() const { return m_rows; }
  /// Sets the rows of a lane without events, for a file that has them.
  void setRows(std::vector<TraceRow> rows);
  size_t numDropped() const { return m_numDropped; }

 private:
  std::vector<TraceEvent> takeAfter(const TraceEvent& first, const StopCheck& check);
  size_t numAfter(const TraceEvent& first) const;
  void append(const TraceEvent& event);

  std::vector<TraceEvent> m_waiting;
  std::vector<TraceRow> m_rows;
  // The end of the last event of each row
  std::vector<int64_t> m_ends;
  size_t m_numDropped = 0;
};

}  // namespace strata
