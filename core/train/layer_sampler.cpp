// SPDX-License-Identifier: Apache-2.0
#include "core/train/layer_sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/layer_statistics/layer_file.h"
#include "gpu/base/bytes.h"
#include "gpu/base/error.h"
#include "gpu/base/text.h"

namespace strata {

namespace {

constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

/// Returns the elements of a tensor in host memory as float32; `converted` keeps them if they have
/// another type.
std::span<const float> floatsOf(const TensorView& view, Tensor& converted) {
  const auto count = static_cast<size_t>(view.type.shape.numElements());
  if (view.type.dtype == DType::F32) return {reinterpret_cast<const float*>(view.data), count};
  Tensor copy(view.type);
  std::copy_n(view.data, view.type.bytes(), copy.data());
  converted = copy.converted(DType::F32);
  return converted.as<float>();
}

float ratioOf(double change, double norm) {
  return norm > 0 ? static_cast<float>(std::log10(change / norm)) : kUnknown;
}

std::string bytesOf(size_t bytes) { return bytesText(static_cast<double>(bytes)); }

}  // namespace

LayerSampler::LayerSampler(Network& network) : m_network(network) {
  const StepBuilder& steps = network.steps();
  m_layers = std::make_shared<const WatchedLayers>(watchedLayersOf(steps));
  m_status.problem = whyNotWatched(*m_layers);
  m_status.device = steps.device().name();
  m_status.batchSize = steps.batchSize();
  if (steps.numReplicas() > 1) m_status.replica = STRATA_TEXT("argument", "replica 0").source;
  m_constant.resize(m_layers->size());
  for (const WatchedLayer& layer : *m_layers)
    for (const WatchedLayer::Weight& weight : layer.weights)
      if (network.state().values().has(weight.name)) m_names.push_back(weight.name);
}

LayerSampler::~LayerSampler() = default;

void LayerSampler::release() {
  cancel();
  m_weights.reset();
  m_program.reset();
  m_state.reset();
}

/// Compiles the program for so many samples, if it fits into `room`. Returns whether it does.
bool LayerSampler::tryBuild(int64_t samples, size_t room) {
  const StepBuilder& steps = m_network.steps();
  LayerGraph graph = buildLayerGraph(steps, *m_layers, samples);
  auto state = std::make_unique<State>(steps.device());
  auto program = Program::build(std::move(graph.graph), steps.device(), *state);
  m_status.bytes = program->memory().peakBytes();
  m_status.samples = samples;
  if (m_status.bytes > room) return false;
  program->bind();
  m_outputs = std::move(graph.outputs);
  m_state = std::move(state);
  m_program = std::move(program);
  return true;
}

void LayerSampler::build(size_t keptBytes) {
  release();
  m_status.problem = whyNotWatched(*m_layers);
  if (!m_status.isSampled()) return;
  const StepBuilder& steps = m_network.steps();
  const size_t limit = steps.memoryLimitBytes(), used = m_network.plannedPeakBytes() + keptBytes,
               room = limit - std::min(limit, used);
  const std::vector<MicroBatch> pieces = steps.microBatchesOf(steps.batchSize());
  const auto first = std::ranges::find(pieces, 0, &MicroBatch::rank);
  m_offset = first->offset;
  try {
    for (int64_t samples = first->samples; samples > 0;) {
      if (tryBuild(samples, room)) return;
      if (samples == 1) break;
      // A little less than the share that fits, because not all memory depends on the samples
      const double fits = 0.9 * static_cast<double>(room) / static_cast<double>(m_status.bytes);
      samples = std::max<int64_t>(
          1, std::min(samples / 2, static_cast<int64_t>(fits * static_cast<double>(samples))));
    }
    m_status.problem = {
        STRATA_TEXT("layer sampling", "they need %1 of memory, and the run leaves %2"),
        {bytesOf(m_status.bytes), bytesOf(room)}};
  }
  catch (const Error& error) {
    release();
    if (error.code() == ErrorCode::Stopped) throw;
    m_status.problem = {
        STRATA_TEXT("layer sampling", "the program that computes them cannot be built (%1)"),
        {error.line()}};
  }
  m_status.samples = 0;
  m_status.bytes = 0;
}

/// Copies the weights and all other values that the program reads, and keeps the watched ones.
void LayerSampler::copyWeights() {
  const NetworkValues& values = m_network.state().values();
  for (const std::string& name : m_state->names())
    if (values.has(name)) m_state->write(name, values.read(name));
  if (m_weights)
    m_weights->refresh();
  else
    m_weights = values.snapshot(m_names);
  for (const auto& [name, view] : m_weights->views()) {
    Tensor converted;
    const std::span<const float> floats = floatsOf(view, converted);
    m_before[name].assign(floats.begin(), floats.end());
  }
}

/// Returns the scale of the loss in the program, which is 1 except in float16.
double LayerSampler::lossScale() const {
  if (m_network.steps().execution().precision != Precision::Float16) return 1;
  if (const std::optional<LossScaleState> state = m_network.state().lossScale())
    return state->scale;
  return m_network.steps().execution().lossScale().value;
}

void LayerSampler::begin(const Update& update, const Dataset& dataset) {
  copyWeights();
  m_network.arrays().gather(*m_program, *dataset.train, dataset.transforms,
                            update.indices.data() + m_offset, m_status.samples);
  setStep(*m_program, update.update, update.learningRate, update.seed,
          update.firstSample + m_offset);
  m_program->setScalar(kScaleInput, static_cast<float>(lossScale()));
  m_program->run();
  m_sample = std::make_shared<LayerSample>();
  m_sample->watched = m_layers;
  m_sample->samples = m_status.samples;
  m_sample->layers.resize(m_layers->size());
  for (size_t i = 0; i < m_layers->size(); ++i)
    measureLayer(i);
}

void LayerSampler::measureLayer(size_t index) {
  const WatchedLayer& watched = (*m_layers)[index];
  const LayerOutputs& outputs = m_outputs[index];
  LayerStatistics& result = m_sample->layers[index];
  result.updateRatios.assign(watched.weights.size(), kUnknown);
  std::vector<std::span<const float>> pieces;
  for (const WatchedLayer::Weight& weight : watched.weights)
    if (const auto before = m_before.find(weight.name); before != m_before.end())
      pieces.emplace_back(before->second);
  result.weights = statisticsOf(pieces);

  std::vector<Tensor> gradients;
  for (const std::string& name : outputs.gradients)
    if (!name.empty()) gradients.push_back(m_program->readOutput(name).converted(DType::F32));
  pieces.clear();
  for (Tensor& gradient : gradients) {
    if (const double scale = lossScale(); scale != 1)
      for (float& value : gradient.as<float>())
        value = static_cast<float>(static_cast<double>(value) / scale);
    pieces.emplace_back(gradient.as<float>());
  }
  result.gradients = statisticsOf(pieces);

  if (outputs.activation.empty()) return;
  const Tensor output = m_program->readOutput(outputs.activation).converted(DType::F32);
  result.activations = statisticsOf(output.as<float>());
  result.saturated = saturatedShare(watched.activation, output.as<float>());
  judgeUnits(index, output.as<float>(), result);
}

/// Counts the units that were constant in this sampling and in the ones before.
void LayerSampler::judgeUnits(size_t index, std::span<const float> values,
                              LayerStatistics& result) {
  const WatchedLayer& watched = (*m_layers)[index];
  if (watched.units <= 0 || std::ssize(values) < kMinValuesPerUnit * watched.units) return;
  std::vector<char> constant = constantUnits(values, watched.units);
  const bool isRelu = watched.activation == "relu" || watched.activation == "relu6";
  for (size_t unit = 0; unit < constant.size(); ++unit) {
    // A constant output where the activation has a slope is not the fault of the unit
    const float value = values[unit];
    const bool isStuck =
        (isRelu && value == 0) ||
        (watched.activation != "relu" && !(saturatedShare(watched.activation, {&value, 1}) < 1));
    if (!isStuck) constant[unit] = 0;
  }
  auto& latest = m_constant[index];
  latest.push_back(std::move(constant));
  if (latest.size() > kVerdictSamples) latest.erase(latest.begin());
  result.deadUnits = 0;
  for (size_t unit = 0; unit < latest.back().size(); ++unit)
    if (std::ranges::all_of(latest, [&](const auto& each) { return each[unit] != 0; }))
      ++result.deadUnits;
  m_sample->recent = std::max(m_sample->recent, static_cast<int32_t>(latest.size()));
}

void LayerSampler::measureUpdates(size_t index, LayerStatistics& result) const {
  const WatchedLayer& watched = (*m_layers)[index];
  double change = 0, norm = 0;
  bool isTrained = false;
  for (size_t i = 0; i < watched.weights.size(); ++i) {
    const auto before = m_before.find(watched.weights[i].name);
    const auto after = m_weights->views().find(watched.weights[i].name);
    // Frozen weights have no gradient
    if (before == m_before.end() || after == m_weights->views().end() ||
        m_outputs[index].gradients[i].empty())
      continue;
    Tensor converted;
    const double ownChange = distanceOf(before->second, floatsOf(after->second, converted)),
                 ownNorm = normOf(before->second);
    result.updateRatios[i] = ratioOf(ownChange, ownNorm);
    change += ownChange * ownChange;
    norm += ownNorm * ownNorm;
    isTrained = true;
  }
  if (isTrained) result.updateRatio = ratioOf(std::sqrt(change), std::sqrt(norm));
}

std::shared_ptr<LayerSample> LayerSampler::finish(bool isOne) {
  if (isOne && !m_names.empty()) {
    m_weights->refresh();
    for (size_t i = 0; i < m_layers->size(); ++i)
      measureUpdates(i, m_sample->layers[i]);
  }
  return std::exchange(m_sample, nullptr);
}

}  // namespace strata
