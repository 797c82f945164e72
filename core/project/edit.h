// SPDX-License-Identifier: Apache-2.0
// An edit of a project as a value: operations on its JSON document by JSON pointer (RFC 6901). Undo
// stacks, fixes of diagnostics and remedies are all made of it.
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
    // pointer's value becomes `json` (made, with its parents, where absent)
    Set,
    // pointer's member goes; absent: nothing happens
    Remove,
    // `json` goes before the array element that pointer names (".../-" appends)
    Insert,
    // The array element at pointer goes to position `to` (index after removal)
    Move,
  };
  Kind kind = Kind::Set;
  std::string pointer;
  // As text, compact
  std::string json;
  int to = 0;
};

EditOperation setOperation(const std::string& pointer, const Json& value);
EditOperation removeOperation(const std::string& pointer);

struct ProjectEdit {
  // "Set %1 of %2"
  Text name;
  Arguments arguments;
  // In order
  std::vector<EditOperation> operations;
  // layers to select after it
  std::vector<std::string> layers;
};

/// Applies in place and returns the edit that undoes it. Fails: InvalidArgument where a pointer
/// leads nowhere; the document is unchanged then.
ProjectEdit applyEdit(Json& document, const ProjectEdit& edit);

ProjectEdit setValueEdit(const Json& document, const std::string& pointer, const Json& value);

}  // namespace strata
