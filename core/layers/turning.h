// SPDX-License-Identifier: Apache-2.0
// Cosines and sines of angles that grow with the step, for tables of positions. Thread: a value.
#pragma once

#include <cstdint>
#include <vector>

namespace strata {

/// Computes steps 0, 1, 2, ... by rotation in double precision, and exactly every 64 steps. The
/// tables are recomputed at each edit of a network, so calling cos and sin for each value would be
/// too slow.
class Turning {
 public:
  /// rates: radians per step.
  explicit Turning(std::vector<double> rates);
  void nextStep();
  const std::vector<double>& cosines() const { return m_cosines; }
  const std::vector<double>& sines() const { return m_sines; }

 private:
  void recompute();

  const std::vector<double> m_rates;
  // Cosine and sine of m_step * m_rates[i]
  std::vector<double> m_cosines, m_sines;
  std::vector<double> m_stepCosines, m_stepSines;
  int64_t m_step = 0;
};

}  // namespace strata
