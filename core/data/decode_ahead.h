// SPDX-License-Identifier: Apache-2.0
// Decodes samples that are not kept in memory. The samples of the next step are decoded on other
// threads while the current step runs.
// Thread: only one thread at a time may use an object. The destructor waits for running work.
#pragma once

#include <future>
#include <vector>

#include "core/data/dataset.h"

namespace strata {

class DecodeAhead {
 public:
  /// `samples` must outlive this object.
  explicit DecodeAhead(const Samples& samples) : m_samples(samples) {}
  /// Returns the samples with these indices in this order, and starts decoding the samples with the
  /// indices `next`. The result is valid until the next call. Fails with the errors of
  /// Samples::decode.
  const Samples& take(std::vector<int32_t> indices, std::vector<int32_t> next);

 private:
  void begin(std::vector<int32_t> indices);
  const Samples& m_samples;
  Samples m_taken;
  std::vector<int32_t> m_begun;
  // The result for m_begun. It is the last member, so that its thread ends before other members are
  // destroyed.
  std::future<Samples> m_result;
};

}  // namespace strata
