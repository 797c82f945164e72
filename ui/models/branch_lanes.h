// SPDX-License-Identifier: GPL-3.0-or-later
// Computes the connection lines of a list of layers. A lane connects a layer to all its readers,
// unless its only reader is the next row. Thread: any.
#pragma once

#include <QMetaType>
#include <vector>

namespace strata::ui {

/// The lanes in one row. Each bit of a mask stands for one lane.
struct RowLanes {
  // Lanes beyond this number are not shown.
  static constexpr int kMaxLanes = 8;
  // Lanes with a line in the upper half and in the lower half of the row.
  quint32 up = 0, down = 0;
  // Lanes that start and lanes that end at the layer of this row.
  quint32 starts = 0, ends = 0;
  // The number of lanes in the whole list.
  int count = 0;
};

/// `sources[row]` lists the rows that feed a row. `before[row]` is the row that feeds it by
/// default, or -1. The default connection needs no line.
std::vector<RowLanes> branchLanes(const std::vector<std::vector<int>>& sources,
                                  const std::vector<int>& before);

}  // namespace strata::ui

Q_DECLARE_METATYPE(strata::ui::RowLanes)
