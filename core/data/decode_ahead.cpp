// SPDX-License-Identifier: Apache-2.0
#include "core/data/decode_ahead.h"

namespace strata {

void DecodeAhead::begin(std::vector<int32_t> indices) {
  // The running task still reads m_begun.
  if (m_result.valid()) m_result.wait();
  m_begun = std::move(indices);
  m_result = std::async(std::launch::async, [this] { return samplesInMemory(m_samples, m_begun); });
}

const Samples& DecodeAhead::take(std::vector<int32_t> indices, std::vector<int32_t> next) {
  if (!m_result.valid() || m_begun != indices) begin(std::move(indices));
  m_taken = m_result.get();
  if (!next.empty()) begin(std::move(next));
  return m_taken;
}

}  // namespace strata
