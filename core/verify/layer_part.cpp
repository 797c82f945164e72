// SPDX-License-Identifier: Apache-2.0
#include "core/verify/layer_part.h"

#include <algorithm>
#include <map>

#include "core/compile/copy_node.h"
#include "core/compile/layer_values.h"
#include "core/project/text.h"
#include "gpu/autodiff/autodiff.h"
#include "gpu/base/error.h"
#include "gpu/base/nearest_name.h"
#include "gpu/graph/op.h"

namespace strata {

namespace {

/// Copies the nodes of a layer.
class PartCopier {
 public:
  PartCopier(const NetworkGraph& network, const Model& model, LayerPart& part)
      : m_from(network.graph), m_model(model), m_part(part) {}

  void copyNodes() {
    for (const NodeId id : m_from.order()) {
      const Node& node = m_from.node(id);
      const bool isOwn = node.layer == m_part.layer || node.layer.starts_with(m_part.layer + "/");
      if (!isOwn || node.op->kind == OpKind::Source) continue;
      std::vector<ValueId> operands;
      for (const ValueId input : node.inputs)
        operands.push_back(operandOf(input));
      const NodeId copied = copyNode(m_part.graph, m_from, node, std::move(operands));
      for (size_t i = 0; i < node.outputs.size(); ++i)
        m_copies[node.outputs[i].index] = m_part.graph.node(copied).outputs[i];
    }
  }
  /// Returns the copy of a value, or an invalid id if the layer does not compute it.
  ValueId find(ValueId value) const {
    const auto found = m_copies.find(value.index);
    return found == m_copies.end() ? ValueId{} : found->second;
  }

 private:
  ValueId operandOf(ValueId value) {
    if (const ValueId known = find(value); known.isValid()) return known;
    const Node& producer = m_from.node(m_from.value(value).producer);
    ValueId copy;
    if (producer.op->role == OpRole::Variable) {
      copy = copyVariable(m_part.graph, m_from, producer);
    }
    else if (producer.op->kind == OpKind::Source && !isNetworkInput(producer)) {
      copy = copySource(m_part.graph, m_from, producer);
    }
    else {
      copy = m_part.graph.addInput("input/" + std::to_string(m_part.inputs.size()),
                                   m_from.type(value));
      m_part.inputs.push_back(value);
    }
    m_copies[value.index] = copy;
    return copy;
  }
  bool isNetworkInput(const Node& node) const {
    return node.op->role == OpRole::Input &&
           std::ranges::find(m_model.inputs, node.attributes.get<std::string>("name")) !=
               m_model.inputs.end();
  }

  const Graph& m_from;
  const Model& m_model;
  LayerPart& m_part;
  std::map<int, ValueId> m_copies;
};

const LayerValue& layerNamed(const std::vector<LayerValue>& layers, const std::string& name) {
  for (const LayerValue& layer : layers)
    if (layer.name == name || pathOfLayer(layer.name) == name) return layer;
  std::vector<std::string> names;
  for (const LayerValue& layer : layers)
    names.push_back(layer.name);
  throw Error(
      ErrorCode::InvalidArgument, name,
      "there is no such layer (expected one of: " + excerpt(joinedNames(names), 400) + ").");
}

void appendGradients(const NetworkGraph& network, const PartCopier& copier, ValueId output,
                     LayerPart& part) {
  Graph& graph = part.graph;
  std::vector<std::string> names;
  std::vector<ValueId> targets;
  for (size_t i = 0; i < part.inputs.size(); ++i) {
    const ValueId input = findInput(graph, "input/" + std::to_string(i));
    if (!isFloating(graph.type(input).dtype)) continue;
    names.push_back("gradient of input " + std::to_string(i + 1));
    targets.push_back(input);
  }
  for (const VariableRequest& variable : network.variables) {
    const Variable* const own = graph.findVariable(variable.name);
    if (!own || !variable.isTrainable) continue;
    const ValueId replaced =
        variable.replacement.isValid() ? copier.find(variable.replacement) : ValueId{};
    names.push_back("gradient of " + variable.name);
    targets.push_back(replaced.isValid() ? replaced : own->value);
  }
  if (targets.empty()) return;
  const GradientSeed seed{output, graph.addInput(kPartSeed, graph.type(output))};
  const std::vector<ValueId> gradients = differentiate(graph, {&seed, 1}, targets);
  for (size_t i = 0; i < names.size(); ++i) {
    if (!gradients[i].isValid()) continue;
    graph.addOutput(names[i], gradients[i]);
    part.gradients.push_back(names[i]);
  }
}

}  // namespace

NetworkGraph networkGraphOf(const Model& model, int64_t samples) {
  NetworkGraph network;
  NextValues nextValues;
  network.values =
      lowerLayers(network.graph, model, StepMode::Train, samples, network.variables, nextValues);
  return network;
}

LayerPart layerPartOf(const NetworkGraph& network, const Model& model, const std::string& name) {
  const std::vector<LayerValue> layers = layerValuesOf(network.graph, model, network.values);
  const LayerValue& layer = layerNamed(layers, name);
  LayerPart part;
  part.layer = layer.name;
  PartCopier copier(network, model, part);
  copier.copyNodes();
  const ValueId output = copier.find(layer.value);
  if (!output.isValid() || part.inputs.empty())
    throw Error(ErrorCode::InvalidArgument, layer.name,
                "computes nothing, so that there is nothing to check. Name another layer.");
  part.graph.addOutput(kPartOutput, output);
  if (isFloating(part.graph.type(output).dtype)) appendGradients(network, copier, output, part);
  return part;
}

}  // namespace strata
