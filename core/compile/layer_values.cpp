// SPDX-License-Identifier: Apache-2.0
#include "core/compile/layer_values.h"

#include <algorithm>
#include <map>

#include "gpu/graph/op.h"

namespace strata {

std::vector<LayerValue> layersInBlock(const Graph& graph, const std::string& block) {
  std::vector<LayerValue> found;
  std::map<std::string, size_t> places;
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (!node.layer.starts_with(block + "/") || node.op->kind == OpKind::Source) continue;
    for (const ValueId value : node.outputs) {
      // Masks and penalties, which a layer also computes, have fewer axes or no user
      const bool isForOthers = std::ranges::any_of(graph.value(value).uses, [&](const Use& use) {
        return graph.node(use.node).layer != node.layer;
      });
      if (!isForOthers) continue;
      const auto [place, isNew] = places.try_emplace(node.layer, found.size());
      if (isNew)
        found.push_back({node.layer, value});
      else if (graph.shape(value).rank() >= graph.shape(found[place->second].value).rank())
        found[place->second].value = value;
    }
  }
  return found;
}

std::vector<LayerValue> layerValuesOf(const Graph& graph, const Model& model,
                                      const std::vector<ValueId>& values) {
  std::vector<LayerValue> found;
  for (size_t i = 0; i < model.layers.size(); ++i) {
    const Layer& layer = model.layers[i];
    if (std::ranges::find(model.inputs, layer.name) != model.inputs.end()) continue;
    if (layer.inner)
      for (LayerValue& inner : layersInBlock(graph, layer.name))
        found.push_back(std::move(inner));
    found.push_back({layer.name, values[i]});
  }
  return found;
}

}  // namespace strata
