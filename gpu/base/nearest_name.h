// SPDX-License-Identifier: Apache-2.0
// Suggests the correct name for a misspelled one ("Did you mean ...?"). Thread: any.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

/// Returns the candidate that is most similar to `name`, or "" if no candidate is similar. Case is
/// ignored. A candidate is similar in one of these cases:
/// - At most a third of the letters of the name are wrong.
/// - The candidate contains the name.
/// - The name is the candidate with letters left out ("MaxPool2D" for MaxPooling2D).
std::string_view nearestName(std::string_view name, std::span<const std::string_view> candidates);
std::string nearestName(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace strata
