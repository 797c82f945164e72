// SPDX-License-Identifier: Apache-2.0
// What a classifier takes for what: counts of each class by the class it was given, and what
// follows for each class. Thread: pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace strata {

struct ClassScores {
  // 0 where nothing was found, or nothing was there
  double precision = 0, recall = 0, f1 = 0;
  // Of this class
  int64_t samples = 0;
};

struct Confusion {
  int64_t classes = 0;
  // [true class, predicted class]
  std::vector<int64_t> counts;
  int64_t at(int64_t truth, int64_t predicted) const {
    return counts[static_cast<size_t>(truth * classes + predicted)];
  }
  ClassScores scores(int64_t index) const;
};

/// Samples with a class outside 0..classes-1 are left out. Requires: as many of one as of the
/// other.
Confusion confusionOf(std::span<const int32_t> truth, std::span<const int32_t> predicted,
                      int64_t classes);

}  // namespace strata
