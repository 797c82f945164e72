// SPDX-License-Identifier: Apache-2.0
// Decodes samples that are not kept in memory for the next step, in other threads while the current
// step runs.
// Thread: one at a time; the destructor waits for work in progress.
#pragma once

#include <future>
#include <vector>

#include "core/data/dataset.h"

namespace strata {

class DecodeAhead {
 public:
  /// samples must outlive this object.
  explicit DecodeAhead(const Samples& samples) : m_samples(samples) {}
  /// The samples of these indices in this order, valid until the next call; starts decoding `next`.
  /// Fails: as Samples::decode.
  const Samples& take(std::vector<int32_t> indices, std::vector<int32_t> next);

 private:
  void begin(std::vector<int32_t> indices);
  const Samples& m_samples;
  Samples m_taken;
  std::vector<int32_t> m_begun;
  // Result for m_begun; the last member, so that its thread ends first
  std::future<Samples> m_result;
};

}  // namespace strata
