// SPDX-License-Identifier: Apache-2.0
// Replicas meet when they add work to their streams, so that an event of another card is recorded
// before a stream waits for it.
#include <span>
#include <vector>

#include "gpu/base/error.h"
#include "gpu/cuda/peer_copies.h"
#include "gpu/cuda/shard_exchange.h"

namespace strata::cuda {
namespace {

/// What other replicas must know of an exchange. It stays in place as long as the step.
struct ExchangeSide {
  const Card* card = nullptr;
  CUdeviceptr buffer = 0;
  // The shards in memory of the host, or null
  std::byte* pinned = nullptr;
  // The shards are packed; the sum is there; the sums of the others are copied
  EventHandle packed, added, taken;
};

class PeerExchange final : public ShardExchange {
 public:
  PeerExchange(CudaStream& stream, const PackedSums& layout, int64_t number)
      : m_stream(stream),
        m_group(*stream.replica().group),
        m_rank(stream.replica().rank),
        m_number(number),
        m_shardBytes(layout.shardBytes()),
        m_sides(static_cast<size_t>(layout.replicas())) {
    const Card& card = stream.card();
    m_own.card = &card;
    m_own.packed = makeEvent(card);
    m_own.added = makeEvent(card);
    m_own.taken = makeEvent(card);
    m_arrived = makeEvent(card, true);
    if (!stream.copiesThroughHost()) return;
    m_pinned = allocatePinned(card, m_shardBytes * m_sides.size());
    m_own.pinned = static_cast<std::byte*>(m_pinned.get());
  }

  void scatter(DeviceAddress buffer) override {
    m_own.buffer = buffer.bits();
    const CUstream stream = m_stream.communication();
    // The shard that this replica adds stays here
    for (int rank = 0; rank < size(); ++rank)
      if (rank != m_rank) copyToPinned(rank);
    driver().eventRecord(m_own.packed.get(), stream, 0);
    std::byte* const own = reinterpret_cast<std::byte*>(&m_own);
    m_group.publish(m_rank, m_number, {&own, 1});
    meet();
    for (int rank = 0; rank < size(); ++rank)
      m_sides[static_cast<size_t>(rank)] =
          reinterpret_cast<const ExchangeSide*>(m_group.published(rank, m_number)[0]);
    waitForOthers(&ExchangeSide::packed);
    driver().eventRecord(m_arrived.get(), stream, 0);
    int received = 0;
    for (int rank = 0; rank < size(); ++rank)
      if (rank != m_rank) copyFrom(rank, m_rank, size() + received++);
  }

  void gather(DeviceAddress) override {
    copyToPinned(m_rank);
    driver().eventRecord(m_own.added.get(), m_stream.communication(), 0);
    meet();
    waitForOthers(&ExchangeSide::added);
    for (int rank = 0; rank < size(); ++rank)
      if (rank != m_rank && !m_group.dropsSums(m_rank)) copyFrom(rank, rank, rank);
    driver().eventRecord(m_own.taken.get(), m_stream.communication(), 0);
  }

  void finish() override {
    meet();
    for (const ExchangeSide* side : m_sides)
      if (side != &m_own) driver().streamWaitEvent(m_stream.compute(), side->taken.get(), 0);
  }

  void recover() override {
    for (const ExchangeSide* side : m_sides)
      if (side) driver().streamWaitEvent(m_stream.compute(), side->taken.get(), 0);
  }

  const EventHandle* arrival() const override { return &m_arrived; }

 private:
  const Driver& driver() const { return m_stream.card().driver(); }
  int size() const { return static_cast<int>(m_sides.size()); }

  /// If another replica has left, others learn through the event that this one uses no more memory.
  void meet() {
    try {
      m_group.meet(m_rank);
    }
    catch (...) {
      driver().eventRecord(m_own.taken.get(), m_stream.communication(), 0);
      throw;
    }
  }

  void waitForOthers(EventHandle ExchangeSide::*event) {
    for (int rank = 0; rank < size(); ++rank)
      if (rank != m_rank)
        driver().streamWaitEvent(m_stream.communication(),
                                 (m_sides[static_cast<size_t>(rank)]->*event).get(), 0);
  }

  void copyToPinned(int shard) {
    if (!m_own.pinned) return;
    const size_t at = static_cast<size_t>(shard) * m_shardBytes;
    driver().memcpyDtoHAsync(m_own.pinned + at, m_own.buffer + at, m_shardBytes,
                             m_stream.communication());
  }

  /// Copies a shard of another replica to a place of the buffer.
  void copyFrom(int rank, int shard, int place) {
    const ExchangeSide& from = *m_sides[static_cast<size_t>(rank)];
    const size_t at = static_cast<size_t>(shard) * m_shardBytes;
    const CUdeviceptr to = m_own.buffer + static_cast<size_t>(place) * m_shardBytes;
    const CUstream stream = m_stream.communication();
    if (from.pinned)
      driver().memcpyHtoDAsync(to, from.pinned + at, m_shardBytes, stream);
    else
      copyBetween(m_stream.card(), *from.card, to, from.buffer + at, m_shardBytes, stream);
  }

  CudaStream& m_stream;
  ReplicaGroup& m_group;
  const int m_rank;
  const int64_t m_number;
  const size_t m_shardBytes;
  ExchangeSide m_own;
  EventHandle m_arrived;
  PinnedHandle m_pinned;
  // Of all replicas, once they have met
  std::vector<const ExchangeSide*> m_sides;
};

}  // namespace

std::unique_ptr<ShardExchange> makePeerExchange(CudaStream& stream, const PackedSums& layout,
                                                int64_t number) {
  return std::make_unique<PeerExchange>(stream, layout, number);
}

}  // namespace strata::cuda
