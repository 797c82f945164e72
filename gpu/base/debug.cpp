// SPDX-License-Identifier: Apache-2.0
#include "gpu/base/debug.h"

#include <cstdlib>

namespace strata {

std::optional<std::string> environmentVariable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return std::string(value);
}

}  // namespace strata
