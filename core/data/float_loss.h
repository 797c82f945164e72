// SPDX-License-Identifier: Apache-2.0
// Judges whether numbers lose the digits that distinguish them when they become 32-bit
// floating-point numbers, as timestamps do.
// Thread: a value type without shared state.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace strata {

class FloatLoss {
 public:
  void add(double value) {
    if (m_count++ == 0) m_first = value;
    // Differences from the first value keep the digits of the statistics.
    const double difference = value - m_first;
    m_sum += difference;
    m_squares += difference * difference;
    m_lowest = std::min(m_lowest, difference);
    m_highest = std::max(m_highest, difference);
    m_error = std::max(m_error, std::abs(value - static_cast<double>(static_cast<float>(value))));
  }

  /// Whether the largest rounding error is more than 1/8192 of the standard deviation. It is never
  /// so for a constant.
  bool losesDigits() const {
    constexpr double kMaxErrorOfDeviation = 1.0 / 8192;
    if (m_count == 0 || m_lowest == m_highest) return false;
    const auto count = static_cast<double>(m_count);
    const double mean = m_sum / count,
                 deviation = std::sqrt(std::max(0.0, m_squares / count - mean * mean));
    return m_error > kMaxErrorOfDeviation * deviation;
  }
  /// Two of the different values, as an example.
  double lowest() const { return m_first + m_lowest; }
  double highest() const { return m_first + m_highest; }

 private:
  size_t m_count = 0;
  double m_first = 0, m_sum = 0, m_squares = 0, m_error = 0;
  // Limits of the differences from the first value
  double m_lowest = 0, m_highest = 0;
};

}  // namespace strata
