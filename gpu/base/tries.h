// SPDX-License-Identifier: Apache-2.0
// Repeated time measurements of one operation: its shortest and typical time, and how much other
// work on the machine disturbed them. Thread: a value.
#pragma once

#include <algorithm>
#include <vector>

namespace strata {

/// Times in seconds. Requires: at least one measurement, except for add().
class Tries {
 public:
  void add(double seconds) { m_seconds.push_back(seconds); }
  double shortest() const { return *std::min_element(m_seconds.begin(), m_seconds.end()); }
  /// The median, limited to what an otherwise idle machine would show.
  double typical() const {
    constexpr double kCalm = 1.3;
    return std::min(median(), kCalm * shortest());
  }
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
