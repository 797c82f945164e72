// SPDX-License-Identifier: Apache-2.0
// What the readers of /training and /execution share: problems with their remedies, and objects
// with a type. Thread: one at a time.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/recipe/options.h"

namespace strata {

Fix makeFix(Text label, Arguments arguments, EditOperation operation);

class OptionReader {
 public:
  explicit OptionReader(Diagnostics& diagnostics) : m_diagnostics(diagnostics) {}

  Diagnostics& diagnostics() { return m_diagnostics; }
  void report(const char* code, std::string pointer, Text message, Arguments arguments,
              std::vector<Fix> fixes = {}, Severity severity = Severity::Error);
  /// Keras's short names are taken for what they stand for; a metric keeps the short one as its
  /// name. Without fields where it is wrong.
  TypedFields typed(std::span<const Schema* const> schemas, const std::string& what,
                    const Json& value, const std::string& pointer);

 private:
  Diagnostics& m_diagnostics;
};

}  // namespace strata
