// SPDX-License-Identifier: Apache-2.0
#include "core/train/feeder.h"

#include <algorithm>
#include <numeric>

#include "core/recipe/options.h"
#include "gpu/memory/plan.h"

namespace strata {

static std::vector<size_t> arrayBytesOf(const Network& network) {
  std::vector<size_t> bytes;
  for (size_t i = 0; i < network.arrays().all().size(); ++i)
    bytes.push_back(network.arrays().bytes(i, network.steps().batchSize()));
  return bytes;
}

BatchMemory::BatchMemory(const Network& network, int64_t batches) : m_network(&network) {
  size_t total = 0;
  for (const size_t bytes : arrayBytesOf(network)) {
    m_begins.push_back(total);
    m_strides.push_back(alignedBytes(bytes));
    m_isDense = m_isDense && m_strides.back() == bytes;
    total += m_strides.back() * static_cast<size_t>(batches);
  }
  m_places.resize(m_begins.size());
  m_bytes = AlignedBytes(total);
}

std::span<std::byte* const> BatchMemory::placesOf(int64_t slot) {
  for (size_t i = 0; i < m_places.size(); ++i)
    m_places[i] = m_bytes.data() + m_begins[i] + m_strides[i] * static_cast<size_t>(slot);
  return m_places;
}

void BatchMemory::bind(Program& program, int64_t slot) {
  const std::span<std::byte* const> places = placesOf(slot);
  for (size_t i = 0; i < places.size(); ++i)
    program.feed(m_network->arrays().all()[i].name, places[i]);
}

Feeder::Feeder(Network& network, const Dataset& dataset, bool isShuffled, HostSpans* spans)
    : m_network(network),
      m_dataset(dataset),
      m_isShuffled(isShuffled),
      m_stepsPerPass(batchesIn(dataset.trainCount, network.steps().batchSize())),
      m_batchesAhead(batchesGatheredAhead(arrayBytesOf(network), m_stepsPerPass,
                                          network.steps().training().accumulationSteps *
                                              network.steps().numReplicas() *
                                              network.steps().updatesAtOnce())) {
  m_kept = KeptData::make(network, dataset);
  if (m_kept) return;
  if (dataset.train->decode || !network.steps().device().readsHostMemory())
    // Decoding takes long, so each batch is decoded on its own
    m_loader.emplace(network, dataset, isShuffled, dataset.train->decode ? 1 : m_batchesAhead,
                     m_stepsPerPass, spans);
  else if (m_batchesAhead > 1)
    m_ahead = BatchMemory(network, m_batchesAhead);
}

int64_t Feeder::samplesOf(int64_t index) const {
  return std::min(m_network.steps().batchSize(), m_dataset.trainCount - firstSampleOf(index));
}

int64_t Feeder::stepsFor(int64_t samples) const {
  if (samples == m_dataset.trainCount) return m_stepsPerPass;
  const bool isWhole = samples >= 0 && samples < m_dataset.trainCount &&
                       samples % m_network.steps().batchSize() == 0;
  return isWhole ? samples / m_network.steps().batchSize() : -1;
}

const std::vector<MicroBatch>& Feeder::microBatchesOf(int64_t index) {
  if (const int64_t samples = samplesOf(index); samples != m_microBatchesOf) {
    m_pieces = m_network.steps().microBatchesOf(samples);
    m_microBatchesOf = samples;
  }
  return m_pieces;
}

Program& Feeder::place(uint64_t seed, int64_t epoch, int64_t index, const MicroBatch& piece) {
  Program& program = m_network.trainProgram(piece);
  if (m_loader) {
    m_loader->feed(program, seed, epoch, index, piece);
    return program;
  }
  if (epoch != m_epoch || seed != m_seed) {
    m_order = epochOrder(seed, epoch, m_dataset.trainCount, m_isShuffled);
    m_epoch = epoch;
    m_seed = seed;
    m_begin = m_end = 0;
  }
  if (m_kept) {
    m_kept->feed(program, placesOf(index) + piece.offset);
    return program;
  }
  const Samples& samples = *m_dataset.train;
  if (index < m_begin || index >= m_end) {
    m_begin = index;
    m_end = std::min(index + m_batchesAhead, m_stepsPerPass);
    for (int64_t i = m_begin; i < m_end && m_batchesAhead > 1;) {
      // If the batches are dense, one call copies all of them.
      const int64_t last = m_ahead.isDense() ? m_end - 1 : i;
      const int64_t count = firstSampleOf(last) + samplesOf(last) - firstSampleOf(i);
      m_network.arrays().gatherInto(m_ahead.placesOf(i - m_begin), samples, m_dataset.transforms,
                                    placesOf(i), count);
      i = last + 1;
    }
  }
  if (m_batchesAhead == 1) {
    m_network.arrays().gather(program, samples, m_dataset.transforms,
                              placesOf(index) + piece.offset, piece.samples);
    return program;
  }
  m_ahead.bind(program, index - m_begin);
  m_network.arrays().placeWeights(program, samples, placesOf(index), samplesOf(index));
  return program;
}

std::vector<int32_t> Feeder::indicesOf(uint64_t seed, int64_t epoch, int64_t index) const {
  const std::vector<int32_t> order = epochOrder(seed, epoch, m_dataset.trainCount, m_isShuffled);
  const auto first = order.begin() + firstSampleOf(index);
  return {first, first + samplesOf(index)};
}

}  // namespace strata
