// SPDX-License-Identifier: Apache-2.0
// Suggests the correct name for a misspelled one ("Did you mean ...?"). Thread: any.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

/// Returns the candidate that is most similar to `name`, or "" if none is similar. A candidate is
/// similar if at most a third of the name's letters are wrong, if it contains the name, or if the
/// name only leaves letters out ("MaxPool2D" for MaxPooling2D). Case is ignored.
std::string_view nearestName(std::string_view name, std::span<const std::string_view> candidates);
std::string nearestName(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace strata
