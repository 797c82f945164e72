// SPDX-License-Identifier: Apache-2.0
#include "core/train/batches.h"

#include <algorithm>
#include <numeric>

#include "core/train/options.h"

namespace strata {

namespace {

// What is gathered ahead should still lie in a core's second-level cache when its step comes.
constexpr size_t kAheadBytes = 256 * 1024;
constexpr int64_t kMostAhead = 64;

size_t aligned(size_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace

int64_t batchesGatheredAhead(const std::vector<size_t>& arrayBytes, int64_t stepsPerEpoch, int64_t accumulationSteps) {
  if (accumulationSteps > 1) return 1;  // a piece starts anywhere in a batch, programs want aligned inputs
  size_t bytes = 0;
  for (const size_t each : arrayBytes) bytes += aligned(each);
  const auto fitting = static_cast<int64_t>(kAheadBytes / std::max<size_t>(1, bytes));
  return std::clamp<int64_t>(std::min(fitting, stepsPerEpoch), 1, kMostAhead);
}

BatchesAhead batchesAhead(const DatasetInfo& info, int64_t batchSize, int64_t accumulationSteps) {
  const auto batch = static_cast<size_t>(batchSize);
  std::vector<size_t> arrayBytes;
  double decoded = 0;
  for (const DataInput& input : info.inputs) {
    arrayBytes.push_back(TensorType{DType::F32, input.shape}.bytes() * batch);
    decoded += static_cast<double>(TensorType{input.type, input.shape}.bytes() * batch);
  }
  for (const DataTarget& target : info.targets) arrayBytes.push_back(TensorType{DType::F32, target.shape}.bytes() * batch);
  BatchesAhead ahead;
  ahead.batches = batchesGatheredAhead(arrayBytes, batchesIn(info.trainCount, batchSize), accumulationSteps);
  ahead.batchBytes = static_cast<double>(std::accumulate(arrayBytes.begin(), arrayBytes.end(), size_t{0}));
  if (info.dataset && info.dataset->train->decode) ahead.decodedBytes = 2 * decoded * static_cast<double>(ahead.batches);
  return ahead;
}

double decodedForSteps(const Project& project, const DatasetInfo& info, int64_t batchSize) {
  Diagnostics ignored;
  const TrainingOptions training = parseTraining(project, ignored);
  const int64_t batch = std::min(batchSize > 0 ? batchSize : training.batchSize, info.trainCount);
  return batchesAhead(info, std::max<int64_t>(1, batch), training.accumulationSteps).decodedBytes;
}

static std::vector<size_t> arrayBytesOf(const Network& network) {
  std::vector<size_t> bytes;
  for (size_t i = 0; i < network.arrays().size(); ++i) bytes.push_back(network.arrayBytes(i, network.batchSize()));
  return bytes;
}

BatchMemory::BatchMemory(const Network& network, int64_t batches) : m_network(&network) {
  size_t total = 0;
  for (const size_t bytes : arrayBytesOf(network)) {
    m_begins.push_back(total);
    m_strides.push_back(aligned(bytes));
    m_isDense = m_isDense && m_strides.back() == bytes;
    total += m_strides.back() * static_cast<size_t>(batches);
  }
  m_places.resize(m_begins.size());
  m_bytes = AlignedBytes(total);
}

std::span<std::byte* const> BatchMemory::placesOf(int64_t slot) {
  for (size_t i = 0; i < m_places.size(); ++i) m_places[i] = m_bytes.data() + m_begins[i] + m_strides[i] * static_cast<size_t>(slot);
  return m_places;
}

void BatchMemory::bind(Program& program, int64_t slot) {
  const std::span<std::byte* const> places = placesOf(slot);
  for (size_t i = 0; i < places.size(); ++i) program.rebindInput(m_network->arrays()[i].name, places[i]);
}

EpochBatches::EpochBatches(Network& network, const Dataset& dataset, bool isShuffled)
    : m_network(network),
      m_dataset(dataset),
      m_isShuffled(isShuffled),
      m_stepsPerPass(batchesIn(dataset.trainCount, network.batchSize())),
      m_batchesAhead(batchesGatheredAhead(arrayBytesOf(network), m_stepsPerPass, network.training().accumulationSteps)) {
  if (m_batchesAhead > 1) m_ahead = BatchMemory(network, m_batchesAhead);
  if (dataset.train->decode) m_decoder.emplace(*dataset.train);
}

int64_t EpochBatches::samplesOf(int64_t index) const {
  return std::min(m_network.batchSize(), m_dataset.trainCount - firstSampleOf(index));
}

int64_t EpochBatches::stepsFor(int64_t samples) const {
  if (samples == m_dataset.trainCount) return m_stepsPerPass;
  const bool isWhole = samples >= 0 && samples < m_dataset.trainCount && samples % m_network.batchSize() == 0;
  return isWhole ? samples / m_network.batchSize() : -1;
}

const std::vector<MicroBatch>& EpochBatches::piecesOf(int64_t index) {
  if (const int64_t samples = samplesOf(index); samples != m_piecesOf) {
    m_pieces = m_network.microBatchesOf(samples);
    m_piecesOf = samples;
  }
  return m_pieces;
}

Program& EpochBatches::place(uint64_t seed, int64_t epoch, int64_t index, const MicroBatch& piece) {
  if (epoch != m_epoch || seed != m_seed) {
    m_order = epochOrder(seed, epoch, m_dataset.trainCount, m_isShuffled);
    m_epoch = epoch;
    m_seed = seed;
    m_begin = m_end = 0;
  }
  Program& program = m_network.trainProgram(piece);
  if (index < m_begin || index >= m_end) {
    m_begin = index;
    m_end = std::min(index + m_batchesAhead, m_stepsPerPass);
    if (m_decoder) decode();
    for (int64_t i = m_begin; i < m_end && m_batchesAhead > 1;) {
      const int64_t last = m_ahead.isDense() ? m_end - 1 : i;  // one call copies them all
      const int64_t count = firstSampleOf(last) + samplesOf(last) - firstSampleOf(i);
      m_network.gatherInto(m_ahead.placesOf(i - m_begin), samples(), m_dataset.transforms, placesOf(i), count);
      i = last + 1;
    }
  }
  if (m_batchesAhead == 1) {
    m_network.gather(program, samples(), m_dataset.transforms, placesOf(index) + piece.offset, piece.samples);
    return program;
  }
  m_ahead.bind(program, index - m_begin);
  m_network.placeWeights(program, samples(), placesOf(index), samplesOf(index));
  return program;
}

void EpochBatches::decode() {
  const auto batchesOf = [&](const std::vector<int32_t>& order, int64_t begin, int64_t end) {
    return std::vector<int32_t>(order.begin() + firstSampleOf(begin), order.begin() + std::min(firstSampleOf(end), m_dataset.trainCount));
  };
  const int64_t next = m_end < m_stepsPerPass ? m_end : 0;
  const std::vector<int32_t> order = next > 0 ? m_order : epochOrder(m_seed, m_epoch + 1, m_dataset.trainCount, m_isShuffled);
  m_decoded = &m_decoder->take(batchesOf(m_order, m_begin, m_end), batchesOf(order, next, std::min(next + m_batchesAhead, m_stepsPerPass)));
  m_places = samplesFrom(0, m_decoded->count());
}

}  // namespace strata
