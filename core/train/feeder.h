// SPDX-License-Identifier: Apache-2.0
// Feeds the batches of an epoch, in its order, into the programs of a network. Small batches are
// gathered several at once, so that the pool is woken rarely. Not here: the arrays of a batch
// (batch_arrays.h), decoding samples (core/data).
// Thread: the training thread; copies run on the pool of the network.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/data/batches_ahead.h"
#include "core/data/dataset.h"
#include "core/data/decode_ahead.h"
#include "core/train/network.h"

namespace strata {

/// Memory for several batches. All batches of an array of the network are contiguous; full batches
/// are dense if their size is a multiple of the alignment.
class BatchMemory {
 public:
  BatchMemory() = default;
  BatchMemory(const Network& network, int64_t batches);
  /// Addresses of the arrays of batch `slot`; valid until the next call.
  std::span<std::byte* const> placesOf(int64_t slot);
  /// Makes the program read batch `slot`.
  void bind(Program& program, int64_t slot);
  bool isDense() const { return m_isDense; }

 private:
  const Network* m_network = nullptr;
  // One for each array
  std::vector<size_t> m_begins, m_strides;
  std::vector<std::byte*> m_places;
  bool m_isDense = true;
  AlignedBytes m_bytes;
};

class Feeder {
 public:
  Feeder(Network& network, const Dataset& dataset, bool isShuffled);

  int64_t stepsPerPass() const { return m_stepsPerPass; }
  /// Makes a micro-batch of batch `index` (from 0) of `epoch` the input of its program, and returns
  /// the program.
  Program& place(uint64_t seed, int64_t epoch, int64_t index, const MicroBatch& piece);
  /// The micro-batches of batch `index`; valid until the next call.
  const std::vector<MicroBatch>& piecesOf(int64_t index);
  int64_t samplesOf(int64_t index) const;
  /// Number of batches with the first `samples` of an epoch; -1 where these end within a batch.
  int64_t stepsFor(int64_t samples) const;
  int64_t firstSampleOf(int64_t index) const { return index * m_network.steps().batchSize(); }
  /// Indices of the samples of a batch; valid after place() for its epoch.
  const int32_t* indicesOf(int64_t index) const { return m_order.data() + firstSampleOf(index); }

 private:
  /// Decodes the samples of batches m_begin..m_end-1.
  void decode();
  const Samples& samples() const { return m_decoded ? *m_decoded : *m_dataset.train; }
  /// Indices into samples() of the samples of a batch.
  const int32_t* placesOf(int64_t index) const {
    return m_decoded ? m_places.data() + (firstSampleOf(index) - firstSampleOf(m_begin))
                     : indicesOf(index);
  }

  Network& m_network;
  const Dataset& m_dataset;
  const bool m_isShuffled;
  int64_t m_stepsPerPass = 0;
  // Micro-batches of a batch of m_piecesOf samples
  std::vector<MicroBatch> m_pieces;
  int64_t m_piecesOf = -1;
  uint64_t m_seed = 0;
  int64_t m_epoch = -1;
  std::vector<int32_t> m_order;
  // m_ahead has batches m_begin..m_end-1. It is empty for large batches, which are gathered
  // directly into the inputs of the program.
  int64_t m_batchesAhead = 1, m_begin = 0, m_end = 0;
  BatchMemory m_ahead;
  // For samples decoded per batch: m_decoded has those of batches m_begin..m_end-1, at m_places
  std::optional<DecodeAhead> m_decoder;
  const Samples* m_decoded = nullptr;
  std::vector<int32_t> m_places;
};

}  // namespace strata
