// SPDX-License-Identifier: Apache-2.0
// The outputs of all layers in a lowered graph, including those in Blocks. Not here: lowering
// (compile.h).
// Thread: the function only reads.
#pragma once

#include <string>
#include <vector>

#include "core/model/model.h"
#include "gpu/graph/graph.h"

namespace strata {

/// A layer, and its output in a graph.
struct LayerValue {
  // Name of the layer. A layer in a Block has the number of the repeat: "block/0/conv".
  std::string name;
  ValueId value;
};

/// Returns the outputs of the layers in a Block. The output of a layer is a value that another
/// layer uses. A layer that does nothing, such as a Dropout in inference, has none.
std::vector<LayerValue> layersInBlock(const Graph& graph, const std::string& block);

/// Returns the outputs of all layers in the order of the network, except Input layers; a Block
/// comes after its layers. `values` are the outputs of the layers of `model` in the graph, by
/// position. Call it before gradients are built.
std::vector<LayerValue> layerValuesOf(const Graph& graph, const Model& model,
                                      const std::vector<ValueId>& values);

}  // namespace strata
