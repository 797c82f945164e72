// SPDX-License-Identifier: Apache-2.0
#include "core/project/list_limit.h"

#include <nlohmann/json.hpp>

namespace strata {

std::optional<Diagnostic> tooLongList(const Json& list, size_t most, const std::string& pointer) {
  if (!list.is_array() || list.size() <= most) return std::nullopt;
  return Diagnostic{
      Severity::Error,
      "too_many",
      "",
      pointer,
      STRATA_TEXT("problem", "%1 has %2 entries (expected at most %3). Remove some of them."),
      {pointer.substr(pointer.rfind('/') + 1), std::to_string(list.size()), std::to_string(most)},
      {},
      pointer};
}

}  // namespace strata
