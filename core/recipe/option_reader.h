// SPDX-License-Identifier: Apache-2.0
// Helper for the readers of /training and /execution. It reports problems with fixes, and reads
// objects with a type.
// Not here: the options (options.h).
// Thread: only one thread at a time may use an OptionReader.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/recipe/options.h"

namespace strata {

/// Returns a fix with an edit of one operation.
Fix makeFix(Text label, Arguments arguments, EditOperation operation);

class OptionReader {
 public:
  explicit OptionReader(Diagnostics& diagnostics) : m_diagnostics(diagnostics) {}

  Diagnostics& diagnostics() { return m_diagnostics; }
  void report(const char* code, std::string pointer, Text message, Arguments arguments,
              std::vector<Fix> fixes = {}, Severity severity = Severity::Error);
  /// Reads an object with a type, or the name of a type. Resolves Keras's short names; a metric
  /// keeps the short name as its name. The result has no fields if the value is wrong.
  TypedFields typed(std::span<const Schema* const> schemas, const std::string& what,
                    const Json& value, const std::string& pointer);

 private:
  Diagnostics& m_diagnostics;
};

}  // namespace strata
