// SPDX-License-Identifier: Apache-2.0
// What each row of the network list shows: the layers lowered one by one on a scratch graph.
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "core/model/model.h"
#include "core/model/partial_shape.h"
#include "gpu/graph/op.h"

namespace strata {

void completeFixes(Diagnostic& diagnostic, int layerIndex) {
  for (Fix& fix : diagnostic.fixes)
    for (EditOperation& operation : fix.edit.operations)
      if (operation.pointer.empty() || operation.pointer[0] != '/')
        operation.pointer = "/model/layers/" + std::to_string(layerIndex) + "/" + operation.pointer;
}

namespace {

PartialShape partialOf(const Shape& shape) { return {true, {shape.dims().begin(), shape.dims().end()}}; }

/// The layers one by one on a scratch graph.
class Lowering {
 public:
  Lowering(const Model& model, int64_t batchSize, ModelSummary& summary, Diagnostics& diagnostics)
      : m_batchSize(batchSize), m_summary(summary), m_diagnostics(diagnostics), m_isValid(summary.layers.size(), false) {
    for (const Layer& layer : model.layers) m_isValid[static_cast<size_t>(layer.index)] = true;
    std::set<std::string, std::less<>> seen;
    for (const LayerSummary& row : summary.layers)
      if (!seen.insert(row.name).second) m_ambiguous.insert(row.name);
  }

  void add(const Layer& layer) {
    std::vector<ValueId> inputs;
    for (const auto& input : layer.inputs)
      if (const auto found = m_values.find(input); found != m_values.end()) inputs.push_back(found->second);
    if (!m_isValid[static_cast<size_t>(layer.index)] || inputs.size() != layer.inputs.size()) {
      std::vector<PartialShape> shapes;
      for (const auto& input : layer.inputs) shapes.push_back(shapeOf(input));
      addPartly(layer, std::move(shapes), true);
      return;
    }
    const int firstNode = m_graph.numNodes();
    try {
      const LoweredLayer lowered = lowerLayer(
          m_graph, {*layer.definition, layer.name, *layer.fields, std::move(inputs), layer.inputs, StepMode::Predict, m_batchSize});
      m_values.emplace(layer.name, lowered.value);
      fillRow(layer, lowered, firstNode);
    } catch (const LayerProblem& problem) {
      report(layer, problem.diagnostic());
      addPartly(layer, std::vector<PartialShape>(layer.inputs.size()), false);  // its output as it would be with inputs that suit it
    }
  }

 private:
  void report(const Layer& layer, Diagnostic problem) {
    m_diagnostics.push_back(std::move(problem));
    completeFixes(m_diagnostics.back(), layer.index);
  }

  PartialShape shapeOf(const std::string& input) const {
    if (const auto value = m_values.find(input); value != m_values.end()) return partialOf(shapeWithoutBatch(m_graph.shape(value->second)));
    const auto partial = m_partial.find(input);
    return partial != m_partial.end() ? partial->second : PartialShape{};
  }

  void addPartly(const Layer& layer, std::vector<PartialShape> inputs, bool mayReport) {
    PartialLowering lowered = lowerPartly(layer, std::move(inputs), m_batchSize);
    if (lowered.problem && mayReport) report(layer, std::move(*lowered.problem));
    if (lowered.output.isComplete()) m_summary.layers[static_cast<size_t>(layer.index)].outputShape = Shape(lowered.output.dims);
    if (layer.name.empty() || m_ambiguous.contains(layer.name)) return;  // which one is meant below is not known
    if (!lowered.output.isComplete()) {
      m_partial[layer.name] = std::move(lowered.output);
      return;
    }
    std::vector<int64_t> dims = lowered.output.dims;
    dims.insert(dims.begin(), m_batchSize);
    m_values.emplace(layer.name, m_graph.addInput("assumed " + layer.name, {lowered.dtype, Shape(dims)}));
  }

  void fillRow(const Layer& layer, const LoweredLayer& lowered, int firstNode) {
    LayerSummary& row = m_summary.layers[static_cast<size_t>(layer.index)];
    row.isKnown = true;
    row.outputShape = shapeWithoutBatch(m_graph.shape(lowered.value));
    row.parameters = row.trainableParameters = 0;
    row.multiplyAdds = 0;
    for (const auto& variable : lowered.variables) {
      row.parameters += variable.shape.numElements();
      if (variable.isTrainable) row.trainableParameters += variable.shape.numElements();
    }
    for (int i = firstNode; i < m_graph.numNodes(); ++i) row.multiplyAdds += costOf(m_graph, m_graph.node(NodeId{i})).multiplyAdds;
    m_summary.parameters += row.parameters;
    m_summary.trainableParameters += row.trainableParameters;
    m_summary.multiplyAdds += row.multiplyAdds;
  }

  const int64_t m_batchSize;
  ModelSummary& m_summary;
  Diagnostics& m_diagnostics;
  std::vector<bool> m_isValid;
  std::set<std::string, std::less<>> m_ambiguous;
  Graph m_graph;
  std::map<std::string, ValueId, std::less<>> m_values;
  std::map<std::string, PartialShape, std::less<>> m_partial;  // outputs without a value
};

}  // namespace

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

  Lowering lowering(model, batchSize, summary, diagnostics);
  for (const Layer& layer : model.drafts)
    if (layer.definition && layer.fields) lowering.add(layer);
  return summary;
}

}  // namespace strata
