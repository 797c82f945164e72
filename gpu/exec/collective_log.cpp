// SPDX-License-Identifier: Apache-2.0
#include "gpu/exec/collective_log.h"

namespace strata {

// How many durations a median is of
static constexpr size_t kDurations = 256;

void CollectiveLog::beginStep() {
  for (Entries& each : m_entries)
    each.communicating = each.hidden = {};
}

void CollectiveLog::begin(size_t replica, std::chrono::nanoseconds waits) {
  m_entries[replica].began = Clock::now();
  m_entries[replica].waits = waits;
}

void CollectiveLog::end(size_t replica, const char* op, int64_t number, size_t bytes,
                        std::chrono::nanoseconds waits) {
  Entries& own = m_entries[replica];
  const std::chrono::nanoseconds duration = Clock::now() - own.began;
  own.communicating += duration - (waits - own.waits);
  add(replica, op, number, bytes, duration, waits - own.waits);
}

void CollectiveLog::add(size_t replica, const char* op, int64_t number, size_t bytes,
                        std::chrono::nanoseconds duration, std::chrono::nanoseconds waiting) {
  const auto [found, isNew] = m_entries[replica].times.try_emplace({op, number});
  CollectiveTimes& times = found->second;
  if (isNew) times.durations.reserve(kDurations);
  times.bytes = bytes;
  times.total += duration;
  times.waiting += waiting;
  if (times.durations.size() < kDurations)
    times.durations.push_back(duration);
  else
    times.durations[static_cast<size_t>(times.calls) % kDurations] = duration;
  ++times.calls;
}

}  // namespace strata
