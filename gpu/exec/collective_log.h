// SPDX-License-Identifier: Apache-2.0
// What the collectives of a run take: how often they ran, what they moved, and how long they took.
// Thread: each replica writes its own entries; read them while no replica runs.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/base/clock.h"

namespace strata {

/// A collective of a replica in all steps so far.
struct CollectiveTimes {
  int64_t calls = 0;
  // Of a call
  size_t bytes = 0;
  // Of all calls, and the part of it for which they waited for other replicas
  std::chrono::nanoseconds total{0}, waiting{0};
  // The last calls, with the time for which they waited for other replicas
  std::vector<std::chrono::nanoseconds> durations;
};

class CollectiveLog {
 public:
  explicit CollectiveLog(size_t replicas) : m_entries(replicas) {}
  /// Begins and ends a collective of a replica, which has waited `waits` in this step before.
  void begin(size_t replica, std::chrono::nanoseconds waits);
  void end(size_t replica, const char* op, int64_t number, size_t bytes,
           std::chrono::nanoseconds waits);
  /// Adds a collective that another thread has measured. `duration` includes `waiting`, the time of
  /// waiting for other replicas.
  void add(size_t replica, const char* op, int64_t number, size_t bytes,
           std::chrono::nanoseconds duration, std::chrono::nanoseconds waiting);
  /// Begins a step.
  void beginStep();
  /// Returns how long a replica was in collectives in this step without waiting for others.
  std::chrono::nanoseconds communicating(size_t replica) const {
    return m_entries[replica].communicating;
  }
  /// Returns how long a replica communicated while it computed in this step.
  std::chrono::nanoseconds hidden(size_t replica) const { return m_entries[replica].hidden; }
  /// Sets both times of a step.
  void setTimes(size_t replica, std::chrono::nanoseconds communicating,
                std::chrono::nanoseconds hidden) {
    m_entries[replica].communicating = communicating;
    m_entries[replica].hidden = hidden;
  }
  /// Returns the collectives of a replica by op and number.
  using Key = std::pair<std::string, int64_t>;
  const std::map<Key, CollectiveTimes>& of(size_t replica) const {
    return m_entries[replica].times;
  }

 private:
  struct Entries {
    std::map<Key, CollectiveTimes> times;
    Clock::time_point began;
    std::chrono::nanoseconds waits{0}, communicating{0}, hidden{0};
  };
  std::vector<Entries> m_entries;
};

}  // namespace strata
