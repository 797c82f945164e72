// SPDX-License-Identifier: Apache-2.0
// An edit of a project as a value: operations on its JSON document by JSON pointer (RFC 6901).
// Undo, fixes of diagnostics and remedies use it. Not here: edits of layers
// (core/model/layer_edits.h).
// Thread: a value.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/project/json.h"
#include "core/project/text.h"

namespace strata {

struct EditOperation {
  enum class Kind : uint8_t {
    // Sets the value at the pointer to `json`; creates it and its parents where absent
    Set,
    // Removes the member at the pointer, if there is one
    Remove,
    // Inserts `json` before the array element at the pointer (".../-" appends)
    Insert,
    // Moves the array element at the pointer to position `to` (index after removal)
    Move,
  };
  Kind kind = Kind::Set;
  std::string pointer;
  // The value as compact JSON text
  std::string json;
  int to = 0;
};

EditOperation setOperation(const std::string& pointer, const Json& value);
EditOperation removeOperation(const std::string& pointer);

struct ProjectEdit {
  // Text for the undo menu: "Set %1 of %2"
  Text name;
  Arguments arguments;
  // Applied in order
  std::vector<EditOperation> operations;
  // Layers to select afterwards
  std::vector<std::string> layers;
};

/// Applies the edit in place and returns the edit that undoes it. Fails: InvalidArgument where a
/// pointer does not exist; the document is unchanged then.
ProjectEdit applyEdit(Json& document, const ProjectEdit& edit);

ProjectEdit setValueEdit(const Json& document, const std::string& pointer, const Json& value);

}  // namespace strata
