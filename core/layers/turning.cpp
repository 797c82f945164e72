// SPDX-License-Identifier: Apache-2.0
#include "core/layers/turning.h"

#include <cmath>

namespace strata {

Turning::Turning(std::vector<double> rates)
    : m_rates(std::move(rates)),
      m_cosines(m_rates.size()),
      m_sines(m_rates.size()),
      m_stepCosines(m_rates.size()),
      m_stepSines(m_rates.size()) {
  for (size_t i = 0; i < m_rates.size(); ++i) {
    m_stepCosines[i] = std::cos(m_rates[i]);
    m_stepSines[i] = std::sin(m_rates[i]);
  }
  recompute();
}

void Turning::recompute() {
  for (size_t i = 0; i < m_rates.size(); ++i) {
    m_cosines[i] = std::cos(static_cast<double>(m_step) * m_rates[i]);
    m_sines[i] = std::sin(static_cast<double>(m_step) * m_rates[i]);
  }
}

void Turning::nextStep() {
  constexpr int64_t kExactEvery = 64;
  if (++m_step % kExactEvery == 0) return recompute();
  for (size_t i = 0; i < m_rates.size(); ++i) {
    const double cosine = m_cosines[i], sine = m_sines[i];
    m_cosines[i] = cosine * m_stepCosines[i] - sine * m_stepSines[i];
    m_sines[i] = sine * m_stepCosines[i] + cosine * m_stepSines[i];
  }
}

}  // namespace strata
