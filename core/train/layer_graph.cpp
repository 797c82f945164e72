// SPDX-License-Identifier: Apache-2.0
#include "core/train/layer_graph.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/compile/layer_values.h"
#include "core/compile/step_updates.h"
#include "core/recipe/run_edits.h"
#include "gpu/autodiff/autodiff.h"
#include "gpu/graph/op.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

/// Returns the layer of a name in the graph, or null for layers in wrappers.
const Layer* layerOf(const Model& network, const std::string& graphLayer) {
  const Model* model = &network;
  std::string_view path = graphLayer;
  while (true) {
    const size_t end = path.find('/');
    const Layer* const layer = model->find(path.substr(0, end));
    if (!layer || end == std::string_view::npos) return layer;
    if (!layer->inner) return nullptr;
    model = layer->inner.get();
    // The number of the repeat
    const size_t number = path.find('/', end + 1);
    if (number == std::string_view::npos) return nullptr;
    path.remove_prefix(number + 1);
  }
}

/// Returns the activation that computes the output of a layer. A recurrent layer with gates and an
/// attention use theirs inside.
std::string activationOf(const Layer& layer) {
  constexpr std::array<std::string_view, 5> kInside{"LSTM", "GRU", "ConvLSTM2D",
                                                    "MultiHeadAttention", "GroupQueryAttention"};
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kLayers{
      {{"ReLU", "relu"},
       {"LeakyReLU", "leaky_relu"},
       {"PReLU", "prelu"},
       {"ELU", "elu"},
       {"Softmax", "softmax"}}};
  const std::string& type = layer.definition->schema.type;
  for (const auto& [name, activation] : kLayers)
    if (type == name) return std::string(activation);
  if (std::ranges::find(kInside, type) != kInside.end() || !layer.fields) return {};
  const auto field = layer.fields->find("activation");
  if (field == layer.fields->end()) return {};
  std::string name;
  if (field->is_string())
    name = field->get<std::string>();
  else if (field->is_object() && field->contains("type") && field->at("type").is_string())
    name = field->at("type").get<std::string>();
  return name == "linear" ? std::string() : name;
}

/// Returns the project with all layers trainable.
Project trainableProject(const Project& project) {
  Project all = project;
  TrainStage everything;
  everything.trainable = layerPaths(all.document());
  const std::vector<std::string> paths = *everything.trainable;
  std::erase_if(*everything.trainable, [&](const std::string& path) {
    return std::ranges::any_of(
        paths, [&](const std::string& other) { return other.starts_with(path + "/"); });
  });
  applyStage(all.document(), everything);
  return all;
}

bool isComputedReal(const Graph& graph, ValueId value) {
  return isFloating(graph.type(value).dtype) && graph.shape(value).rank() >= 1 &&
         graph.node(graph.value(value).producer).op->kind != OpKind::Source;
}

StepOptions forwardOptions(const StepBuilder& steps, int64_t samples) {
  StepOptions options;
  options.batchSize = samples;
  options.lossScale = steps.execution().lossScale();
  options.stopAfter = Stage::Lowered;
  return options;
}

TrainingOptions withoutMetrics(TrainingOptions training) {
  for (OutputOptions& output : training.outputs)
    output.metrics.clear();
  return training;
}

/// Appends the gradients of all trainable variables. Returns them by name.
std::map<std::string, ValueId> appendGradients(const StepBuilder& steps, StepGraph& step) {
  Graph& graph = step.graph;
  std::vector<std::string> names;
  std::vector<ValueId> targets;
  for (const VariableRequest& variable : step.variables) {
    if (!variable.isTrainable) continue;
    names.push_back(variable.name);
    targets.push_back(valueOfVariable(graph, variable));
  }
  std::map<std::string, ValueId> found;
  if (targets.empty()) return found;
  const auto loss = std::ranges::find(graph.outputs(), "loss", &NamedValue::name);
  GradientSeed seed{loss->value, {}};
  if (steps.execution().precision == Precision::Float16)
    seed.gradient = graph.addInput(kScaleInput, graph.type(loss->value));
  const std::vector<ValueId> gradients = differentiate(graph, {&seed, 1}, targets);
  for (size_t i = 0; i < names.size(); ++i)
    if (gradients[i].isValid()) found.emplace(names[i], gradients[i]);
  return found;
}

}  // namespace

WatchedLayers watchedLayersOf(const StepBuilder& steps) {
  const Model model = CheckedProject(trainableProject(steps.project())).model();
  const StepGraph step =
      buildStep(model, withoutMetrics(steps.training()), forwardOptions(steps, 2));
  WatchedLayers layers;
  std::map<std::string, size_t> places;
  const auto add = [&](const std::string& name) -> WatchedLayer& {
    const auto [place, isNew] = places.try_emplace(name, layers.size());
    if (!isNew) return layers[place->second];
    WatchedLayer& watched = layers.emplace_back();
    watched.name = name;
    if (const Layer* const layer = layerOf(model, name)) {
      watched.type = layer->definition->schema.type;
      watched.activation = activationOf(*layer);
    }
    watched.isOutput = std::ranges::find(model.outputs, rowOfLayer(name)) != model.outputs.end();
    return watched;
  };
  for (const LayerValue& each : layerValuesOf(step.graph, model, step.layerValues)) {
    if (const Layer* const layer = layerOf(model, each.name); layer && layer->inner) continue;
    WatchedLayer& watched = add(each.name);
    const Shape& shape = step.graph.shape(each.value);
    if (isComputedReal(step.graph, each.value) && shape.rank() >= 2) watched.units = shape.dim(-1);
  }
  for (const VariableRequest& variable : step.variables)
    if (variable.isTrainable)
      add(variable.layer).weights.push_back({variable.name, variable.shape.numElements()});
  return layers;
}

LayerGraph buildLayerGraph(const StepBuilder& steps, const WatchedLayers& layers, int64_t samples) {
  StepGraph step =
      buildStep(steps.model(), withoutMetrics(steps.training()), forwardOptions(steps, samples));
  Graph& graph = step.graph;
  std::map<std::string, ValueId> values;
  for (const LayerValue& each : layerValuesOf(graph, steps.model(), step.layerValues))
    if (isComputedReal(graph, each.value)) values.emplace(each.name, each.value);
  const std::map<std::string, ValueId> gradients = appendGradients(steps, step);

  LayerGraph result;
  for (size_t i = 0; i < layers.size(); ++i) {
    LayerOutputs& outputs = result.outputs.emplace_back();
    const std::string number = std::to_string(i);
    if (const auto value = values.find(layers[i].name); value != values.end()) {
      outputs.activation = "layer_statistics:output/" + number;
      graph.addOutput(outputs.activation, value->second);
    }
    for (size_t weight = 0; weight < layers[i].weights.size(); ++weight) {
      const auto gradient = gradients.find(layers[i].weights[weight].name);
      outputs.gradients.emplace_back();
      if (gradient == gradients.end()) continue;
      outputs.gradients.back() =
          "layer_statistics:gradient/" + number + "/" + std::to_string(weight);
      graph.addOutput(outputs.gradients.back(), gradient->second);
    }
  }
  StepOptions options;
  options.device = steps.device().traits();
  options.precision = steps.execution().precision;
  options.disabledPasses = steps.execution().disabledPasses;
  optimizeStep(step, options, steps.device().passes());
  result.graph = std::move(graph);
  return result;
}

}  // namespace strata
