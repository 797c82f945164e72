// SPDX-License-Identifier: Apache-2.0
// Passes the batches of an epoch, in their order, to the programs of a network. A card keeps the
// samples if they fit (kept_data.h). Otherwise, if samples are decoded for each batch, or steps do
// not run on the host, a Loader prepares batches while steps run. Otherwise the host has no idle
// cores, so the pool of the device copies samples between steps, and several small batches are
// copied at once. Not here: the arrays of a batch (batch_arrays.h), loading (loader.h).
// Thread: only the training thread may use an object.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/data/batches_ahead.h"
#include "core/data/dataset.h"
#include "core/train/host_spans.h"
#include "core/train/kept_data.h"
#include "core/train/loader.h"
#include "core/train/network.h"

namespace strata {

/// Memory for several batches. All batches of one array are contiguous. Full batches have no gaps
/// between them if their size is a multiple of the alignment.
class BatchMemory {
 public:
  BatchMemory() = default;
  BatchMemory(const Network& network, int64_t batches);
  /// Returns the addresses of the arrays of batch `slot`. They are valid until the next call.
  std::span<std::byte* const> placesOf(int64_t slot);
  /// Lets the program read its inputs from batch `slot`.
  void bind(Program& program, int64_t slot);
  bool isDense() const { return m_isDense; }

 private:
  const Network* m_network = nullptr;
  // Position of the first batch, and distance between batches, for each array
  std::vector<size_t> m_begins, m_strides;
  std::vector<std::byte*> m_places;
  bool m_isDense = true;
  AlignedBytes m_bytes;
};

class Feeder {
 public:
  /// `spans` gets what the threads that load batches do; it must outlive the object.
  Feeder(Network& network, const Dataset& dataset, bool isShuffled, HostSpans* spans = nullptr);

  int64_t stepsPerPass() const { return m_stepsPerPass; }
  /// Provides a micro-batch of batch `index` in `epoch` as the input of the micro-batch's program,
  /// and returns the program. The first batch has the index 0.
  Program& place(uint64_t seed, int64_t epoch, int64_t index, const MicroBatch& piece);
  /// Returns the micro-batches of batch `index`. They are valid until the next call.
  const std::vector<MicroBatch>& microBatchesOf(int64_t index);
  int64_t samplesOf(int64_t index) const;
  /// Returns the number of batches in the first `samples` samples of a pass through the data.
  /// Returns -1 if the last of these samples is not the last one of a batch.
  int64_t stepsFor(int64_t samples) const;
  int64_t firstSampleOf(int64_t index) const { return index * m_network.steps().batchSize(); }
  /// Returns the indices of a batch's samples.
  std::vector<int32_t> indicesOf(uint64_t seed, int64_t epoch, int64_t index) const;
  /// Returns how many threads load batches while steps run.
  int loaderThreads() const { return m_loader ? m_loader->numThreads() : 0; }
  /// Returns the number of bytes of the samples that the device keeps.
  size_t keptBytes() const { return m_kept ? m_kept->bytes() : 0; }

 private:
  const int32_t* placesOf(int64_t index) const { return m_order.data() + firstSampleOf(index); }

  Network& m_network;
  const Dataset& m_dataset;
  const bool m_isShuffled;
  int64_t m_stepsPerPass = 0;
  // Micro-batches of a batch with m_microBatchesOf samples
  std::vector<MicroBatch> m_pieces;
  int64_t m_microBatchesOf = -1;
  uint64_t m_seed = 0;
  int64_t m_epoch = -1;
  std::vector<int32_t> m_order;
  // m_ahead contains the batches m_begin to m_end - 1. It is empty for large batches, which are
  // gathered directly into the inputs of the program.
  int64_t m_batchesAhead = 1, m_begin = 0, m_end = 0;
  BatchMemory m_ahead;
  // Null if the device does not keep the samples
  std::unique_ptr<KeptData> m_kept;
  std::optional<Loader> m_loader;
};

}  // namespace strata
