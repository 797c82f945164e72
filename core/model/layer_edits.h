// SPDX-License-Identifier: Apache-2.0
// Edits of a list of layers, in the network or in a Block. Each function returns an edit and does
// not change the document. Not here: the meaning of layers (model.h). Thread: the functions are
// pure, so any thread may call them.
#pragma once

#include <string>
#include <vector>

#include "core/project/edit.h"

namespace strata {

/// The list of layers that an edit changes: the list of the network or of a Block.
struct LayerList {
  std::string pointer = "/model/layers";
  // Prefix of the layers' names, such as "block/"
  std::string prefix;
};

/// Refers to a layer of a list by its position, or to the first layer with a name.
struct LayerRef {
  LayerRef(int at) : place(at) {}
  LayerRef(std::string called) : name(std::move(called)) {}
  LayerRef(const char* called) : name(called) {}
  int place = -1;
  std::string name;
};

// All edits fail with InvalidArgument if the layer does not exist.

/// Sets a field to `value`.
ProjectEdit setFieldEdit(const Json& document, const LayerRef& layer, const std::string& field,
                         const Json& value, const LayerList& list = {});
/// Resets a field to its default.
ProjectEdit resetFieldEdit(const Json& document, const LayerRef& layer, const std::string& field,
                           const LayerList& list = {});
/// Inserts a layer of `type` at `index` with an unused name (such as conv2d_2). If the next layer
/// has no `inputs`, it takes the new layer as its input. A new Input layer becomes the input of the
/// next layer only at the top of the list.
ProjectEdit addLayerEdit(const Json& document, const std::string& type, int index,
                         const LayerList& list = {});
/// Removes layers. Layers that used the output of a removed layer take the first input of the
/// removed layer instead.
ProjectEdit removeLayersEdit(const Json& document, const std::vector<LayerRef>& layers,
                             const LayerList& list = {});
/// Moves a layer to `index`. In a Block, the first layer takes the input of the Block.
ProjectEdit moveLayerEdit(const Json& document, const LayerRef& layer, int index,
                          const LayerList& list = {});
/// Renames a layer, and updates all `inputs` that name it.
ProjectEdit renameLayerEdit(const Json& document, const LayerRef& layer, const std::string& name,
                            const LayerList& list = {});
/// Sets the inputs of a layer.
ProjectEdit connectEdit(const Json& document, const LayerRef& layer,
                        const std::vector<std::string>& inputs, const LayerList& list = {});
/// Replaces adjacent layers by a Block. Fails: InvalidArgument if the layers are not adjacent, or
/// have more inputs or outputs than a Block can have.
ProjectEdit groupLayersEdit(const Json& document, const std::vector<LayerRef>& layers,
                            const LayerList& list = {});
/// Replaces a Block by its layers, once per repeat. Fails: InvalidArgument if the layer is not a
/// Block, or if the result is too long.
ProjectEdit ungroupBlockEdit(const Json& document, const LayerRef& block,
                             const LayerList& list = {});
}  // namespace strata
