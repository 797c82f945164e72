// SPDX-License-Identifier: Apache-2.0
// Shared by the readers of /training and /execution: reporting problems with fixes, and reading
// objects with a type.
// Thread: one at a time.
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
  /// Reads an object with a type, or a type's name. Keras's short names are resolved; a metric
  /// keeps the short one as its name. The result has no fields if the value is wrong.
  TypedFields typed(std::span<const Schema* const> schemas, const std::string& what,
                    const Json& value, const std::string& pointer);

 private:
  Diagnostics& m_diagnostics;
};

}  // namespace strata
