// SPDX-License-Identifier: Apache-2.0
#include "gpu/graph/node.h"

#include <iterator>

namespace strata {
namespace {

constexpr std::string_view kCategoryNames[] = {"parameter",  "gradient",     "optimizer",
                                               "activation", "input",        "temporary",
                                               "workspace",  "communication"};
constexpr std::string_view kPhaseNames[] = {"forward", "backward", "update"};

}  // namespace

std::string_view categoryName(Category category) {
  return kCategoryNames[static_cast<size_t>(category)];
}

std::optional<Category> categoryFromName(std::string_view name) {
  for (size_t i = 0; i < std::size(kCategoryNames); ++i)
    if (kCategoryNames[i] == name) return static_cast<Category>(i);
  return std::nullopt;
}

std::string_view phaseName(Phase phase) { return kPhaseNames[static_cast<size_t>(phase)]; }

std::optional<Phase> phaseFromName(std::string_view name) {
  for (size_t i = 0; i < std::size(kPhaseNames); ++i)
    if (kPhaseNames[i] == name) return static_cast<Phase>(i);
  return std::nullopt;
}

}  // namespace strata
