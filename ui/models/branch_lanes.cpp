// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/branch_lanes.h"

#include <algorithm>
#include <array>

namespace strata::ui {

std::vector<RowLanes> branchLanes(const std::vector<std::vector<int>>& sources,
                                  const std::vector<int>& before) {
  const auto numRows = static_cast<int>(sources.size());
  std::vector<RowLanes> rows(sources.size());
  std::vector<std::vector<int>> readers(sources.size());
  for (int row = 0; row < numRows; ++row) {
    for (const int source : sources[static_cast<size_t>(row)]) {
      const bool isPlain = source == before[static_cast<size_t>(row)];
      if (source >= 0 && source < numRows && source != row && !isPlain)
        readers[static_cast<size_t>(source)].push_back(row);
    }
  }
  // The first row at which each lane is free.
  std::array<int, RowLanes::kMaxLanes> freeFrom{};
  int count = 0;
  for (int row = 0; row < numRows; ++row) {
    const std::vector<int>& own = readers[static_cast<size_t>(row)];
    if (own.empty()) continue;
    // A reader may be above its input, because the list need not be in order of use.
    const int first = std::min(row, *std::min_element(own.begin(), own.end()));
    const int last = std::max(row, *std::max_element(own.begin(), own.end()));
    const auto lane =
        std::find_if(freeFrom.begin(), freeFrom.end(), [&](int from) { return from <= first; });
    if (lane == freeFrom.end()) continue;
    *lane = last + 1;
    const auto place = static_cast<int>(lane - freeFrom.begin());
    const quint32 bit = 1U << place;
    count = std::max(count, place + 1);
    for (int at = first; at <= last; ++at) {
      if (at > first) rows[static_cast<size_t>(at)].up |= bit;
      if (at < last) rows[static_cast<size_t>(at)].down |= bit;
    }
    rows[static_cast<size_t>(row)].starts |= bit;
    for (const int reader : own)
      rows[static_cast<size_t>(reader)].ends |= bit;
  }
  for (RowLanes& row : rows)
    row.count = count;
  return rows;
}

}  // namespace strata::ui
