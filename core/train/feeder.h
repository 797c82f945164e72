// SPDX-License-Identifier: Apache-2.0
// The batches of an epoch in its order, several gathered ahead at once where they are small, so
// that the pool is woken rarely.
// Thread: the training thread; copying is done on the network's pool.
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

/// Memory for several batches. Of each array of the network all batches lie one after the other;
/// full batches are dense where their bytes are aligned.
class BatchMemory {
 public:
  BatchMemory() = default;
  BatchMemory(const Network& network, int64_t batches);
  /// Where the arrays of batch `slot` lie, valid until the next call.
  std::span<std::byte* const> placesOf(int64_t slot);
  /// Hands them to the program.
  void bind(Program& program, int64_t slot);
  bool isDense() const { return m_isDense; }

 private:
  const Network* m_network = nullptr;
  // Of arrays
  std::vector<size_t> m_begins, m_strides;
  std::vector<std::byte*> m_places;
  bool m_isDense = true;
  AlignedBytes m_bytes;
};

class Feeder {
 public:
  Feeder(Network& network, const Dataset& dataset, bool isShuffled);

  int64_t stepsPerPass() const { return m_stepsPerPass; }
  /// Puts a piece of batch `index` (from 0) of `epoch` before its program's inputs and returns the
  /// program.
  Program& place(uint64_t seed, int64_t epoch, int64_t index, const MicroBatch& piece);
  /// The pieces of batch `index`; valid until the next call.
  const std::vector<MicroBatch>& piecesOf(int64_t index);
  int64_t samplesOf(int64_t index) const;
  /// Batches that hold the first `samples` of an epoch; -1 where they end inside one.
  int64_t stepsFor(int64_t samples) const;
  int64_t firstSampleOf(int64_t index) const { return index * m_network.steps().batchSize(); }
  /// Indices of a batch's samples; valid after place() of its epoch.
  const int32_t* indicesOf(int64_t index) const { return m_order.data() + firstSampleOf(index); }

 private:
  /// Batches m_begin..m_end-1 come into memory.
  void decode();
  const Samples& samples() const { return m_decoded ? *m_decoded : *m_dataset.train; }
  /// Where the samples of a batch lie in samples().
  const int32_t* placesOf(int64_t index) const {
    return m_decoded ? m_places.data() + (firstSampleOf(index) - firstSampleOf(m_begin))
                     : indicesOf(index);
  }

  Network& m_network;
  const Dataset& m_dataset;
  const bool m_isShuffled;
  int64_t m_stepsPerPass = 0;
  // Of the batches of m_piecesOf samples
  std::vector<MicroBatch> m_pieces;
  int64_t m_piecesOf = -1;
  uint64_t m_seed = 0;
  int64_t m_epoch = -1;
  std::vector<int32_t> m_order;
  // Batches m_begin..m_end-1 lie in m_ahead; empty where a batch is large: it is gathered into the
  // program's own inputs then.
  int64_t m_batchesAhead = 1, m_begin = 0, m_end = 0;
  BatchMemory m_ahead;
  // Samples that are decoded for their batches: those of m_begin..m_end-1 lie in m_decoded, at
  // m_places.
  std::optional<DecodeAhead> m_decoder;
  const Samples* m_decoded = nullptr;
  std::vector<int32_t> m_places;
};

}  // namespace strata
