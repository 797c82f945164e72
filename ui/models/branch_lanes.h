// SPDX-License-Identifier: GPL-3.0-or-later
// Lines from a layer to its readers where these are not simply the next row, as a list of rows
// shows them: each such layer has a lane from its own row to that of its last reader. Thread: any.
#pragma once

#include <QMetaType>
#include <vector>

namespace strata::ui {

/// What one row shows of each lane, as bits.
struct RowLanes {
  // Further ones are left out
  static constexpr int kMost = 8;
  // The line in the upper and the lower half of the row
  quint32 up = 0, down = 0;
  // From the layer of this row; to the layer of this row
  quint32 starts = 0, ends = 0;
  // Of lanes in the whole list
  int count = 0;
};

/// `sources[row]`: the rows that feed a row. `before[row]`: the row whose output it takes when
/// nothing is said, -1 none; this needs no line.
std::vector<RowLanes> branchLanes(const std::vector<std::vector<int>>& sources,
                                  const std::vector<int>& before);

}  // namespace strata::ui

Q_DECLARE_METATYPE(strata::ui::RowLanes)
