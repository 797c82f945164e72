// SPDX-License-Identifier: Apache-2.0
// What a network holds: first values, weights from files, optimizer state, what a checkpoint takes.
#include <algorithm>

#include "core/check/checked_project.h"
#include "core/interchange/weight_names.h"
#include "core/interchange/weights_file.h"
#include "core/model/model.h"
#include "core/recipe/optimizers.h"
#include "core/train/adaptation.h"
#include "core/train/network.h"
#include "gpu/base/error.h"

namespace strata {

void Network::resetOptimizer() {
  // As if all layers learned: what those that are frozen now have kept begins anew, too.
  Project all = m_project;
  TrainStage everything;
  everything.trainable = layerPaths(all.document());
  const std::vector<std::string> paths = *everything.trainable;
  std::erase_if(*everything.trainable, [&](const std::string& path) {
    return std::any_of(paths.begin(), paths.end(), [&](const std::string& other) { return other.starts_with(path + "/"); });
  });
  applyStage(all.document(), everything);
  StepOptions options;
  options.batchSize = microBatchesOf(m_batchSize).back().samples;
  options.stopAfter = Stage::Differentiated;
  for (const VariableRequest& request : buildStep(CheckedProject(all).model(), m_training, options).optimizerState)
    if (m_state.has(request.name)) m_state.write(request.name, initialValue(request, m_training.seed));
}

void Network::initialize(uint64_t seed, const Dataset* dataset) {
  for (const auto* requests : {&m_variables, &m_optimizerState})
    for (const VariableRequest& request : *requests)
      withMemoryFor(request.layer, [&] { m_state.write(request.name, initialValue(request, seed)); });
  if (dataset == nullptr) return;
  for (const auto& [name, value] : adaptedValues(m_variables, m_model.inputs, *dataset)) m_state.write(name, value);
}

Network::KeptStates::KeptStates(Network& network) : m_state(network.m_state) {
  for (const VariableRequest& request : network.m_variables) {
    if (!isCarriedState(request.name)) continue;
    m_values.emplace(request.name, m_state.read(request.name));
    m_state.write(request.name, Tensor(m_state.type(request.name)));
  }
}

Network::KeptStates::~KeptStates() {
  for (const auto& [name, value] : m_values) m_state.write(name, value);
}

std::vector<std::string> Network::setWeights(TensorReader& tensors, const std::string& file) {
  std::vector<WantedTensor> wanted;
  for (const VariableRequest& request : m_variables)
    wanted.push_back({request.name, m_state.type(request.name).shape, isCarriedState(request.name)});
  const NamedTensors named = matchWeights(tensors, wanted, file);
  for (const VariableRequest& request : m_variables) {
    const auto found = named.tensors.find(request.name);
    if (found == named.tensors.end()) continue;  // what a batch leaves to the next one
    const DType expected = m_state.type(request.name).dtype;
    m_state.write(request.name, found->second.dtype() == expected ? found->second : found->second.converted(expected));
  }
  return named.notes;
}

std::vector<std::string> Network::setWeights(const std::map<std::string, Tensor>& tensors, const std::string& file) {
  TensorsInMemory reader(viewsOf(tensors));
  return setWeights(reader, file);
}

KeptLayers Network::takeWeights(TensorReader& tensors, const std::string& file) {
  std::map<std::string, Shape> shapes;
  for (const auto& [name, type] : tensors.types())
    if (isFloating(type.dtype)) shapes.emplace(name, type.shape);
  KeptLayers layers = keptLayers(m_variables, shapes);
  requireHash(tensors, file);
  for (const VariableRequest& request : m_variables) {
    if (std::find(layers.kept.begin(), layers.kept.end(), request.layer) == layers.kept.end()) continue;
    const Tensor tensor = tensors.read(request.name);
    const DType expected = m_state.type(request.name).dtype;
    m_state.write(request.name, tensor.dtype() == expected ? tensor : tensor.converted(expected));
  }
  return layers;
}

void Network::useAverages() {
  for (const VariableRequest& request : m_variables)
    if (const std::string average = averageName(request.name); m_state.has(average)) m_state.write(request.name, m_state.read(average));
}

std::map<std::string, Tensor> Network::weights() const {
  std::map<std::string, Tensor> result;
  for (const VariableRequest& request : m_variables) result.emplace(request.name, m_state.read(request.name));
  return result;
}

std::map<std::string, Tensor> Network::wholeState() const {
  std::map<std::string, Tensor> result;
  for (const std::string& name : m_state.names()) result.emplace(name, m_state.read(name));
  return result;
}

TensorViews Network::weightViews() const {
  TensorViews views;
  for (const VariableRequest& request : m_variables) views.emplace(request.name, m_state.view(request.name));
  return views;
}

TensorViews Network::stateViews() const {
  TensorViews views;
  for (const std::string& name : m_state.names()) views.emplace(name, m_state.view(name));
  return views;
}

void Network::setWholeState(const std::map<std::string, Tensor>& tensors, const std::string& file) {
  for (const std::string& name : m_state.names()) {
    const auto it = tensors.find(name);
    if (it == tensors.end() || !(it->second.type() == m_state.type(name)))
      throw Error(ErrorCode::InvalidFile, file,
                  "its checkpoint does not fit its project at \"" + name + "\" (expected " + m_state.type(name).toString() + ", got " +
                      (it == tensors.end() ? std::string("nothing") : it->second.type().toString()) + "). Start a new run.");
    m_state.write(name, it->second);
  }
}

}  // namespace strata
