// SPDX-License-Identifier: Apache-2.0
#include "core/train/batch_arrays.h"

#include <cstring>

#include "core/recipe/losses.h"
#include "gpu/base/error.h"
#include "gpu/base/thread_pool.h"

namespace strata {

namespace {

// Batches with fewer elements than this are copied by one thread, because waking the pool would
// take longer.
constexpr int64_t kMinElementsForPool = 128 * 1024;

Shape withBatch(int64_t batch, Shape shape) {
  if (shape.rank() > 0) shape.set(0, batch);
  return shape;
}

Shape withoutBatch(const Shape& shape) { return shape.rank() > 0 ? shape.without(0) : shape; }

}  // namespace

void BatchArrays::describe(const StepGraph& step) {
  m_arrays.clear();
  for (const auto* ends : {&step.inputs, &step.targets})
    for (const StepPort& end : *ends)
      m_arrays.push_back({end.name, {end.type.dtype, withBatch(1, end.type.shape)}});
  m_numInputs = step.inputs.size();
  m_places.resize(m_arrays.size());
  m_outputs = step.outputs;
  m_untrained = step.untrained;
}

void BatchArrays::requireThoseOf(const Dataset& dataset, const TrainingOptions& recipe) const {
  for (size_t i = 0; i < m_numInputs; ++i) {
    const Shape expected = withoutBatch(m_arrays[i].type.shape), &got = dataset.inputs.at(i).shape;
    if (!(got == expected))
      throw Error(ErrorCode::ShapeMismatch, m_arrays[i].name,
                  "the data does not fit (expected samples of " + expected.toString() + ", got " +
                      got.toString() + "). Set the shape of the Input layer to that of the data.");
  }
  for (size_t i = 0; i < m_outputs.size(); ++i) {
    const Shape expected = withoutBatch(m_arrays[m_numInputs + i].type.shape),
                &got = dataset.targets.at(i).shape;
    // Shorter sequences are padded.
    const bool isOfSequences =
        findLoss(recipe.outputs[i].loss.type)->target == TargetKind::Sequences;
    if (isOfSequences ? got.numElements() > expected.numElements()
                      : got.numElements() != expected.numElements())
      throw Error(ErrorCode::ShapeMismatch, m_outputs[i].layer,
                  "the targets do not fit the output (expected " + expected.toString() +
                      " per sample, got " + got.toString() +
                      "). Change the units of the last layer, or the loss.");
  }
}

size_t BatchArrays::bytes(size_t array, int64_t samples) const {
  const TensorType& type = m_arrays[array].type;
  return TensorType{type.dtype, withBatch(samples, type.shape)}.bytes();
}

void BatchArrays::gatherInto(std::span<std::byte* const> places, const Samples& samples,
                             const InputTransforms& transforms, const int32_t* indices,
                             int64_t count) const {
  if (samples.decode) {
    const Samples decoded = samplesInMemory(samples, {indices, static_cast<size_t>(count)});
    return gatherInto(places, decoded, transforms, samplesFrom(0, count).data(), count);
  }
  const size_t inputs = m_numInputs;
  const auto share = [&](int64_t begin, int64_t end) {
    for (size_t i = 0; i < places.size(); ++i) {
      if (!places[i]) continue;
      const TensorType& type = m_arrays[i].type;
      if (i < inputs)
        gatherInputs(samples.x[i], transforms[i], indices, begin, end, places[i], type.dtype);
      else
        gatherTargets(samples.y[i - inputs], indices, begin, end, places[i], type.dtype,
                      type.shape.numElements());
    }
  };
  int64_t elements = 0;
  for (size_t i = 0; i < inputs; ++i)
    elements += m_arrays[i].type.shape.numElements();
  const int workers = m_device.numWorkers();
  if (workers == 1 || count * elements < kMinElementsForPool) return share(0, count);
  m_device.pool().run([&](int worker) {
    const WorkRange range = shareOf(count, worker, workers);
    share(range.begin, range.end);
  });
}

void BatchArrays::gather(Program& program, const Samples& samples,
                         const InputTransforms& transforms, const int32_t* indices, int64_t count) {
  m_turn = 1 - m_turn;
  std::vector<AlignedBytes>& staging = m_staging[m_turn];
  staging.resize(m_arrays.size() + m_outputs.size());
  for (size_t i = 0; i < m_arrays.size(); ++i)
    m_places[i] = placeFor(program, m_arrays[i].name, staging[i], bytes(i, count));
  gatherInto(m_places, samples, transforms, indices, count);
  placeWeights(program, samples, indices, count);
}

std::byte* BatchArrays::placeFor(Program& program, const std::string& input, AlignedBytes& staging,
                                 size_t bytes) {
  if (!findInput(program.graph(), input).isValid()) return nullptr;
  if (std::byte* const place = program.hostInput(input)) return place;
  if (staging.size() < bytes) staging = AlignedBytes(bytes);
  program.feed(input, staging.data());
  return staging.data();
}

void BatchArrays::placeWeights(Program& program, const Samples& samples, const int32_t* indices,
                               int64_t count) {
  std::vector<AlignedBytes>& staging = m_staging[m_turn];
  staging.resize(m_arrays.size() + m_outputs.size());
  for (size_t i = 0; i < m_outputs.size(); ++i)
    if (const std::string& name = m_outputs[i].weights; !name.empty())
      if (std::byte* const place = placeFor(program, name, staging[m_arrays.size() + i],
                                            static_cast<size_t>(count) * sizeof(float)))
        gatherWeights(samples, i, indices, 0, count, reinterpret_cast<float*>(place));
}

}  // namespace strata
