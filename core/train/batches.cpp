// SPDX-License-Identifier: Apache-2.0
#include "core/train/batches.h"

namespace strata {

namespace {

// What is gathered ahead should still lie in a core's second-level cache when its step comes.
constexpr size_t kAheadBytes = 256 * 1024;
constexpr int64_t kMostAhead = 64;

size_t aligned(size_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace

int64_t batchesGatheredAhead(size_t inputBytes, size_t targetBytes, int64_t stepsPerEpoch, int64_t accumulationSteps) {
  if (accumulationSteps > 1) return 1;  // a piece starts anywhere in a batch, programs want aligned inputs
  const auto fitting = static_cast<int64_t>(kAheadBytes / std::max<size_t>(1, aligned(inputBytes) + aligned(targetBytes)));
  return std::clamp<int64_t>(std::min(fitting, stepsPerEpoch), 1, kMostAhead);
}

EpochBatches::EpochBatches(Network& network, const Dataset& dataset, bool isShuffled)
    : m_network(network),
      m_dataset(dataset),
      m_isShuffled(isShuffled),
      m_stepsPerPass((dataset.trainCount + network.batchSize() - 1) / network.batchSize()),
      m_inputStride(aligned(network.inputBytes(network.batchSize()))),
      m_targetStride(aligned(network.targetBytes(network.batchSize()))) {
  m_batchesAhead = batchesGatheredAhead(m_inputStride, m_targetStride, m_stepsPerPass, network.training().accumulationSteps);
  if (m_batchesAhead > 1) m_ahead = AlignedBytes((m_inputStride + m_targetStride) * static_cast<size_t>(m_batchesAhead));
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
  if (m_batchesAhead == 1) {
    m_network.gather(program, *m_dataset.train, m_dataset.transform, indicesOf(index) + piece.offset, piece.samples);
    return program;
  }
  // Inputs of all batches lie one after the other, then the targets: full batches are dense, so one call copies them all.
  std::byte* const targets = m_ahead.data() + m_inputStride * static_cast<size_t>(m_batchesAhead);
  if (index < m_begin || index >= m_end) {
    m_begin = index;
    m_end = std::min(index + m_batchesAhead, m_stepsPerPass);
    const bool isDense =
        m_inputStride == m_network.inputBytes(m_network.batchSize()) && m_targetStride == m_network.targetBytes(m_network.batchSize());
    for (int64_t i = m_begin; i < m_end;) {
      const int64_t last = isDense ? m_end - 1 : i;
      const int64_t samples = firstSampleOf(last) + samplesOf(last) - firstSampleOf(i);
      const auto slot = static_cast<size_t>(i - m_begin);
      m_network.gatherInto(m_ahead.data() + m_inputStride * slot, targets + m_targetStride * slot, *m_dataset.train, m_dataset.transform,
                           indicesOf(i), samples);
      i = last + 1;
    }
  }
  const auto slot = static_cast<size_t>(index - m_begin);
  program.rebindInput(m_network.inputName(), m_ahead.data() + m_inputStride * slot);
  program.rebindInput("target", targets + m_targetStride * slot);
  m_network.placeWeights(program, *m_dataset.train, indicesOf(index), samplesOf(index));
  return program;
}

}  // namespace strata
