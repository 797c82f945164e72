// SPDX-License-Identifier: Apache-2.0
// "Did you mean": the candidate that a name is most probably a misspelling of. Thread: pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

/// "" where none is near. A candidate is near when at most a third of the name is wrong, when the
/// name is a part of it, or when the name leaves letters out ("MaxPool2D" for MaxPooling2D). Case
/// does not count.
std::string_view nearestName(std::string_view name, std::span<const std::string_view> candidates);
std::string nearestName(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace strata
