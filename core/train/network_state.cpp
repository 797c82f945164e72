// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

#include "core/check/checked_project.h"
#include "core/compile/loss_scale.h"
#include "core/interchange/weight_names.h"
#include "core/interchange/weights_file.h"
#include "core/model/model.h"
#include "core/recipe/optimizers.h"
#include "core/train/adaptation.h"
#include "core/train/network_state.h"
#include "gpu/base/error.h"
#include "gpu/base/log.h"

namespace strata {

static std::map<std::string, Tensor> copiesOf(const NetworkSnapshot& snapshot) {
  std::map<std::string, Tensor> result;
  for (const auto& [name, view] : snapshot.views()) {
    Tensor& copy = result.emplace(name, Tensor(view.type)).first->second;
    if (copy.bytes() > 0) std::memcpy(copy.data(), view.data, copy.bytes());
  }
  return result;
}

int64_t NetworkState::parameters() const {
  int64_t count = 0;
  for (const VariableRequest& request : m_variables)
    count += request.shape.numElements();
  return count;
}

void NetworkState::describe(const StepGraph& step, const std::vector<std::string>& inputs) {
  m_inputs = inputs;
  if (m_variables.empty()) m_variables = step.variables;
  if (m_optimizerState.empty()) {
    m_optimizerState = step.optimizerState;
    for (const VariableRequest& each : m_optimizerState)
      if (!each.shards.empty()) m_values.divide(each.name, {DType::F32, each.shape}, each.shards);
  }
}

void NetworkState::forgetRequests() {
  m_variables.clear();
  m_optimizerState.clear();
}

void NetworkState::addMissing(const std::vector<std::string>& before, uint64_t seed) {
  for (const auto* requests : {&m_variables, &m_optimizerState})
    for (const VariableRequest& request : *requests)
      if (!std::binary_search(before.begin(), before.end(), request.name))
        m_values.write(request.name, initialValue(request, seed));
  // Nadam's product of momenta depends only on the number of updates. If a weight becomes trainable
  // again, it takes the product of the other weights.
  double product = 1;
  const auto isProduct = [](const std::string& name) {
    return name.ends_with(":u_product");
  };
  for (const std::string& name : before)
    if (isProduct(name))
      product = std::min(product, static_cast<double>(m_values.read(name).as<float>()[0]));
  for (const std::string& name : m_values.names())
    if (isProduct(name)) m_values.write(name, Tensor::scalar(static_cast<float>(product)));
  // An average starts with the value of its weight, as at the first update.
  for (const VariableRequest& request : m_variables)
    if (const std::string average = averageName(request.name);
        m_values.has(average) && !std::binary_search(before.begin(), before.end(), average))
      m_values.write(average, m_values.read(request.name));
}

void NetworkState::initialize(uint64_t seed, const Dataset* dataset) {
  for (const auto* requests : {&m_variables, &m_optimizerState})
    for (const VariableRequest& request : *requests)
      withMemoryFor(request.layer,
                    [&] { m_values.write(request.name, initialValue(request, seed)); });
  if (dataset == nullptr) return;
  for (const auto& [name, value] : adaptedValues(m_variables, m_inputs, *dataset))
    m_values.write(name, value);
}

/// Cards may lose a NaN of a weight (gpu/passes/fuse_into_products.cpp), so none may come in.
static void requireFinite(const Tensor& value, const std::string& name, const std::string& file) {
  if (value.dtype() != DType::F32) return;
  const std::span<const float> elements = value.as<float>();
  if (std::ranges::all_of(elements, [](float element) { return std::isfinite(element); })) return;
  throw Error(ErrorCode::InvalidFile, file,
              "the weights \"" + name +
                  "\" contain values that are not finite. Use the weights of another run or file.");
}

std::vector<std::string> NetworkState::setWeights(TensorReader& tensors, const std::string& file) {
  std::vector<WantedTensor> wanted;
  for (const VariableRequest& request : m_variables)
    wanted.push_back(
        {request.name, m_values.type(request.name).shape, isCarriedState(request.name)});
  const NamedTensors named = matchWeights(tensors, wanted, file);
  for (const VariableRequest& request : m_variables) {
    const auto found = named.tensors.find(request.name);
    // Only carried state may be missing.
    if (found == named.tensors.end()) continue;
    const DType expected = m_values.type(request.name).dtype;
    const Tensor value =
        found->second.dtype() == expected ? found->second : found->second.converted(expected);
    requireFinite(value, request.name, file);
    m_values.write(request.name, value);
  }
  return named.notes;
}

std::vector<std::string> NetworkState::setWeights(const std::map<std::string, Tensor>& tensors,
                                                  const std::string& file) {
  TensorsInMemory reader(viewsOf(tensors));
  return setWeights(reader, file);
}

KeptLayers NetworkState::takeWeights(TensorReader& tensors, const std::string& file) {
  std::map<std::string, Shape> shapes;
  for (const auto& [name, type] : tensors.types())
    if (isFloating(type.dtype)) shapes.emplace(name, type.shape);
  KeptLayers layers = keptLayers(m_variables, shapes);
  requireHash(tensors, file);
  for (const VariableRequest& request : m_variables) {
    if (std::find(layers.kept.begin(), layers.kept.end(), request.layer) == layers.kept.end())
      continue;
    const Tensor tensor = tensors.read(request.name);
    const DType expected = m_values.type(request.name).dtype;
    m_values.write(request.name, tensor.dtype() == expected ? tensor : tensor.converted(expected));
  }
  return layers;
}

std::optional<LossScaleState> NetworkState::lossScale() const {
  if (!m_values.has(kSkippedSteps)) return std::nullopt;
  const auto number = [&](const char* name) {
    return static_cast<double>(m_values.read(name).as<float>()[0]);
  };
  return LossScaleState{number(kLossScale), static_cast<int64_t>(number(kSkippedSteps))};
}

void NetworkState::useAverages() {
  for (const VariableRequest& request : m_variables)
    if (const std::string average = averageName(request.name); m_values.has(average))
      m_values.write(request.name, m_values.read(average));
}

void NetworkState::exchangeAverages() {
  for (const VariableRequest& request : m_variables)
    if (const std::string average = averageName(request.name); m_values.has(average))
      m_values.exchange(request.name, average);
}

NetworkState::AveragedWeights::AveragedWeights(NetworkState& state, bool isOn)
    : m_state(state), m_isOn(isOn) {
  if (m_isOn) m_state.exchangeAverages();
}

NetworkState::AveragedWeights::~AveragedWeights() {
  if (!m_isOn) return;
  try {
    m_state.exchangeAverages();
  }
  catch (const Error& error) {
    // The device has failed, so that the run ends
    logLine(LogLevel::Warning, error.line());
  }
}

std::map<std::string, Tensor> NetworkState::weights() const { return copiesOf(weightSnapshot()); }

std::map<std::string, Tensor> NetworkState::all() const { return copiesOf(m_values.snapshot()); }

NetworkSnapshot NetworkState::weightSnapshot() const {
  std::vector<std::string> names;
  for (const VariableRequest& request : m_variables)
    names.push_back(request.name);
  return m_values.snapshot(names);
}

void NetworkState::setAll(const std::map<std::string, Tensor>& tensors, const std::string& file) {
  for (const std::string& name : m_values.names()) {
    const auto it = tensors.find(name);
    if (it == tensors.end() || !(it->second.type() == m_values.type(name)))
      throw Error(
          ErrorCode::InvalidFile, file,
          "the checkpoint does not fit the project at \"" + name + "\" (expected " +
              m_values.type(name).toString() + ", got " +
              (it == tensors.end() ? std::string("nothing") : it->second.type().toString()) +
              "). Start a new run.");
    m_values.write(name, it->second);
  }
}

NetworkState::FreshCarriedStates::FreshCarriedStates(NetworkState& state)
    : m_state(state.m_values) {
  for (const VariableRequest& request : state.m_variables) {
    if (!isCarriedState(request.name)) continue;
    m_before.emplace(request.name, m_state.read(request.name));
    m_state.write(request.name, Tensor(m_state.type(request.name)));
  }
}

NetworkState::FreshCarriedStates::~FreshCarriedStates() {
  for (const auto& [name, value] : m_before)
    m_state.write(name, value);
}

}  // namespace strata
