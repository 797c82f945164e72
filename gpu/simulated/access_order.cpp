// SPDX-License-Identifier: Apache-2.0
#include "gpu/simulated/access_order.h"

#include <algorithm>

namespace strata::simulated {

int64_t Clock::advance(int stream) {
  const auto i = static_cast<size_t>(stream);
  if (m_counts.size() <= i) m_counts.resize(i + 1, 0);
  return ++m_counts[i];
}

void Clock::join(const Clock& other) {
  if (m_counts.size() < other.m_counts.size()) m_counts.resize(other.m_counts.size(), 0);
  for (size_t i = 0; i < other.m_counts.size(); ++i)
    m_counts[i] = std::max(m_counts[i], other.m_counts[i]);
}

void AccessOrder::split(uint64_t at) {
  auto part = m_parts.upper_bound(at);
  if (part == m_parts.begin()) return;
  --part;
  if (part->first == at || part->second.end <= at) return;
  Part right = part->second;
  part->second.end = at;
  m_parts.emplace(at, std::move(right));
}

void AccessOrder::forget(uint64_t begin, size_t bytes) {
  split(begin);
  split(begin + bytes);
  m_parts.erase(m_parts.lower_bound(begin), m_parts.lower_bound(begin + bytes));
}

std::string AccessOrder::add(int stream, const Clock& clock, const std::vector<AccessRange>& ranges,
                             const std::string& what) {
  std::string conflict;
  const int64_t number = clock.of(stream);
  const auto check = [&](const Access& earlier, const char* verb, const char* earlierVerb) {
    if (earlier.stream < 0 || clock.of(earlier.stream) >= earlier.number || !conflict.empty())
      return;
    conflict = what + " " + verb + " bytes that " + earlier.what + " " + earlierVerb +
               " on another stream, and nothing orders the two";
  };
  for (const AccessRange& range : ranges) {
    if (range.bytes == 0) continue;
    const uint64_t end = range.begin + range.bytes;
    split(range.begin);
    split(end);
    for (uint64_t at = range.begin; at < end;) {
      auto part = m_parts.lower_bound(at);
      if (part == m_parts.end() || part->first != at) {
        const uint64_t next = part == m_parts.end() ? end : std::min(end, part->first);
        part = m_parts.emplace_hint(part, at, Part{next, {}, {}});
      }
      Part& accessed = part->second;
      check(accessed.writer, range.isWritten ? "writes" : "reads", "writes");
      if (range.isWritten) {
        for (const Access& reader : accessed.readers)
          check(reader, "writes", "reads");
        accessed.readers.clear();
        accessed.writer = {stream, number, what};
      }
      else {
        // One reader per stream is enough, because a stream runs in order
        const auto own = std::ranges::find(accessed.readers, stream, &Access::stream);
        if (own == accessed.readers.end())
          accessed.readers.push_back({stream, number, what});
        else
          own->number = number;
      }
      at = accessed.end;
    }
  }
  return conflict;
}

}  // namespace strata::simulated
