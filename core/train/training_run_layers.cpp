// SPDX-License-Identifier: Apache-2.0
// What a run keeps for a look at its layers: their statistics every some steps, and the batch of a
// step that was not finite.
#include <utility>

#include "core/data/dataset.h"
#include "core/train/training_run.h"

namespace strata {

/// Tells how layers are sampled.
void TrainingRun::tellLayerSampling(const LayerSampling& sampling) {
  notify([&](RunObserver& o) { o.onLayerSampling(sampling); });
}

/// Samples layers from the start, if the run is to do so and is long enough.
void TrainingRun::startLayers() {
  if (m_resumed) m_layerFileStep = m_position.step;
  if (!m_environment.samplesLayers || !isFirstProcess()) return;
  m_pace.begin(m_position.step, m_options.layerInterval);
  const int64_t steps = m_totalSteps - m_position.step;
  // A continued run goes on with its statistics
  const bool isAsked = m_options.isSamplingAsked || m_options.layerInterval ||
                       (m_resumed && m_files && m_files->hasLayers());
  if (!isAsked && !SamplingPace::fitsInto(steps)) {
    LayerSampling sampling;
    sampling.problem = {
        STRATA_TEXT("layer sampling",
                    "a sample would take more than 3% of the time of only %1 steps"),
        {std::to_string(steps)}};
    tellLayerSampling(sampling);
    return;
  }
  switchLayersOn();
}

/// Begins to sample layers before the next update.
void TrainingRun::switchLayersOn() {
  m_samplesLayers = true;
  try {
    if (!m_layers) m_layers = std::make_unique<LayerSampler>(*m_network);
    if (m_files && !m_files->layers() && m_layers->status().isSampled()) {
      std::string warning;
      m_files->openLayers(m_layers->layers(), m_layerFileStep, warning);
      if (!warning.empty()) notify([&](RunObserver& o) { o.onWarning(warning); });
    }
  }
  catch (const Error& error) {
    // The run does not depend on statistics
    if (error.code() == ErrorCode::Stopped) throw;
    LayerSampling sampling;
    sampling.problem = {STRATA_TEXT("layer sampling", "%1"), {error.line()}};
    m_layers.reset();
    m_samplesLayers = false;
    tellLayerSampling(sampling);
    return;
  }
  rebuildLayers();
}

/// Switches the sampling of layers on or off, if the user asks for it.
void TrainingRun::takeLayerRequest() {
  const std::optional<bool> isOn = m_control.takeLayerRequest();
  if (!isOn || !isFirstProcess()) return;
  if (!*isOn) {
    if (!std::exchange(m_samplesLayers, false)) return;
    LayerSampling sampling = m_layers->status();
    m_layers->release();
    sampling.isOff = true;
    tellLayerSampling(sampling);
    return;
  }
  m_pace.ask(m_position.step);
  if (!m_samplesLayers) switchLayersOn();
}

/// Compiles the program of layers, also again after another step was compiled.
void TrainingRun::rebuildLayers() {
  if (!m_samplesLayers) return;
  m_layers->build(m_batches->keptBytes());
  tellLayerSampling(m_layers->status());
}

/// Returns whether the next update that is submitted should be sampled.
bool TrainingRun::isLayerSampleDue() const {
  return m_layers && m_layers->isReady() && !m_layers->isSampling() &&
         m_pace.isDue(m_position.step + m_numPending + 1);
}

/// Computes the statistics of layers before the next update, if they are due. Smaller batches at
/// the end of an epoch are not sampled.
void TrainingRun::beginLayerSample() {
  if (!isLayerSampleDue()) return;
  int64_t pass = m_position.pass, index = m_position.stepInPass;
  if (index >= m_batches->stepsPerPass()) {
    index -= m_batches->stepsPerPass();
    ++pass;
  }
  if (m_batches->samplesOf(index) != m_network->steps().batchSize()) return;
  const auto started = Clock::now();
  try {
    m_layers->begin(
        {m_position.step + 1 - m_position.updateOffset, rateAfter(m_position.step), m_seed,
         m_batches->indicesOf(m_seed, pass, index), m_batches->firstSampleOf(index)},
        *m_dataset);
  }
  catch (const Error& error) {
    if (error.code() == ErrorCode::Stopped) throw;
    m_layers->release();
    // Another request builds the program again
    m_samplesLayers = false;
    LayerSampling sampling = m_layers->status();
    sampling.problem = {STRATA_TEXT("layer sampling", "%1"), {error.line()}};
    tellLayerSampling(sampling);
    return;
  }
  m_layerStep = m_position.step;
  m_layerTime = Clock::now() - started;
}

/// Completes and keeps the statistics after the update.
void TrainingRun::endLayerSample() {
  if (!m_layers || !m_layers->isSampling()) return;
  const auto started = Clock::now();
  const std::shared_ptr<LayerSample> sample = m_layers->finish(m_position.step == m_layerStep + 1);
  sample->step = m_layerStep + 1;
  sample->epoch = static_cast<int32_t>(m_position.epoch);
  sample->seconds = m_position.seconds;
  sample->cost = std::chrono::duration<double>(m_layerTime + (Clock::now() - started)).count();
  if (m_files && m_files->layers() && !m_isWithoutFiles && !m_hasLayerFailure) {
    try {
      m_files->layers()->append(*sample);
    }
    catch (const Error& error) {
      m_hasLayerFailure = true;
      const std::string warning = error.line() + " The statistics of layers are not saved.";
      notify([&](RunObserver& o) { o.onWarning(warning); });
    }
  }
  m_observer.onLayerSample(sample);
  m_pace.addSampling(sample->step, m_layerTime + (Clock::now() - started));
}

/// Writes the batch of a bad update to the run directory. `cause` names the layer.
void TrainingRun::keepBadBatch(const BadBatch& bad, const Error& cause) {
  if (!m_files || m_isWithoutFiles) return;
  KeptBatch batch;
  batch.step = bad.step;
  batch.epoch = m_position.epoch;
  batch.loss = bad.loss;
  batch.layer = cause.subject();
  batch.message = cause.what();
  batch.indices = bad.indices;
  const BatchArrays& arrays = m_network->arrays();
  std::vector<Tensor> tensors;
  std::vector<std::string> names;
  for (size_t i = 0; i < arrays.all().size(); ++i) {
    TensorType type = arrays.all()[i].type;
    if (type.shape.rank() > 0) type.shape.set(0, bad.count());
    tensors.emplace_back(type);
    names.push_back(i < arrays.numInputs()
                        ? "input/" + arrays.all()[i].name
                        : "target/" + arrays.outputs()[i - arrays.numInputs()].layer);
  }
  std::vector<std::byte*> places;
  for (Tensor& tensor : tensors)
    places.push_back(tensor.data());
  arrays.gatherInto(places, *bad.samples, bad.transforms, bad.indices.data(), bad.count());
  for (size_t i = 0; i < arrays.outputs().size(); ++i) {
    if (arrays.outputs()[i].weights.empty()) continue;
    Tensor& weights = tensors.emplace_back(DType::F32, Shape{bad.count()});
    names.push_back("weight/" + arrays.outputs()[i].layer);
    gatherWeights(*bad.samples, i, bad.indices.data(), 0, bad.count(), weights.as<float>().data());
  }
  TensorViews views;
  for (size_t i = 0; i < tensors.size(); ++i)
    views.emplace(names[i], TensorView{tensors[i].type(), tensors[i].data()});
  try {
    const KeptBatch kept = m_files->keepBatch(std::move(batch), views);
    m_keptBatch = kept.path;
    notify([&](RunObserver& o) { o.onKeptBatch(kept); });
  }
  catch (const Error& error) {
    notify([&](RunObserver& o) { o.onWarning(error.line()); });
  }
}

/// Returns a batch of the training data with the state of an update.
BadBatch TrainingRun::batchOf(int64_t pass, int64_t index) const {
  BadBatch batch;
  batch.samples = m_dataset->train.get();
  batch.transforms = m_dataset->transforms;
  batch.indices = m_batches->indicesOf(m_seed, pass, index);
  batch.firstSample = m_batches->firstSampleOf(index);
  batch.loss = m_metrics.loss;
  batch.learningRate = m_metrics.learningRate;
  batch.seed = m_seed;
  return batch;
}

/// Ends the run because of a bad update. The position stays before it, and its batch is made again
/// from seed, pass and index.
void TrainingRun::failNonFinite(const PendingStep& step, double seconds) {
  ++m_position.step;
  // Shows the loss on the curve, although no update took place.
  report(m_sums, seconds);
  --m_position.step;
  BadBatch batch = batchOf(step.pass, step.index);
  batch.step = m_position.step + 1;
  batch.update = step.update;
  batch.learningRate = step.learningRate;
  dropPending();
  // Frees the memory for the search
  if (m_layers) m_layers->release();
  const Error cause = explainNonFinite(*m_network, batch);
  keepBadBatch(batch, cause);
  throw cause;
}

/// Keeps the batch of the last update, after which values of the network are no longer finite.
void TrainingRun::keepLastBatch(const Error& cause) {
  int64_t pass = m_position.pass, index = m_position.stepInPass - 1;
  if (index < 0) {
    index = m_batches->stepsPerPass() - 1;
    --pass;
  }
  if (pass < 0 || cause.code() != ErrorCode::NonFinite) return;
  if (m_layers) m_layers->release();
  BadBatch batch = batchOf(pass, index);
  batch.step = m_position.step;
  keepBadBatch(batch, cause);
}

}  // namespace strata
