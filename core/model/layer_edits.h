// SPDX-License-Identifier: Apache-2.0
// Edits of a list of layers, that of the network or of a Block, each as one value. Not here: what
// layers mean (model.h). Thread: pure functions.
#pragma once

#include <string>
#include <vector>

#include "core/project/edit.h"

namespace strata {

/// The list of layers that an edit changes: that of the network, or of a Block.
struct LayerList {
  std::string pointer = "/model/layers";
  // Prefix of the names of its layers, such as "block/"
  std::string prefix;
};

/// A layer of a list by its place, or the first layer with a name.
struct LayerRef {
  LayerRef(int at) : place(at) {}
  LayerRef(std::string called) : name(std::move(called)) {}
  LayerRef(const char* called) : name(called) {}
  int place = -1;
  std::string name;
};

// All edits fail with InvalidArgument where there is no such layer.
ProjectEdit setFieldEdit(const Json& document, const LayerRef& layer, const std::string& field,
                         const Json& value, const LayerList& list = {});
/// Resets a field to its default.
ProjectEdit resetFieldEdit(const Json& document, const LayerRef& layer, const std::string& field,
                           const LayerList& list = {});
/// Inserts a layer of `type` at `index` with a fresh name (conv2d_2). A following layer without
/// `inputs` takes the new layer as its input.
ProjectEdit addLayerEdit(const Json& document, const std::string& type, int index,
                         const LayerList& list = {});
/// Removes layers; layers that used one of them take its input instead.
ProjectEdit removeLayersEdit(const Json& document, const std::vector<LayerRef>& layers,
                             const LayerList& list = {});
/// Moves a layer to `index`. The first layer of a Block takes the input of the Block.
ProjectEdit moveLayerEdit(const Json& document, const LayerRef& layer, int index,
                          const LayerList& list = {});
/// Renames a layer, also in every `inputs` that uses it.
ProjectEdit renameLayerEdit(const Json& document, const LayerRef& layer, const std::string& name,
                            const LayerList& list = {});
ProjectEdit connectEdit(const Json& document, const LayerRef& layer,
                        const std::vector<std::string>& inputs, const LayerList& list = {});
/// Replaces adjacent layers by a Block. Fails: InvalidArgument where they are not adjacent, or have
/// more inputs or outputs than a Block.
ProjectEdit groupLayersEdit(const Json& document, const std::vector<LayerRef>& layers,
                            const LayerList& list = {});
/// Replaces a Block by its layers, once per repeat. Fails: InvalidArgument for other layers, or
/// where the result is too long.
ProjectEdit ungroupBlockEdit(const Json& document, const LayerRef& block,
                             const LayerList& list = {});
}  // namespace strata
