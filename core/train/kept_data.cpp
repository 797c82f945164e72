// SPDX-License-Identifier: Apache-2.0
#include "core/train/kept_data.h"

#include <algorithm>
#include <optional>

namespace strata {

namespace {

/// An array of samples, and what to make of it.
struct Source {
  std::string name;
  Tensor values;
  InputTransform transform;

  int64_t elements() const {
    return values.shape().rank() > 0 ? values.shape().without(0).numElements() : 1;
  }
};

const MapStep* onlyStep(const InputTransform& transform) {
  return transform.more && transform.more->size() == 1 ? transform.more->data() : nullptr;
}

/// Returns whether a device can make an input of type `target` from the source.
bool canGather(const Source& source, DType target) {
  const InputTransform& transform = source.transform;
  const DType from = source.values.dtype();
  if (transform.isExact) return false;
  if (transform.more && !transform.more->empty()) {
    const MapStep* const step = onlyStep(transform);
    if (!step || step->kind != MapStep::Kind::Affine ||
        static_cast<int64_t>(step->shift.size()) != source.elements())
      return false;
  }
  if (target == DType::F32) return from == DType::U8 || from == DType::I32 || from == DType::F32;
  return target == DType::I32 && (from == DType::U8 || from == DType::I32) &&
         transform.scale == 1 && transform.offset == 0 && !onlyStep(transform);
}

/// Returns the weights of an output, which are 1 if the data has none.
Tensor weightsOf(const Samples& samples, size_t output, int64_t count) {
  Tensor result(DType::F32, {count});
  gatherWeights(samples, output, samplesFrom(0, count).data(), 0, count, result.as<float>().data());
  return result;
}

/// Lists the arrays of all batches. Returns nullopt if the device cannot gather one of them.
std::optional<std::vector<Source>> sourcesOf(const Network& network, const Dataset& dataset) {
  const BatchArrays& arrays = network.arrays();
  const Samples& samples = *dataset.train;
  std::vector<Source> sources;
  for (size_t i = 0; i < arrays.all().size(); ++i) {
    const bool isInput = i < arrays.numInputs();
    Source source{arrays.all()[i].name, isInput ? samples.x[i] : samples.y[i - arrays.numInputs()],
                  isInput ? dataset.transforms[i] : InputTransform{}};
    if (!canGather(source, arrays.all()[i].type.dtype)) return std::nullopt;
    sources.push_back(std::move(source));
  }
  for (size_t i = 0; i < arrays.outputs().size(); ++i)
    if (const std::string& name = arrays.outputs()[i].weights; !name.empty())
      sources.push_back({name, weightsOf(samples, i, dataset.trainCount), {}});
  return sources;
}

size_t bytesOf(const Source& source, int64_t rows) {
  const auto elements = static_cast<size_t>(source.elements());
  return static_cast<size_t>(rows) * elements * dtypeBytes(source.values.dtype()) +
         (onlyStep(source.transform) ? 2 * elements * sizeof(float) : 0);
}

/// Returns whether so many bytes fit next to the network. A part of the memory stays free for later
/// parts of the run.
bool fits(const Network& network, size_t bytes) {
  constexpr size_t kFreePart = 16;
  const auto use = network.steps().device().memoryUse();
  if (!use || network.plannedPeakBytes() + bytes > network.steps().memoryLimitBytes()) return false;
  return bytes + use->totalBytes / kFreePart <= use->freeBytes;
}

}  // namespace

std::unique_ptr<KeptData> KeptData::make(Network& network, const Dataset& dataset) {
  Device& device = network.steps().device();
  // Each device would need the samples
  if (network.steps().group()) return nullptr;
  if (!device.keepsRows() || dataset.train->decode || dataset.trainCount == 0) return nullptr;
  const std::optional<std::vector<Source>> sources = sourcesOf(network, dataset);
  if (!sources) return nullptr;
  size_t total = 0;
  for (const Source& source : *sources)
    total += bytesOf(source, dataset.trainCount);
  if (!fits(network, total)) return nullptr;
  auto result = std::make_unique<KeptData>();
  Stream& stream = network.state().values().first().stream();
  for (const Source& source : *sources) {
    KeptRows rows;
    rows.dtype = source.values.dtype();
    rows.rows = dataset.trainCount;
    rows.elements = source.elements();
    rows.scale = static_cast<float>(source.transform.scale);
    rows.offset = static_cast<float>(source.transform.offset);
    const size_t bytes =
        static_cast<size_t>(rows.rows * rows.elements) * dtypeBytes(source.values.dtype());
    rows.memory = DeviceMemory(device, bytes);
    stream.upload(rows.memory.address(), source.values.data(), bytes);
    if (const MapStep* const step = onlyStep(source.transform)) {
      const size_t half = step->shift.size() * sizeof(float);
      rows.shiftAndScale = DeviceMemory(device, 2 * half);
      const DeviceAddress to = rows.shiftAndScale.address();
      stream.upload(to, reinterpret_cast<const std::byte*>(step->shift.data()), half);
      stream.upload(to + half, reinterpret_cast<const std::byte*>(step->scale.data()), half);
    }
    result->m_arrays.push_back({source.name, std::move(rows)});
  }
  return result;
}

size_t KeptData::expectedBytes(const Device& device, const DatasetInfo& data) {
  const int64_t all = data.trainCount + data.validationCount + data.testCount;
  if (!device.keepsRows() || !data.isKnown || data.isDecodedForBatches() || all == 0) return 0;
  return static_cast<size_t>(data.bytes() * static_cast<double>(data.trainCount) /
                             static_cast<double>(all));
}

void KeptData::feed(Program& program, const int32_t* indices) const {
  for (const Array& array : m_arrays)
    if (findInput(program.graph(), array.name).isValid())
      program.gather(array.name, array.rows, indices);
}

size_t KeptData::bytes() const {
  size_t result = 0;
  for (const Array& array : m_arrays)
    result += array.rows.memory.bytes() + array.rows.shiftAndScale.bytes();
  return result;
}

}  // namespace strata
