// SPDX-License-Identifier: Apache-2.0
// Returns whether a text contains another text. If it does not, the function prints both texts.
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
