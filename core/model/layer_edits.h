// SPDX-License-Identifier: Apache-2.0
// The edits a person makes to a list of layers, the network's or a Block's, each as one value. What
// layers mean is model.h's. Thread: pure functions.
#pragma once

#include <string>
#include <vector>

#include "core/project/edit.h"

namespace strata {

/// The list of layers that an edit is about: the network's, or a Block's.
struct LayerList {
  std::string pointer = "/model/layers";
  // "block/" of the names of what is in it
  std::string prefix;
};

/// A layer of a list by its place, or the first one of a name.
struct LayerRef {
  LayerRef(int at) : place(at) {}
  LayerRef(std::string called) : name(std::move(called)) {}
  LayerRef(const char* called) : name(called) {}
  int place = -1;
  std::string name;
};

// The edits a person makes to a list of layers. Fails: InvalidArgument where there is no such
// layer.
ProjectEdit setFieldEdit(const Json& document, const LayerRef& layer, const std::string& field,
                         const Json& value, const LayerList& list = {});
ProjectEdit resetFieldEdit(const Json& document, const LayerRef& layer, const std::string& field,
                           // Back to the default
                           const LayerList& list = {});
/// Inserts a layer of `type` at `index` with a fresh name (conv2d_2); later layers that meant "the
/// layer before" keep their meaning or take the new one as input, as a person expects of a list.
ProjectEdit addLayerEdit(const Json& document, const std::string& type, int index,
                         const LayerList& list = {});
/// Layers that named it take its input instead.
ProjectEdit removeLayersEdit(const Json& document, const std::vector<LayerRef>& layers,
                             const LayerList& list = {});
/// The layer that comes to the top of a Block takes what the Block does.
ProjectEdit moveLayerEdit(const Json& document, const LayerRef& layer, int index,
                          const LayerList& list = {});
/// Renames it and every `inputs` that names it.
ProjectEdit renameLayerEdit(const Json& document, const LayerRef& layer, const std::string& name,
                            const LayerList& list = {});
ProjectEdit connectEdit(const Json& document, const LayerRef& layer,
                        const std::vector<std::string>& inputs, const LayerList& list = {});
/// A run of layers becomes a Block in their place. Fails: InvalidArgument where they do not follow
/// each other, or more goes in or out than a Block has.
ProjectEdit groupLayersEdit(const Json& document, const std::vector<LayerRef>& layers,
                            const LayerList& list = {});
/// A Block becomes its layers, each repeat written out. Fails: InvalidArgument for what is no
/// Block, or is too long written out.
ProjectEdit ungroupBlockEdit(const Json& document, const LayerRef& block,
                             const LayerList& list = {});
}  // namespace strata
