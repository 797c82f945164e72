// SPDX-License-Identifier: Apache-2.0
#include "core/model/block_lowering.h"

#include <map>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "core/model/model.h"
#include "gpu/base/error.h"
#include "gpu/graph/op.h"

namespace strata {

namespace {

/// One repeat of the Block's layers, and what it added to the graph and the context.
struct Repeat {
  // Prefix of the layers' names, such as "block/3/"
  std::string prefix;
  std::vector<ValueId> inputs, masks;
  ValueId output, outputMask;
  struct Extent {
    int nodes = 0;
    size_t variables = 0, nextValues = 0, penalties = 0;
  } begin, end;
};

Repeat::Extent extentOf(const LayerContext& context) {
  return {context.graph.numNodes(), context.variables.size(), context.nextValues.size(),
          context.penalties.size()};
}

/// Lowers one repeat of the Block layer by layer. Requires: `repeat` has a prefix and inputs.
void lowerRepeat(LayerContext& context, const Model& model, Repeat& repeat,
                 const std::vector<std::string>& inputNames) {
  std::map<std::string, ValueId, std::less<>> values, maskOf;
  for (const Layer& layer : model.layers) {
    std::vector<ValueId> taken, masks;
    if (layer.index == 0) {
      taken = repeat.inputs;
      masks = repeat.masks;
    }
    for (const std::string& input : layer.inputs) {
      taken.push_back(values.at(input));
      masks.push_back(maskOf[input]);
    }
    const std::string name = repeat.prefix + layer.name;
    try {
      withMemoryFor(name, [&] {
        LayerCall call{*layer.definition,
                       name,
                       *layer.fields,
                       std::move(taken),
                       layer.index == 0 ? inputNames : layer.inputs,
                       context.mode,
                       context.batchSize,
                       contentsOf(layer),
                       std::move(masks)};
        call.stateRows = context.stateRows;
        call.replicas = context.replicas;
        LoweredLayer lowered = lowerLayer(context.graph, std::move(call));
        for (auto& variable : lowered.variables)
          context.variables.push_back(std::move(variable));
        for (auto& next : lowered.nextValues)
          context.nextValues.push_back(std::move(next));
        for (const ValueId each : lowered.penalties)
          context.penalties.push_back(each);
        repeat.output = lowered.value;
        repeat.outputMask = maskOf[layer.name] = lowered.mask;
        lowered.forEachOutput(layer.name, [&](const std::string& called, ValueId value) {
          values.emplace(called, value);
        });
        maskOf[layer.name + ":0"] = lowered.mask;
      });
    }
    catch (const LayerProblem& problem) {
      Diagnostic diagnostic = problem.diagnostic();
      completeFixes(diagnostic, "layers/" + std::to_string(layer.index));
      throw LayerProblem(std::move(diagnostic));
    }
  }
  if (const Layer* last = model.at(static_cast<int>(model.drafts.size()) - 1)) {
    repeat.output = values.at(last->name);
    repeat.outputMask = maskOf[last->name];
  }
}

/// Whether the Block's layers are lowered in the same way for both values as inputs. Layers that
/// adapt to the data are lowered differently directly after an Input.
bool isLike(const Graph& graph, ValueId one, ValueId other) {
  if (!one.isValid() || !other.isValid()) return one == other;
  const auto isInput = [&](ValueId value) {
    return graph.node(graph.value(value).producer).op->role == OpRole::Input;
  };
  return graph.type(one) == graph.type(other) && isInput(one) == isInput(other);
}
bool isLike(const Graph& graph, const std::vector<ValueId>& ones,
            const std::vector<ValueId>& others) {
  return std::equal(ones.begin(), ones.end(), others.begin(), others.end(),
                    [&](ValueId a, ValueId b) { return isLike(graph, a, b); });
}

/// Copies everything that the earlier repeat `before` added to the graph and the context. The
/// copies have the inputs and names of `repeat`.
void copyLayers(LayerContext& context, const Repeat& before, Repeat& repeat) {
  Graph& graph = context.graph;
  std::unordered_map<ValueId, ValueId> copies;
  const auto put = [&](const std::vector<ValueId>& from, const std::vector<ValueId>& to) {
    for (size_t i = 0; i < from.size(); ++i)
      if (from[i].isValid()) copies.insert_or_assign(from[i], to[i]);
  };
  const auto copyOf = [&](ValueId value) {
    const auto found = copies.find(value);
    return found == copies.end() ? value : found->second;
  };
  const auto renamed = [&](const std::string& name) {
    return name.starts_with(before.prefix) ? repeat.prefix + name.substr(before.prefix.size())
                                           : name;
  };
  put(before.inputs, repeat.inputs);
  put(before.masks, repeat.masks);
  for (NodeId id{before.begin.nodes}; id.index < before.end.nodes; ++id.index) {
    // The node is copied, because adding nodes moves the original.
    const Node node = graph.node(id);
    // All repeats share inputs such as the seed and the step.
    if (node.op->role == OpRole::Input) continue;
    const std::string layer = renamed(node.layer);
    withMemoryFor(layer, [&] {
      const Scope scope(graph, layer, node.phase, graph.value(node.outputs[0]).category);
      Attributes attributes = node.attributes;
      for (const auto& [name, value] : node.attributes.entries())
        if (const auto* text = std::get_if<std::string>(&value))
          attributes.set(name, renamed(*text));
      if (node.op->role == OpRole::Variable) {
        copies[node.outputs[0]] =
            graph.addVariable(attributes.get<std::string>("name"), graph.type(node.outputs[0]),
                              graph.context.category, attributes.get<bool>("trainable"));
        return;
      }
      std::vector<ValueId> inputs;
      for (const ValueId input : node.inputs)
        inputs.push_back(copyOf(input));
      const NodeId copy =
          graph.addNode(*node.op, std::move(inputs), std::move(attributes), node.payload);
      const std::vector<ValueId> outputs = graph.node(copy).outputs;
      put(node.outputs, outputs);
      for (size_t i = 0; i < outputs.size(); ++i)
        graph.edit().setCategory(outputs[i], graph.value(node.outputs[i]).category);
    });
  }
  for (size_t i = before.begin.variables; i < before.end.variables; ++i) {
    VariableRequest variable = context.variables[i];
    variable.name = renamed(variable.name);
    variable.layer = renamed(variable.layer);
    variable.replacement = copyOf(variable.replacement);
    context.variables.push_back(std::move(variable));
  }
  for (size_t i = before.begin.nextValues; i < before.end.nextValues; ++i) {
    const auto [name, value] = context.nextValues[i];
    context.nextValues.emplace_back(renamed(name), copyOf(value));
  }
  for (size_t i = before.begin.penalties; i < before.end.penalties; ++i) {
    const ValueId penalty = copyOf(context.penalties[i]);
    context.penalties.push_back(penalty);
  }
  repeat.output = copyOf(before.output);
  repeat.outputMask = copyOf(before.outputMask);
}

ValueId lowerRepeats(LayerContext& context, const Model& model) {
  std::vector<std::string> names = context.inputNames;
  const int64_t count = context.integer("repeat");
  Repeat before;
  for (int64_t i = 0; i < count; ++i) {
    Repeat repeat;
    repeat.prefix = context.name + "/" + std::to_string(i) + "/";
    repeat.begin = extentOf(context);
    repeat.inputs = i == 0 ? context.inputs.all() : std::vector<ValueId>{before.output};
    repeat.masks = i == 0 ? context.masks : std::vector<ValueId>{before.outputMask};
    if (i > 0 && isLike(context.graph, before.inputs, repeat.inputs) &&
        isLike(context.graph, before.masks, repeat.masks))
      copyLayers(context, before, repeat);
    else
      lowerRepeat(context, model, repeat, names);
    repeat.end = extentOf(context);
    names = {pathOfLayer(context.name)};
    before = std::move(repeat);
  }
  context.outputMask = before.outputMask;
  return before.output;
}

}  // namespace

LowerContents contentsOf(const Layer& layer) {
  if (!layer.inner || layer.inner->layers.empty()) return {};
  return [model = layer.inner](LayerContext& context) {
    return lowerRepeats(context, *model);
  };
}

}  // namespace strata
