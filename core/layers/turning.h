// SPDX-License-Identifier: Apache-2.0
// Computes cosines and sines of angles that grow with the step, for position encodings.
// Not here: the layers that use them.
// Thread: only one thread at a time may use an object.
#pragma once

#include <cstdint>
#include <vector>

namespace strata {

/// Computes the cosines and sines of step * rate for the steps 0, 1, 2, ... in double precision.
/// Rotates the values of the previous step, and calls cos and sin only at every 64th step. Each
/// edit of a network recomputes the tables, so calling cos and sin for every value would be too
/// slow.
class Turning {
 public:
  /// `rates` are in radians per step.
  explicit Turning(std::vector<double> rates);
  void nextStep();
  const std::vector<double>& cosines() const { return m_cosines; }
  const std::vector<double>& sines() const { return m_sines; }

 private:
  void recompute();

  const std::vector<double> m_rates;
  // Cosines and sines of m_step * m_rates[i]
  std::vector<double> m_cosines, m_sines;
  std::vector<double> m_stepCosines, m_stepSines;
  int64_t m_step = 0;
};

}  // namespace strata
