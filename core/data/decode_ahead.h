// SPDX-License-Identifier: Apache-2.0
// Samples that are not kept in memory, decoded by other threads while the step before runs. Thread:
// one at a time; what is begun ends with this.
#pragma once

#include <future>
#include <vector>

#include "core/data/dataset.h"

namespace strata {

class DecodeAhead {
 public:
  /// samples: outlive this.
  explicit DecodeAhead(const Samples& samples) : m_samples(samples) {}
  /// The samples of these indices in this order, until the next call; `next` are begun. Fails: as
  /// Samples::decode.
  const Samples& take(std::vector<int32_t> indices, std::vector<int32_t> next);

 private:
  void begin(std::vector<int32_t> indices);
  const Samples& m_samples;
  Samples m_taken;
  std::vector<int32_t> m_begun;
  // Of m_begun; last: its thread ends first
  std::future<Samples> m_result;
};

}  // namespace strata
