// SPDX-License-Identifier: Apache-2.0
#include "core/train/loader.h"

#include <algorithm>

#include "gpu/base/machine.h"

namespace strata {

namespace {

size_t paddedBytes(size_t bytes) { return (bytes + 63) / 64 * 64; }

/// Decoding takes long, so it uses all cores. Copying is fast.
int loadingThreads(const Network& network, const Dataset& dataset) {
  if (const int wanted = network.steps().execution().loaderThreads; wanted > 0) return wanted;
  return dataset.train->decode ? usableProcessors() : std::min(2, usableProcessors());
}

}  // namespace

Loader::Loader(Network& network, const Dataset& dataset, bool isShuffled, int64_t batches,
               int64_t stepsPerPass, HostSpans* spans)
    : m_dataset(dataset),
      m_isShuffled(isShuffled),
      m_batchSize(network.steps().batchSize()),
      m_batches(batches),
      m_stepsPerPass(stepsPerPass),
      m_pieces(network.steps().microBatchesOf(m_batchSize)),
      m_lastPieces(network.steps().microBatchesOf(samplesOf(stepsPerPass - 1))),
      m_spans(spans),
      m_pool(loadingThreads(network, dataset)) {
  const BatchArrays& arrays = network.arrays();
  for (size_t i = 0; i < arrays.all().size(); ++i) {
    const bool isInput = i < arrays.numInputs();
    m_arrays.push_back({isInput ? Array::Kind::Input : Array::Kind::Target,
                        isInput ? i : i - arrays.numInputs(), arrays.all()[i].name,
                        arrays.all()[i].type});
  }
  for (size_t i = 0; i < arrays.outputs().size(); ++i)
    if (const std::string& name = arrays.outputs()[i].weights; !name.empty())
      m_arrays.push_back({Array::Kind::Weights, i, name, {DType::F32, {1}}});
  size_t total = 0;
  for (Array& array : m_arrays) {
    array.begin = total;
    for (const MicroBatch& piece : m_pieces)
      array.stride += paddedBytes(array.type.bytes() * static_cast<size_t>(piece.samples));
    total += array.stride * static_cast<size_t>(batches);
  }
  const int64_t pending =
      std::max(network.steps().device().maxPendingSteps(), network.steps().updatesAtOnce() - 1);
  m_chunks.resize(static_cast<size_t>(2 + (pending + batches - 1) / batches));
  for (Chunk& chunk : m_chunks)
    chunk.bytes = AlignedBytes(total);
  if (dataset.train->decode) {
    Shape row = dataset.train->x[0].shape();
    row.set(0, 1);
    m_decoded.assign(static_cast<size_t>(m_pool.numWorkers()),
                     Tensor(dataset.train->x[0].dtype(), row));
  }
  m_thread = std::jthread([this] { work(); });
}

Loader::~Loader() {
  const std::lock_guard lock(m_mutex);
  m_isEnding = true;
  m_changed.notify_all();
}

int64_t Loader::samplesOf(int64_t batch) const {
  return std::min(m_batchSize, m_dataset.trainCount - firstSampleOf(batch));
}

size_t Loader::placeOf(const Array& array, const Chunk& chunk, int64_t batch,
                       const MicroBatch& piece) const {
  size_t place = array.begin + array.stride * static_cast<size_t>(batch - chunk.begin);
  for (const MicroBatch& earlier : piecesOf(batch))
    if (earlier.offset < piece.offset)
      place += paddedBytes(array.type.bytes() * static_cast<size_t>(earlier.samples));
  return place;
}

bool Loader::contains(const Chunk& chunk, uint64_t seed, int64_t pass, int64_t index) const {
  return chunk.pass == pass && chunk.seed == seed && index >= chunk.begin && index < chunk.end;
}

const std::vector<int32_t>& Loader::orderOf(uint64_t seed, int64_t pass) {
  const auto found = m_orders.find({seed, pass});
  if (found != m_orders.end()) return found->second;
  // Only the passes of the current and the next chunk are needed
  if (m_orders.size() >= 2) m_orders.erase(m_orders.begin());
  return m_orders
      .emplace(std::pair{seed, pass}, epochOrder(seed, pass, m_dataset.trainCount, m_isShuffled))
      .first->second;
}

void Loader::begin(Chunk& chunk, uint64_t seed, int64_t pass, int64_t index) {
  chunk.seed = seed;
  chunk.pass = pass;
  chunk.begin = index;
  chunk.end = std::min(index + m_batches, m_stepsPerPass);
  const std::vector<int32_t>& order = orderOf(seed, pass);
  chunk.indices.assign(order.begin() + firstSampleOf(chunk.begin),
                       order.begin() + std::min(firstSampleOf(chunk.end), m_dataset.trainCount));
  const std::lock_guard lock(m_mutex);
  chunk.isLoaded = false;
  chunk.failure = nullptr;
  m_queue.push_back(&chunk);
  m_changed.notify_all();
}

void Loader::beginNext() {
  const Chunk& current = m_chunks[m_current];
  if (current.end < m_stepsPerPass)
    begin(next(), current.seed, current.pass, current.end);
  else
    begin(next(), current.seed, current.pass + 1, 0);
}

void Loader::waitFor(const Chunk& chunk) {
  std::unique_lock lock(m_mutex);
  m_changed.wait(lock, [&] { return chunk.isLoaded || chunk.failure || chunk.pass < 0; });
}

void Loader::feed(Program& program, uint64_t seed, int64_t pass, int64_t index,
                  const MicroBatch& piece) {
  if (!contains(m_chunks[m_current], seed, pass, index)) {
    // The loader may still write to the next chunk
    waitFor(next());
    m_current = (m_current + 1) % m_chunks.size();
    if (!contains(m_chunks[m_current], seed, pass, index))
      begin(m_chunks[m_current], seed, pass, index);
    beginNext();
  }
  Chunk& chunk = m_chunks[m_current];
  waitFor(chunk);
  if (chunk.failure) std::rethrow_exception(chunk.failure);
  for (const Array& array : m_arrays)
    if (findInput(program.graph(), array.name).isValid())
      program.feed(array.name, chunk.bytes.data() + placeOf(array, chunk, index, piece));
}

void Loader::work() {
  for (;;) {
    Chunk* chunk = nullptr;
    {
      std::unique_lock lock(m_mutex);
      m_changed.wait(lock, [&] { return m_isEnding || !m_queue.empty(); });
      if (m_isEnding) return;
      chunk = m_queue.front();
      m_queue.pop_front();
    }
    std::exception_ptr failure;
    try {
      m_pool.run([&](int worker) { load(*chunk, worker); });
    }
    catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(m_mutex);
    chunk->failure = failure;
    chunk->isLoaded = !failure;
    m_changed.notify_all();
  }
}

void Loader::load(Chunk& chunk, int worker) {
  const bool isRecorded = m_spans && m_spans->isOn();
  const Clock::time_point began = isRecorded ? Clock::now() : Clock::time_point();
  for (int64_t batch = chunk.begin; batch < chunk.end; ++batch)
    for (const MicroBatch& piece : piecesOf(batch))
      loadPiece(chunk, batch, piece, worker);
  if (!isRecorded) return;
  std::string name = "load batch " + std::to_string(chunk.begin + 1);
  if (chunk.end > chunk.begin + 1) name += " to " + std::to_string(chunk.end);
  m_spans->add({"loader " + std::to_string(worker + 1), name, began, Clock::now()});
}

void Loader::loadPiece(Chunk& chunk, int64_t batch, const MicroBatch& piece, int worker) {
  const Samples& samples = *m_dataset.train;
  const int32_t* const indices =
      chunk.indices.data() + firstSampleOf(batch) - firstSampleOf(chunk.begin) + piece.offset;
  const auto [begin, end] = shareOf(piece.samples, worker, m_pool.numWorkers());
  for (const Array& array : m_arrays) {
    std::byte* const place = chunk.bytes.data() + placeOf(array, chunk, batch, piece);
    const DType type = array.type.dtype;
    switch (array.kind) {
      case Array::Kind::Weights:
        gatherWeights(samples, array.index, indices, begin, end, reinterpret_cast<float*>(place));
        break;
      case Array::Kind::Target:
        gatherTargets(samples.y[array.index], indices, begin, end, place, type,
                      array.type.shape.numElements());
        break;
      case Array::Kind::Input:
        if (!samples.decode) {
          gatherInputs(samples.x[array.index], m_dataset.transforms[array.index], indices, begin,
                       end, place, type);
          break;
        }
        Tensor& decoded = m_decoded[static_cast<size_t>(worker)];
        const int32_t first = 0;
        for (int64_t row = begin; row < end; ++row) {
          samples.decode(indices[row], decoded.data());
          gatherInputs(decoded, m_dataset.transforms[array.index], &first, 0, 1,
                       place + static_cast<size_t>(row) * array.type.bytes(), type);
        }
    }
  }
}

}  // namespace strata
