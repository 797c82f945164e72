// SPDX-License-Identifier: Apache-2.0
// The values that an activation can output. core/check judges the targets of the data by them.
// Thread: any thread may call the function.
#pragma once

#include <limits>
#include <string_view>

namespace strata {

struct ValueRange {
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
};

/// Returns the range of an activation with its default fields. Returns all numbers for an
/// activation that is not limited or not known.
ValueRange rangeOfActivation(std::string_view type);

}  // namespace strata
