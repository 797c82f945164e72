// SPDX-License-Identifier: Apache-2.0
// Whether a text contains another; prints the text if not. Thread: the test's.
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
