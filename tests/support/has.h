// SPDX-License-Identifier: Apache-2.0
// Checks that a text contains another one, and prints the text if it does not.
#pragma once

#include <string>

#include <doctest/doctest.h>

namespace strata {

inline bool has(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return true;
  MESSAGE(text, " lacks ", part);
  return false;
}

}  // namespace strata
