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

/// The list of layers that an edit is about: the network's, or a Block's.
struct LayerList {
  std::string pointer = "/model/layers";
  std::string prefix;  // "block/" of the names of what is in it
};

/// A layer of a list by its place, or the first one of a name.
struct LayerRef {
  LayerRef(int at) : place(at) {}
  LayerRef(std::string called) : name(std::move(called)) {}
  LayerRef(const char* called) : name(called) {}
  int place = -1;
  std::string name;
};

// The edits a person makes to a list of layers. Fails: InvalidArgument where there is no such layer.
ProjectEdit setFieldEdit(const Json& document, const LayerRef& layer, const std::string& field, const Json& value,
                         const LayerList& list = {});
ProjectEdit resetFieldEdit(const Json& document, const LayerRef& layer, const std::string& field,
                           const LayerList& list = {});  // back to the default
/// Inserts a layer of `type` at `index` with a fresh name (conv2d_2); later layers that meant "the layer before" keep their meaning or take the new one as input, as a person expects of a list.
ProjectEdit addLayerEdit(const Json& document, const std::string& type, int index, const LayerList& list = {});
/// Layers that named it take its input instead.
ProjectEdit removeLayersEdit(const Json& document, const std::vector<LayerRef>& layers, const LayerList& list = {});
/// The layer that comes to the top of a Block takes what the Block does.
ProjectEdit moveLayerEdit(const Json& document, const LayerRef& layer, int index, const LayerList& list = {});
/// Renames it and every `inputs` that names it.
ProjectEdit renameLayerEdit(const Json& document, const LayerRef& layer, const std::string& name, const LayerList& list = {});
ProjectEdit connectEdit(const Json& document, const LayerRef& layer, const std::vector<std::string>& inputs, const LayerList& list = {});
/// A run of layers becomes a Block in their place. Fails: InvalidArgument where they do not follow each other, or more goes in or out than a Block has.
ProjectEdit groupLayersEdit(const Json& document, const std::vector<LayerRef>& layers, const LayerList& list = {});
/// A Block becomes its layers, each repeat written out. Fails: InvalidArgument for what is no Block, or is too long written out.
ProjectEdit ungroupBlockEdit(const Json& document, const LayerRef& block, const LayerList& list = {});
ProjectEdit setValueEdit(const Json& document, const std::string& pointer, const Json& value);

}  // namespace strata
