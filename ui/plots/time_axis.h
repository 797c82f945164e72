// SPDX-License-Identifier: GPL-3.0-or-later
// The labels of an axis of time, from hours to nanoseconds.
// Thread: any.
#pragma once

#include <QString>
#include <vector>

namespace strata::ui {

/// The marks of an axis. If the numbers would be long, they count from `base`.
struct TimeAxis {
  struct Mark {
    // In nanoseconds
    double time = 0;
    QString label;
  };
  std::vector<Mark> marks;
  QString base;
};
/// Returns marks at round times that are at least `minGap` apart. Requires: begin < end, minGap >
/// 0.
TimeAxis timeAxis(double begin, double end, double minGap);

/// Formats nanoseconds, for example "1.204 ms".
QString formatNanoseconds(int64_t nanoseconds);

}  // namespace strata::ui
