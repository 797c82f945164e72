// SPDX-License-Identifier: Apache-2.0
// Suggests the correct name for a misspelled one ("Did you mean ...?"). Thread: any.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

/// Returns the candidate that `name` probably means, or "" if no candidate is similar. Case is
/// ignored. The function returns the first of these candidates that exists:
/// - the candidate with the fewest wrong letters, if at most a third of the letters of the name, or
///   one letter, are wrong;
/// - the first candidate that contains the name;
/// - the first candidate that gives the name if letters are left out ("MaxPool2D" for
///   MaxPooling2D).
std::string_view nearestName(std::string_view name, std::span<const std::string_view> candidates);
std::string nearestName(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace strata
