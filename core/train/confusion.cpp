// SPDX-License-Identifier: Apache-2.0
#include "core/train/confusion.h"

namespace strata {

ClassScores Confusion::scores(int64_t index) const {
  int64_t found = 0;
  ClassScores result;
  for (int64_t other = 0; other < classes; ++other) {
    found += at(other, index);
    result.samples += at(index, other);
  }
  const auto hits = static_cast<double>(at(index, index));
  if (found > 0) result.precision = hits / static_cast<double>(found);
  if (result.samples > 0) result.recall = hits / static_cast<double>(result.samples);
  if (found + result.samples > 0)
    result.f1 = 2 * hits / static_cast<double>(found + result.samples);
  return result;
}

Confusion confusionOf(std::span<const int32_t> truth, std::span<const int32_t> predicted,
                      int64_t classes) {
  Confusion result;
  result.classes = classes;
  result.counts.assign(static_cast<size_t>(classes * classes), 0);
  for (size_t i = 0; i < truth.size(); ++i)
    if (truth[i] >= 0 && truth[i] < classes && predicted[i] >= 0 && predicted[i] < classes)
      ++result.counts[static_cast<size_t>(truth[i] * classes + predicted[i])];
  return result;
}

}  // namespace strata
