// SPDX-License-Identifier: Apache-2.0
// How often two classifiers are right on the same samples.
// Thread: the function is pure, so any thread may call it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace strata {

/// Positions of samples, in ascending order.
struct Agreement {
  std::vector<int64_t> both, onlyFirst, onlySecond, neither;
};

/// Divides the samples by who predicts their class: both classifiers, only one of them, or neither.
/// A sample with the class -1 does not count. Requires: the lists have the same length.
Agreement agreementOf(std::span<const int32_t> classes, std::span<const int32_t> first,
                      std::span<const int32_t> second);

}  // namespace strata
