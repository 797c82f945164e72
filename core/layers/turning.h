// SPDX-License-Identifier: Apache-2.0
// Cosines and sines of angles that grow with the step, for tables of positions. Thread: as any
// value.
#pragma once

#include <cstdint>
#include <vector>

namespace strata {

/// Of steps 0, 1, 2, ...: turned on from step to step and made anew every 64, in double. A network
/// that is edited has such tables made at each edit, and the functions themselves would take
/// seconds.
class Turning {
 public:
  /// rates: radians a step.
  explicit Turning(std::vector<double> rates);
  void nextStep();
  const std::vector<double>& cosines() const { return m_cosines; }
  const std::vector<double>& sines() const { return m_sines; }

 private:
  void makeAnew();

  const std::vector<double> m_rates;
  // Of m_step * m_rates[i]
  std::vector<double> m_cosines, m_sines;
  std::vector<double> m_stepCosines, m_stepSines;
  int64_t m_step = 0;
};

}  // namespace strata
