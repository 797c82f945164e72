// SPDX-License-Identifier: Apache-2.0
// "Did you mean": finds the name that a misspelled one most probably stands for. Thread: pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

/// The nearest candidate, or "". A candidate is near if at most a third of the name's letters are
/// wrong, if it contains the name, or if the name leaves letters out ("MaxPool2D" for
/// MaxPooling2D). Case is ignored.
std::string_view nearestName(std::string_view name, std::span<const std::string_view> candidates);
std::string nearestName(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace strata
