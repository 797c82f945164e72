// SPDX-License-Identifier: Apache-2.0
// "Did you mean": the candidate with the smallest edit distance. Thread: pure.
#pragma once

#include <span>
#include <string_view>

namespace strata {

/// The first nearest candidate; "" where there is none.
std::string_view nearestName(std::string_view wanted, std::span<const std::string_view> candidates);
/// Can the one be the other, mistyped: is a third of it wrong at most?
bool isNear(std::string_view wanted, std::string_view name);

}  // namespace strata
