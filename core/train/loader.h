// SPDX-License-Identifier: Apache-2.0
// Loads batches on threads of its own while steps run: decodes samples, and converts them to the
// types of a network's inputs. Several batches form a chunk. While the steps of one chunk run, the
// next one is loaded. Not here: the order of batches in a run (feeder.h).
// Thread: only the training thread may use an object. Errors of a chunk are reported when a step
// needs it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "core/data/dataset.h"
#include "core/train/host_spans.h"
#include "core/train/network.h"
#include "gpu/base/thread_pool.h"

namespace strata {

class Loader {
 public:
  /// Chunks have `batches` batches. `stepsPerPass` is the number of batches in a pass through the
  /// data. Network and data must outlive the loader. Its memory is that of
  /// Device::maxPendingSteps() batches, rounded up to chunks, and two further chunks. `spans` gets
  /// what the loader's threads do; it must outlive the loader.
  Loader(Network& network, const Dataset& dataset, bool isShuffled, int64_t batches,
         int64_t stepsPerPass, HostSpans* spans = nullptr);
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  int numThreads() const { return m_pool.numWorkers(); }
  /// Feeds a micro-batch of batch `index` to the program. Waits until it is loaded. The memory does
  /// not change until Device::maxPendingSteps() further batches were fed.
  /// Fails: with the error of the data, such as InvalidFile for an image that cannot be read.
  void feed(Program& program, uint64_t seed, int64_t pass, int64_t index, const MicroBatch& piece);

 private:
  /// The batches `begin` to `end` - 1 of a pass.
  struct Chunk {
    uint64_t seed = 0;
    int64_t pass = -1, begin = 0, end = 0;
    // The samples of all batches
    std::vector<int32_t> indices;
    AlignedBytes bytes;
    bool isLoaded = false;
    std::exception_ptr failure;
  };
  /// An array of a batch. The loader keeps its own list, because its thread must not depend on a
  /// network that is compiled again.
  struct Array {
    enum class Kind : uint8_t { Input, Target, Weights } kind = Kind::Input;
    // Index in Samples::x, y or weights
    size_t index = 0;
    std::string name;
    // Type for a batch of 1
    TensorType type;
    // Position of the first batch in a chunk, and distance between batches
    size_t begin = 0, stride = 0;
  };

  bool contains(const Chunk& chunk, uint64_t seed, int64_t pass, int64_t index) const;
  Chunk& next() { return m_chunks[(m_current + 1) % m_chunks.size()]; }
  void begin(Chunk& chunk, uint64_t seed, int64_t pass, int64_t index);
  void beginNext();
  void waitFor(const Chunk& chunk);
  const std::vector<int32_t>& orderOf(uint64_t seed, int64_t pass);
  int64_t firstSampleOf(int64_t batch) const { return batch * m_batchSize; }
  int64_t samplesOf(int64_t batch) const;
  /// Returns where an array of a micro-batch lies in a chunk. Each micro-batch is aligned.
  size_t placeOf(const Array& array, const Chunk& chunk, int64_t batch,
                 const MicroBatch& piece) const;
  const std::vector<MicroBatch>& piecesOf(int64_t batch) const {
    return samplesOf(batch) == m_batchSize ? m_pieces : m_lastPieces;
  }
  void work();
  void load(Chunk& chunk, int worker);
  void loadPiece(Chunk& chunk, int64_t batch, const MicroBatch& piece, int worker);

  const Dataset& m_dataset;
  const bool m_isShuffled;
  const int64_t m_batchSize, m_batches, m_stepsPerPass;
  // The micro-batches of full batches and of the last batch
  const std::vector<MicroBatch> m_pieces, m_lastPieces;
  std::vector<Array> m_arrays;
  std::map<std::pair<uint64_t, int64_t>, std::vector<int32_t>> m_orders;
  // The chunks before the current one may still be read by pending steps. The one after it is
  // loaded.
  std::vector<Chunk> m_chunks;
  size_t m_current = 0;

  // May be null
  HostSpans* const m_spans;
  ThreadPool m_pool;
  // A decoded sample for each worker of the pool
  std::vector<Tensor> m_decoded;
  std::mutex m_mutex;
  std::condition_variable m_changed;
  // Guarded by m_mutex, as are Chunk::isLoaded and Chunk::failure
  std::deque<Chunk*> m_queue;
  bool m_isEnding = false;
  // The last member, so that the thread ends before the others are destroyed
  std::jthread m_thread;
};

}  // namespace strata
