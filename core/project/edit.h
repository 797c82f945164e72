// SPDX-License-Identifier: Apache-2.0
// An edit of a project. It consists of operations on the JSON document. Each operation names a
// value by its JSON pointer (RFC 6901). Undo and the fixes of diagnostics use edits. Not here:
// edits of layers (core/model/layer_edits.h).
// Thread: a value type without shared state.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/project/json.h"
#include "core/project/text.h"

namespace strata {

struct EditOperation {
  enum class Kind : uint8_t {
    // Sets the value at the pointer to `json`. Creates missing members of objects along the
    // pointer.
    Set,
    // Removes the member or list element at the pointer, if it exists.
    Remove,
    // Inserts `json` before the list element at the pointer. ".../-" appends to the list.
    Insert,
    // Removes the list element at the pointer, and inserts it at index `to` of the remaining list.
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
  // Text for the Undo menu, such as "Set %1 of %2"
  Text name;
  Arguments arguments;
  // Operations in the order in which they are applied
  std::vector<EditOperation> operations;
  // Layers to select after the edit
  std::vector<std::string> layers;
};

/// Applies the edit in place and returns the edit that undoes it. Fails: InvalidArgument if an
/// operation does not fit the document, for example because a list element does not exist. The
/// document then stays unchanged.
ProjectEdit applyEdit(Json& document, const ProjectEdit& edit);

ProjectEdit setValueEdit(const Json& document, const std::string& pointer, const Json& value);

}  // namespace strata
