// SPDX-License-Identifier: Apache-2.0
#include "core/verify/layer_check.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "core/check/checked_project.h"
#include "core/compile/step_updates.h"
#include "core/cost/open_device.h"
#include "core/data/dataset.h"
#include "core/train/batch_arrays.h"
#include "core/train/evaluator.h"
#include "core/train/step_scalars.h"
#include "core/verify/layer_part.h"
#include "gpu/base/rng.h"

namespace strata {

namespace {

constexpr double kTolerance = 1e-5;
// Of layers with long sums of products, one after the other
constexpr double kSequenceTolerance = 5e-5;
constexpr double kMinCountedShare = 1e-3;

using Values = std::map<std::string, Tensor>;

/// A graph on a device, with its own state.
class CheckedGraph {
 public:
  /// Applies the passes of the device, except to the reference, which runs the graph as it is.
  CheckedGraph(Graph graph, Device& device, bool isOptimized, const Values& weights)
      : m_state(std::make_unique<State>(device)) {
    if (isOptimized) {
      StepGraph step;
      step.graph = std::move(graph);
      StepOptions options;
      options.device = device.traits();
      optimizeStep(step, options, device.passes());
      graph = std::move(step.graph);
    }
    m_program = Program::build(std::move(graph), device, *m_state);
    m_program->bind();
    for (const std::string& name : m_state->names())
      if (const auto found = weights.find(name); found != weights.end())
        m_state->write(name, found->second.converted(m_state->type(name).dtype));
  }
  void write(const std::string& name, const Tensor& value) {
    if (findInput(m_program->graph(), name).isValid()) m_program->writeInput(name, value);
  }
  void run(uint64_t seed) {
    setStep(*m_program, 1, 1e-3, seed, 0);
    m_program->run();
  }
  Tensor read(const std::string& name) const { return m_program->readOutput(name); }

 private:
  std::unique_ptr<State> m_state;
  std::unique_ptr<Program> m_program;
};

Tensor randomTensor(const TensorType& type, uint64_t seed, const std::string& name) {
  Tensor values(DType::F32, type.shape);
  RandomStream random(seed, streamOf(name));
  for (float& value : values.as<float>())
    value = isFloating(type.dtype) ? static_cast<float>(random.normal()) : 0.0f;
  return values.converted(type.dtype);
}

/// The check of one layer.
class Checker {
 public:
  Checker(const Project& project, const LayerCheckOptions& options)
      : m_options(options),
        m_project(project),
        m_seed(options.seed.value_or(m_project.recipe().seed)),
        m_samples(options.samples) {
    m_project.requireSound();
  }

  LayerCheck run() {
    std::shared_ptr<const Dataset> dataset;
    if (m_options.usesData) dataset = loadData();
    if (dataset) m_samples = std::min(m_samples, dataset->trainCount);
    const NetworkGraph network = networkGraphOf(m_project.model(), m_samples);
    const LayerPart part = layerPartOf(network, m_project.model(), m_options.layer);
    knowWeights(network);
    Values inputs;
    if (dataset) inputs = inputsFromData(network, part, *dataset);
    m_check.usesData = !inputs.empty();
    for (size_t i = 0; i < part.inputs.size(); ++i) {
      const std::string name = "input/" + std::to_string(i);
      if (!inputs.contains(name))
        inputs.emplace(name, randomTensor(network.graph.type(part.inputs[i]), m_seed, name));
    }
    if (const ValueId seed = findInput(part.graph, kPartSeed); seed.isValid())
      inputs.emplace(kPartSeed, randomTensor(part.graph.type(seed), m_seed, kPartSeed));
    describe(part);
    compare(part, inputs);
    return std::move(m_check);
  }

 private:
  void checkStop() const {
    if (m_options.stop.stop_requested())
      throw Error(ErrorCode::Stopped, m_options.layer, "stopped.");
  }

  /// Loads the data. A layer can also be checked without it.
  std::shared_ptr<const Dataset> loadData() {
    try {
      auto dataset = loadDataset(m_project);
      if (dataset->trainCount > 0) return dataset;
      m_check.whyRandom = "The data have no training samples.";
    }
    catch (const Error& error) {
      if (error.code() == ErrorCode::Stopped) throw;
      m_check.whyRandom = error.line();
    }
    return nullptr;
  }

  void knowWeights(const NetworkGraph& network) {
    if (!m_options.weights.empty())
      m_weights =
          Evaluator(m_project.project(), m_options.weights, "cpu", m_options.threads).weights();
    for (const VariableRequest& variable : network.variables)
      if (!m_weights.contains(variable.name))
        m_weights.emplace(variable.name, initialValue(variable, m_seed));
  }

  /// Computes the inputs of the layer for the first training samples.
  Values inputsFromData(const NetworkGraph& network, const LayerPart& part,
                        const Dataset& dataset) {
    checkStop();
    const std::unique_ptr<Device> device = openNamedDevice("cpu", deviceOptions());
    Graph graph = network.graph;
    StepGraph ports;
    for (const std::string& name : m_project.model().inputs)
      ports.inputs.push_back({name, graph.type(findInput(graph, name))});
    BatchArrays arrays(*device);
    arrays.describe(ports);
    std::vector<Tensor> batch;
    std::vector<std::byte*> places;
    for (const StepPort& port : ports.inputs)
      batch.emplace_back(port.type);
    for (Tensor& each : batch)
      places.push_back(each.data());
    const std::vector<int32_t> indices = firstIndices();
    arrays.gatherInto(places, *dataset.train, dataset.transforms, indices.data(), m_samples);

    Values inputs;
    bool isComputed = false;
    for (size_t i = 0; i < part.inputs.size(); ++i) {
      const std::string name = "input/" + std::to_string(i);
      const auto port = std::ranges::find_if(ports.inputs, [&](const StepPort& each) {
        return findInput(graph, each.name) == part.inputs[i];
      });
      if (port != ports.inputs.end()) {
        inputs.emplace(name, batch[static_cast<size_t>(port - ports.inputs.begin())]);
        continue;
      }
      graph.addOutput(name, part.inputs[i]);
      isComputed = true;
    }
    if (!isComputed) return inputs;
    CheckedGraph forward(std::move(graph), *device, true, m_weights);
    for (size_t i = 0; i < batch.size(); ++i)
      forward.write(ports.inputs[i].name, batch[i]);
    forward.run(m_seed);
    for (size_t i = 0; i < part.inputs.size(); ++i)
      if (const std::string name = "input/" + std::to_string(i); !inputs.contains(name))
        inputs.emplace(name, forward.read(name));
    return inputs;
  }

  std::vector<int32_t> firstIndices() const {
    std::vector<int32_t> indices(static_cast<size_t>(m_samples));
    for (size_t i = 0; i < indices.size(); ++i)
      indices[i] = static_cast<int32_t>(i);
    return indices;
  }
  DeviceOptions deviceOptions() const {
    DeviceOptions options;
    options.threads = m_options.threads;
    return options;
  }

  void describe(const LayerPart& part) {
    m_check.layer = part.layer;
    m_check.samples = m_samples;
    m_tolerance = kTolerance;
    const Model& model = m_project.model();
    if (const Layer* const layer = model.find(rowOfLayer(part.layer)); layer) {
      if (!layer->inner) m_check.type = layer->definition->schema.type;
      for (const char* type :
           {"SimpleRNN", "LSTM", "GRU", "ConvLSTM2D", "Bidirectional", "TimeDistributed",
            "MultiHeadAttention", "GroupQueryAttention", "Attention", "AdditiveAttention", "Block"})
        if (layer->definition->schema.type == type) m_tolerance = kSequenceTolerance;
    }
  }

  void compare(const LayerPart& part, const Values& inputs) {
    checkStop();
    const std::string name =
        m_options.device.empty() ? m_project.execution().device : m_options.device;
    const std::unique_ptr<Device> device = openNamedDevice(firstOf(name), deviceOptions());
    const std::unique_ptr<Device> reference = openNamedDevice("reference", deviceOptions());
    m_check.device = device->name();
    const auto runOn = [&](Device& on, bool isOptimized) {
      auto graph = std::make_unique<CheckedGraph>(part.graph, on, isOptimized, m_weights);
      for (const auto& [input, value] : inputs)
        graph->write(input, value);
      graph->run(m_seed);
      checkStop();
      return graph;
    };
    const auto got = runOn(*device, true), expected = runOn(*reference, false);
    std::vector<std::string> outputs{kPartOutput};
    outputs.insert(outputs.end(), part.gradients.begin(), part.gradients.end());
    for (const std::string& output : outputs)
      m_check.tensors.push_back(
          differenceOf(output, expected->read(output), got->read(output), m_tolerance));
    judge();
  }

  /// Returns the first device of a list such as "cuda:0,cuda:1" or "cpu*2".
  static std::string firstOf(const std::string& devices) {
    return devices.substr(0, devices.find_first_of(",*"));
  }

  void judge() {
    const auto worst = std::ranges::max_element(
        m_check.tensors, {}, [](const TensorDifference& each) { return each.relative; });
    const auto number = [](double value) {
      char text[32];
      std::snprintf(text, sizeof text, "%.2g", value);
      return std::string(text);
    };
    if (worst->relative == 0)
      m_check.verdict = {
          STRATA_TEXT("layer check", "%1 on %2 equals the reference: all values are equal"),
          {m_check.layer, m_check.device}};
    else if (m_check.isEqual())
      m_check.verdict = {
          STRATA_TEXT("layer check",
                      "%1 on %2 equals the reference: the largest difference is %3 of the largest "
                      "value (%4)"),
          {m_check.layer, m_check.device, number(worst->relative), worst->name}};
    else
      m_check.verdict = {
          STRATA_TEXT("layer check",
                      "%1 on %2 differs from the reference: the %3 differs by %4 of its largest "
                      "value (expected at most %5)"),
          {m_check.layer, m_check.device, worst->name, number(worst->relative),
           number(worst->tolerance)}};
  }

  const LayerCheckOptions& m_options;
  const CheckedProject m_project;
  const uint64_t m_seed;
  int64_t m_samples;
  double m_tolerance = kTolerance;
  Values m_weights;
  LayerCheck m_check;
};

/// Maps floats to integers so that neighbouring floats have neighbouring integers.
int64_t placeOf(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const auto magnitude = static_cast<int64_t>(bits & 0x7fffffffu);
  return bits >> 31 != 0 ? -magnitude : magnitude;
}

}  // namespace

bool LayerCheck::isEqual() const {
  return std::ranges::all_of(tensors, &TensorDifference::isEqual);
}

TensorDifference differenceOf(std::string name, const Tensor& expected, const Tensor& got,
                              double tolerance) {
  TensorDifference result;
  result.name = std::move(name);
  result.shape = expected.shape().toString();
  result.tolerance = tolerance;
  const Tensor expectedFloats = expected.converted(DType::F32),
               gotFloats = got.converted(DType::F32);
  const auto reference = expectedFloats.as<float>(), values = gotFloats.as<float>();
  double largest = 0;
  for (const float value : reference)
    if (std::isfinite(value)) largest = std::max(largest, std::abs(static_cast<double>(value)));
  for (size_t i = 0; i < reference.size(); ++i) {
    const float wanted = reference[i], value = values[i];
    // Equal infinities, and NaN in both, are equal
    if (wanted == value || (std::isnan(wanted) && std::isnan(value))) continue;
    const bool areFinite = std::isfinite(wanted) && std::isfinite(value);
    const double difference =
        areFinite ? std::abs(static_cast<double>(wanted) - static_cast<double>(value))
                  : std::numeric_limits<double>::infinity();
    if (areFinite && std::abs(static_cast<double>(wanted)) >= kMinCountedShare * largest)
      result.ulps =
          std::max(result.ulps, static_cast<uint64_t>(std::abs(placeOf(wanted) - placeOf(value))));
    if (difference <= result.absolute) continue;
    result.absolute = difference;
    result.index = static_cast<int64_t>(i);
    result.expected = wanted;
    result.got = value;
  }
  if (result.absolute > 0)
    result.relative =
        largest > 0 ? result.absolute / largest : std::numeric_limits<double>::infinity();
  return result;
}

Result<LayerCheck> checkLayer(const Project& project, const LayerCheckOptions& options) {
  try {
    return Checker(project, options).run();
  }
  catch (const Error& error) {
    return error;
  }
}

}  // namespace strata
