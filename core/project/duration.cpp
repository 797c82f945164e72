// SPDX-License-Identifier: Apache-2.0
#include "core/project/duration.h"

#include <cmath>
#include <cstdint>

namespace strata {

std::string durationText(double seconds) {
  const auto whole = static_cast<int64_t>(std::llround(seconds));
  const auto two = [](int64_t v) {
    return (v < 10 ? "0" : "") + std::to_string(v);
  };
  if (whole >= 3600)
    return std::to_string(whole / 3600) + ":" + two(whole / 60 % 60) + ":" + two(whole % 60);
  return std::to_string(whole / 60) + ":" + two(whole % 60);
}

}  // namespace strata
