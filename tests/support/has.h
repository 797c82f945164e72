// SPDX-License-Identifier: Apache-2.0
// Is a text within another? Shows the other where it is not. Thread: that of the test.
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
