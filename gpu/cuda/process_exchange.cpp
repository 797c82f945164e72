// SPDX-License-Identifier: Apache-2.0
// Exchanges shards between the cards of several processes. All work is on one stream, in an order
// that all processes have, and can be captured.
#include <vector>

#include "gpu/cuda/card_communicator.h"
#include "gpu/cuda/shard_exchange.h"

namespace strata::cuda {
namespace {

class ProcessExchange final : public ShardExchange {
 public:
  ProcessExchange(CudaStream& stream, const PackedSums& layout)
      : m_stream(stream),
        m_communicator(*stream.communicator()),
        m_shardBytes(layout.shardBytes()) {}

  void scatter(DeviceAddress buffer) override {
    annotate(buffer);
    if (m_communicator.isFast()) {
      m_communicator.sum(buffer.bits(), shardElements() * size(), m_stream.communication());
      return;
    }
    m_parts.clear();
    size_t place = size();
    for (size_t rank = 0; rank < size(); ++rank) {
      if (static_cast<int>(rank) == m_communicator.rank()) continue;
      const auto peer = static_cast<int32_t>(rank);
      m_parts.push_back({peer, 1, at(buffer, rank), shardElements()});
      m_parts.push_back({peer, 0, at(buffer, place++), shardElements()});
    }
    m_communicator.exchange(m_parts, m_stream.communication());
  }

  void gather(DeviceAddress buffer) override {
    if (m_communicator.isFast()) return;
    annotate(buffer);
    m_communicator.gather(at(buffer, static_cast<size_t>(m_communicator.rank())), at(buffer, 0),
                          shardElements(), m_stream.communication());
  }

  bool addsShards() const override { return !m_communicator.isFast(); }
  // The stream that computes waits for the own sums, and nobody reads the buffer of another card
  void finish() override {}
  void recover() override {}
  bool isCapturable() const override { return true; }

 private:
  size_t size() const { return static_cast<size_t>(m_communicator.size()); }
  size_t shardElements() const { return m_shardBytes / sizeof(float); }
  CUdeviceptr at(DeviceAddress buffer, size_t shard) const {
    return (buffer + shard * m_shardBytes).bits();
  }

  /// Says that the next work accesses the buffer.
  void annotate(DeviceAddress buffer) const {
    const StrataRange range{buffer.bits(), m_shardBytes * (2 * size() - 1), 1};
    StrataWork work{};
    work.op = "all_reduce";
    work.layer = "";
    work.ranges = &range;
    work.numRanges = 1;
    work.bytes = static_cast<double>(range.bytes);
    m_stream.card().annotate(m_stream.communication(), &work);
  }

  CudaStream& m_stream;
  CardCommunicator& m_communicator;
  const size_t m_shardBytes;
  std::vector<StrataCardPart> m_parts;
};

}  // namespace

std::unique_ptr<ShardExchange> makeProcessExchange(CudaStream& stream, const PackedSums& layout) {
  return std::make_unique<ProcessExchange>(stream, layout);
}

}  // namespace strata::cuda
