// SPDX-License-Identifier: GPL-3.0-or-later
// Computes the lines that connect the layers in a list. A lane connects a layer to the layers that
// read its output. Default inputs need no lane. Thread: any.
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

/// Returns the lanes in each row. `sources[row]` lists the rows that are inputs of the row.
/// `before[row]` is the row that is its default input, or -1.
std::vector<RowLanes> branchLanes(const std::vector<std::vector<int>>& sources,
                                  const std::vector<int>& before);

}  // namespace strata::ui

Q_DECLARE_METATYPE(strata::ui::RowLanes)
