// SPDX-License-Identifier: Apache-2.0
// Finds accesses to the same bytes that no wait orders, from vector clocks (Lamport; Fidge,
// "Partial orders for parallel debugging", 1988). Each stream counts its commands; a clock says how
// many commands of each stream happened before.
// Thread: only one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace strata::simulated {

struct AccessRange {
  uint64_t begin = 0;
  size_t bytes = 0;
  bool isWritten = false;
};

class Clock {
 public:
  int64_t of(int stream) const {
    const auto i = static_cast<size_t>(stream);
    return i < m_counts.size() ? m_counts[i] : 0;
  }
  int64_t advance(int stream);
  void join(const Clock& other);

 private:
  std::vector<int64_t> m_counts;
};

class AccessOrder {
 public:
  /// Notes the accesses of a command. `clock` includes the command, which is the one with this
  /// number in its stream. Returns an empty text, or describes a conflict.
  std::string add(int stream, const Clock& clock, const std::vector<AccessRange>& ranges,
                  const std::string& what);
  void forget(uint64_t begin, size_t bytes);

 private:
  struct Access {
    int stream = -1;
    int64_t number = 0;
    std::string what;
  };
  struct Part {
    uint64_t end = 0;
    Access writer;
    std::vector<Access> readers;
  };
  void split(uint64_t at);
  // By first byte; parts do not overlap
  std::map<uint64_t, Part> m_parts;
};

}  // namespace strata::simulated
