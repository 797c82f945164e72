// SPDX-License-Identifier: Apache-2.0
// A problem of a project as code and arguments: written once, shown on the layer, in the drawer, on Train's tooltip and by `strata check`. Thread: values.
#pragma once

#include <string>
#include <vector>

#include "core/project/edit.h"
#include "core/project/text.h"

namespace strata {

enum class Severity : uint8_t { Error, Warning };

struct Fix {
  Text label;  // "Set units to %1"
  std::vector<std::string> arguments;
  ProjectEdit edit;
};

/// "Set NAME to VALUE" of a value outside of layers; the name is the pointer's last part.
Fix setFix(const std::string& pointer, const Json& value);
/// The same for the field of a layer at `pointer`, which may still lack the layer's place.
Fix setFieldFix(const std::string& layer, const std::string& field, const Json& value, const std::string& pointer);
/// "Change NAME to NEAREST" of a misspelled name.
Fix changeFix(const std::string& pointer, const std::string& name, const std::string& nearest);

/// A sentence with what fills its places.
struct Phrase {
  Text text;
  std::vector<std::string> arguments;
};

struct Diagnostic {
  Severity severity = Severity::Error;
  std::string
      code;  // stable: "shape_mismatch", "unknown_type", "unknown_field", "wrong_type", "out_of_range", "missing_input", "cycle", "duplicate_name", ...
  std::string layer;  // "" where none; in a Block "block/layer"
  std::string field;  // field name, or JSON pointer outside of layers
  Text message;       // what is wrong (expected X, got Y). What to do.
  std::vector<std::string> arguments;
  std::vector<Fix> fixes;
  std::string pointer = {};         // JSON pointer of what is wrong, where it is of a layer: "/model/layers/3/units"
  std::vector<Phrase> around = {};  // from the inside out: each has what it surrounds as the argument after its own
  /// The message and what is around it, in English.
  std::string sentence() const;
  /// Subject of line(): the layer, else the part of the project ("training/optimizer"), else "project".
  std::string subject() const;
  /// "conv2: filters must be at least 1 (got 0). ..." in English.
  std::string line() const;
};

using Diagnostics = std::vector<Diagnostic>;
bool hasErrors(const Diagnostics& diagnostics);

}  // namespace strata
