// SPDX-License-Identifier: Apache-2.0
// A problem of a project as code, sentence, arguments and fixes. The window and `strata check` show
// the same sentence. Thread: values.
#pragma once

#include <string>
#include <vector>

#include "core/project/edit.h"
#include "core/project/text.h"

namespace strata {

enum class Severity : uint8_t { Error, Warning };

struct Fix {
  // "Set units to %1"
  Text label;
  Arguments arguments;
  ProjectEdit edit;
};

/// "Set NAME to VALUE" for a value outside layers; the name is the last part of the pointer.
Fix setFix(const std::string& pointer, const Json& value);
/// The same for a field of a layer. `pointer` may be relative to the layer (completeFixes).
Fix setFieldFix(const std::string& layer, const std::string& field, const Json& value,
                const std::string& pointer);
/// "Change NAME to NEAREST" for a misspelled name.
Fix changeFix(const std::string& pointer, const std::string& name, const std::string& nearest);

/// A sentence with its arguments.
struct Phrase {
  Text text;
  Arguments arguments;
};

struct Diagnostic {
  Severity severity = Severity::Error;
  // Stable: "shape_mismatch", "unknown_type", "unknown_field", "wrong_type", "out_of_range",
  // "missing_input", "cycle", "duplicate_name", ...
  std::string code;
  // "" outside layers; "block/layer" for a layer in a Block
  std::string layer;
  // Name of the field, or JSON pointer outside layers
  std::string field;
  // Form: "what is wrong (expected X, got Y). What to do."
  Text message;
  Arguments arguments;
  std::vector<Fix> fixes;
  // JSON pointer of the problem in a layer: "/model/layers/3/units"
  std::string pointer = {};
  // Sentences around the message, innermost first; each gets the inner text as its last argument
  std::vector<Phrase> around = {};
  /// The message with the sentences around it, in English.
  std::string sentence() const;
  /// The subject of line(): the layer, else the part of the project ("training/optimizer"), else
  /// "project".
  std::string subject() const;
  /// "conv2: filters must be at least 1 (got 0). ..." in English.
  std::string line() const;
};

using Diagnostics = std::vector<Diagnostic>;
bool hasErrors(const Diagnostics& diagnostics);

}  // namespace strata
