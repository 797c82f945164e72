// SPDX-License-Identifier: GPL-3.0-or-later
// Connection lines for a list of layers: a layer whose readers are not just the next row gets a
// lane from its row to that of its last reader. Thread: any.
#pragma once

#include <QMetaType>
#include <vector>

namespace strata::ui {

/// The lanes in one row, as bits
struct RowLanes {
  // Further lanes are not shown.
  static constexpr int kMaxLanes = 8;
  // Lines in the upper and the lower half of the row
  quint32 up = 0, down = 0;
  // Lanes that start or end at the layer of this row
  quint32 starts = 0, ends = 0;
  // Number of lanes in the whole list
  int count = 0;
};

/// `sources[row]`: the rows that feed a row. `before[row]`: the row that feeds it by default, or
/// -1; this connection needs no line.
std::vector<RowLanes> branchLanes(const std::vector<std::vector<int>>& sources,
                                  const std::vector<int>& before);

}  // namespace strata::ui

Q_DECLARE_METATYPE(strata::ui::RowLanes)
