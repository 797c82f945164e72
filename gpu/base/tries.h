// SPDX-License-Identifier: Apache-2.0
// Collects repeated time measurements of one operation. Computes their minimum and a typical time,
// and how much other work on the machine disturbed the measurements. Thread: one thread per object.
#pragma once

#include <algorithm>
#include <vector>

namespace strata {

/// Measured times of one operation, in seconds.
/// Requires: add() was called before any other function.
class Tries {
 public:
  void add(double seconds) { m_seconds.push_back(seconds); }
  double shortest() const { return *std::min_element(m_seconds.begin(), m_seconds.end()); }
  /// Returns the median, but at most 1.3 times the shortest time. A larger median means that other
  /// work on the machine disturbed the measurements.
  double typical() const {
    constexpr double kCalm = 1.3;
    return std::min(median(), kCalm * shortest());
  }
  /// Returns the median divided by the shortest time. It is near 1 on an idle machine.
  double disturbance() const { return median() / shortest(); }

 private:
  double median() const {
    std::vector<double> sorted = m_seconds;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    return *middle;
  }
  std::vector<double> m_seconds;
};

}  // namespace strata
