// SPDX-License-Identifier: Apache-2.0
// Says in the output of doctest why a test is skipped.
#pragma once

#include <string>

#include <doctest/doctest.h>

namespace strata::test {

/// Returns whether a test can run. `whyNot` is "" if it can; otherwise it is written to the output.
inline bool canRun(const std::string& whyNot) {
  if (!whyNot.empty()) MESSAGE("skipped: " << whyNot);
  return whyNot.empty();
}

}  // namespace strata::test
