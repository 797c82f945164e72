// SPDX-License-Identifier: Apache-2.0
// Converts problems to text that a test can compare. Any thread may call these functions.
#pragma once

#include <string>

#include "core/project/diagnostic.h"

namespace strata {

/// Returns one line per problem, such as "missing_name | layer 2: ...". A warning starts with
/// "warning ".
inline std::string linesOf(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& each : diagnostics)
    text += (each.severity == Severity::Warning ? "warning " : "") + each.code + " | " +
            each.line() + "\n";
  return text;
}

/// Returns one line per problem, such as "missing_name | /model/layers/1 | layer 2: ...".
inline std::string linesWithPointers(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& each : diagnostics)
    text += each.code + " | " + each.pointer + " | " + each.line() + "\n";
  return text;
}

}  // namespace strata
