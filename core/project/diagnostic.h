// SPDX-License-Identifier: Apache-2.0
// A problem in a project. It consists of a code, a sentence with arguments, and fixes. The window
// and `strata check` show the same sentence. Thread: value types without shared state.
#pragma once

#include <string>
#include <vector>

#include "core/project/edit.h"
#include "core/project/text.h"

namespace strata {

enum class Severity : uint8_t { Error, Warning };

struct Fix {
  // Label of the button, such as "Set units to %1"
  Text label;
  Arguments arguments;
  ProjectEdit edit;
};

/// Returns the fix "Set NAME to VALUE" for a value outside layers. NAME is the last part of the
/// pointer.
Fix setFix(const std::string& pointer, const Json& value);
/// Returns the same fix for a field of a layer. `pointer` may be relative to the layer (see
/// completeFixes).
Fix setFieldFix(const std::string& layer, const std::string& field, const Json& value,
                const std::string& pointer);
/// Returns the fix "Change NAME to NEAREST" for a misspelled name.
Fix changeFix(const std::string& pointer, const std::string& name, const std::string& nearest);

/// A sentence and its arguments.
struct Phrase {
  Text text;
  Arguments arguments;
};

struct Diagnostic {
  Severity severity = Severity::Error;
  // Stable identifier: "shape_mismatch", "unknown_type", "unknown_field", "wrong_type",
  // "out_of_range", "missing_input", "cycle", "duplicate_name", ...
  std::string code;
  // Path of the layer, such as "block/layer" in a Block; "" outside layers
  std::string layer;
  // Name of the field in a layer, or its JSON pointer outside layers
  std::string field;
  // The message, which has the form "what is wrong (expected X, got Y). What to do."
  Text message;
  Arguments arguments;
  std::vector<Fix> fixes;
  // JSON pointer of a problem in a layer, such as "/model/layers/3/units"
  std::string pointer = {};
  // Sentences that enclose the message, from the inside out. The text inside a sentence is appended
  // to its arguments.
  std::vector<Phrase> around = {};
  /// Returns the message within its enclosing sentences, in English.
  std::string sentence() const;
  /// Returns the subject of line(): the layer, the part of the project ("training/optimizer"), or
  /// "project".
  std::string subject() const;
  /// Returns a line like "conv2: filters must be at least 1 (got 0). ..." in English.
  std::string line() const;
};

using Diagnostics = std::vector<Diagnostic>;
bool hasErrors(const Diagnostics& diagnostics);

}  // namespace strata
