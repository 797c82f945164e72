// SPDX-License-Identifier: Apache-2.0
// The speed of a run. Thread: a value.
#pragma once

#include <cmath>

namespace strata {

/// Measures samples per second over about the last second of training.
class RateMeter {
 public:
  void add(double samples, double seconds) {
    const double decay = std::exp(-seconds);
    m_samples = m_samples * decay + samples;
    m_seconds = m_seconds * decay + seconds;
  }
  double perSecond() const { return m_seconds > 0 ? m_samples / m_seconds : 0; }

 private:
  double m_samples = 0, m_seconds = 0;
};

}  // namespace strata
