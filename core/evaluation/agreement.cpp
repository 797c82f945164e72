// SPDX-License-Identifier: Apache-2.0
#include "core/evaluation/agreement.h"

#include "gpu/base/error.h"

namespace strata {

Agreement agreementOf(std::span<const int32_t> classes, std::span<const int32_t> first,
                      std::span<const int32_t> second) {
  require(first.size() == classes.size() && second.size() == classes.size(),
          "two classifiers have an answer for each sample");
  Agreement agreement;
  for (size_t i = 0; i < classes.size(); ++i) {
    if (classes[i] < 0) continue;
    const bool isFirst = first[i] == classes[i], isSecond = second[i] == classes[i];
    std::vector<int64_t>& one = isFirst ? agreement.onlyFirst : agreement.onlySecond;
    std::vector<int64_t>& same = isFirst ? agreement.both : agreement.neither;
    (isFirst == isSecond ? same : one).push_back(static_cast<int64_t>(i));
  }
  return agreement;
}

}  // namespace strata
