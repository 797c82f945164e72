// SPDX-License-Identifier: Apache-2.0
// A problem of a project as code and arguments: written once, shown on the layer, in the drawer, on
// Train's tooltip and by `strata check`. Thread: values.
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

/// "Set NAME to VALUE" of a value outside of layers; the name is the pointer's last part.
Fix setFix(const std::string& pointer, const Json& value);
/// The same for the field of a layer at `pointer`, which may still lack the layer's place.
Fix setFieldFix(const std::string& layer, const std::string& field, const Json& value,
                const std::string& pointer);
/// "Change NAME to NEAREST" of a misspelled name.
Fix changeFix(const std::string& pointer, const std::string& name, const std::string& nearest);

/// A sentence with what fills its places.
struct Phrase {
  Text text;
  Arguments arguments;
};

struct Diagnostic {
  Severity severity = Severity::Error;
  // stable: "shape_mismatch", "unknown_type", "unknown_field", "wrong_type", "out_of_range",
  // "missing_input", "cycle", "duplicate_name", ...
  std::string code;
  // "" where none; in a Block "block/layer"
  std::string layer;
  // field name, or JSON pointer outside of layers
  std::string field;
  // What is wrong (expected X, got Y). What to do.
  Text message;
  Arguments arguments;
  std::vector<Fix> fixes;
  // JSON pointer of what is wrong, where it is of a layer: "/model/layers/3/units"
  std::string pointer = {};
  // From the inside out: each has what it surrounds as the argument after its own
  std::vector<Phrase> around = {};
  /// The message and what is around it, in English.
  std::string sentence() const;
  /// Subject of line(): the layer, else the part of the project ("training/optimizer"), else
  /// "project".
  std::string subject() const;
  /// "conv2: filters must be at least 1 (got 0). ..." in English.
  std::string line() const;
};

using Diagnostics = std::vector<Diagnostic>;
bool hasErrors(const Diagnostics& diagnostics);

}  // namespace strata
