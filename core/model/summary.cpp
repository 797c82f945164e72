// SPDX-License-Identifier: Apache-2.0
// What each row of the network list shows: the layers lowered one by one on a scratch graph.
#include <map>

#include <nlohmann/json.hpp>

#include "core/model/model.h"
#include "gpu/graph/op.h"

namespace strata {

void completeFixes(Diagnostic& diagnostic, int layerIndex) {
  for (Fix& fix : diagnostic.fixes)
    for (EditOperation& operation : fix.edit.operations)
      if (operation.pointer.empty() || operation.pointer[0] != '/')
        operation.pointer = "/model/layers/" + std::to_string(layerIndex) + "/" + operation.pointer;
}

ModelSummary summarizeModel(const Model& model, const Project& project, int64_t batchSize, Diagnostics& diagnostics) {
  ModelSummary summary;
  const Json& document = project.document();
  if (!document.is_object() || !document.contains("model") || !document["model"].is_object() || !document["model"].contains("layers"))
    return summary;
  for (const Json& json : document["model"]["layers"]) {
    LayerSummary row;
    if (json.is_object()) {
      if (json.contains("name") && json["name"].is_string()) row.name = json["name"];
      if (json.contains("type") && json["type"].is_string()) row.type = json["type"];
      if (json.contains("inputs") && json["inputs"].is_array()) {
        for (const Json& input : json["inputs"])
          if (input.is_string()) row.inputs.push_back(input);
      } else if (row.type != "Input" && !summary.layers.empty()) {
        row.inputs = {summary.layers.back().name};
      }
    }
    row.parameters = row.trainableParameters = -1;
    row.multiplyAdds = -1;
    summary.layers.push_back(std::move(row));
  }

  Graph graph;
  std::map<std::string, ValueId, std::less<>> values;
  for (const Layer& layer : model.layers) {
    std::vector<ValueId> inputs;
    for (const auto& input : layer.inputs)
      if (const auto found = values.find(input); found != values.end()) inputs.push_back(found->second);
    if (inputs.size() != layer.inputs.size()) continue;  // below a layer with a problem
    LayerSummary& row = summary.layers[static_cast<size_t>(layer.index)];
    const int firstNode = graph.numNodes();
    try {
      const LoweredLayer lowered =
          lowerLayer(graph, {*layer.definition, layer.name, *layer.fields, std::move(inputs), layer.inputs, StepMode::Predict, batchSize});
      values.emplace(layer.name, lowered.value);
      row.isKnown = true;
      row.outputShape = shapeWithoutBatch(graph.shape(lowered.value));
      row.parameters = row.trainableParameters = 0;
      row.multiplyAdds = 0;
      for (const auto& variable : lowered.variables) {
        row.parameters += variable.shape.numElements();
        if (variable.isTrainable) row.trainableParameters += variable.shape.numElements();
      }
      for (int i = firstNode; i < graph.numNodes(); ++i) row.multiplyAdds += costOf(graph, graph.node(NodeId{i})).multiplyAdds;
      summary.parameters += row.parameters;
      summary.trainableParameters += row.trainableParameters;
      summary.multiplyAdds += row.multiplyAdds;
    } catch (const LayerProblem& problem) {
      diagnostics.push_back(problem.diagnostic());
      completeFixes(diagnostics.back(), layer.index);
    }
  }
  return summary;
}

}  // namespace strata
