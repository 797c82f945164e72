// SPDX-License-Identifier: Apache-2.0
#include "gpu/ops/shards.h"

#include <algorithm>

#include "gpu/base/thread_pool.h"

namespace strata {

std::vector<ShardRange> Shards::add(int64_t elements, bool isDivisible) {
  // Parts begin at whole cache lines
  constexpr int64_t kGrain = 16;
  std::vector<ShardRange> ranges(m_loads.size());
  if (!isDivisible || elements < kGrain * m_replicas) {
    const auto owner = std::ranges::min_element(m_loads);
    ranges[static_cast<size_t>(owner - m_loads.begin())].count = elements;
    *owner += elements;
    return ranges;
  }
  for (size_t rank = 0; rank < ranges.size(); ++rank) {
    const WorkRange part = shareOf(elements, static_cast<int>(rank), m_replicas, kGrain);
    ranges[rank] = {part.begin, part.end - part.begin};
    m_loads[rank] += ranges[rank].count;
  }
  return ranges;
}

}  // namespace strata
