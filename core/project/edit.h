// SPDX-License-Identifier: Apache-2.0
// An edit of a project as a value: operations on its JSON document by JSON pointer (RFC 6901). Undo stacks, fixes of diagnostics and remedies are all made of it.
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
    Set,     // pointer's value becomes `json` (made, with its parents, where absent)
    Remove,  // pointer's member goes; absent: nothing happens
    Insert,  // `json` goes before the array element that pointer names (".../-" appends)
    Move,    // the array element at pointer goes to position `to` (index after removal)
  };
  Kind kind = Kind::Set;
  std::string pointer;
  std::string json;  // as text, compact
  int to = 0;
};

struct ProjectEdit {
  Text name;  // "Set %1 of %2"
  std::vector<std::string> arguments;
  std::vector<EditOperation> operations;  // in order
  std::vector<std::string> layers;        // layers to select after it
};

/// Applies in place and returns the edit that undoes it. Fails: InvalidArgument where a pointer leads nowhere; the document is unchanged then.
ProjectEdit applyEdit(Json& document, const ProjectEdit& edit);

// The edits a person makes to a network. Layer indices are positions in /model/layers.
ProjectEdit setFieldEdit(const Json& document, const std::string& layer, const std::string& field, const Json& value);
ProjectEdit resetFieldEdit(const Json& document, const std::string& layer, const std::string& field);  // back to the default
/// Inserts a layer of `type` at `index` with a fresh name (conv2d_2); later layers that meant "the layer before" keep their meaning or take the new one as input, as a person expects of a list.
ProjectEdit addLayerEdit(const Json& document, const std::string& type, int index);
/// Layers that named it take its input instead.
ProjectEdit removeLayersEdit(const Json& document, const std::vector<std::string>& layers);
ProjectEdit moveLayerEdit(const Json& document, const std::string& layer, int index);
/// Renames it and every `inputs` that names it.
ProjectEdit renameLayerEdit(const Json& document, const std::string& layer, const std::string& name);
ProjectEdit connectEdit(const Json& document, const std::string& layer, const std::vector<std::string>& inputs);
/// A run of layers becomes a Block in their place. Fails: InvalidArgument where they do not follow each other, or more goes in or out than a Block has.
ProjectEdit groupLayersEdit(const Json& document, const std::vector<std::string>& layers);
/// A Block becomes its layers, each repeat written out. Fails: InvalidArgument for what is no Block, or is too long written out.
ProjectEdit ungroupBlockEdit(const Json& document, const std::string& block);
ProjectEdit setValueEdit(const Json& document, const std::string& pointer, const Json& value);

}  // namespace strata
