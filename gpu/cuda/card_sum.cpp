// SPDX-License-Identifier: Apache-2.0
// Sums over replicas on several cards (ops all_reduce_start, all_reduce_done and sync_sum). The
// operands are packed in shards, the cards exchange these, each adds one in the order of the
// replicas, and the sums are exchanged and unpacked. The stream that computes goes on meanwhile.
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "gpu/cuda/card_collective.h"
#include "gpu/cuda/kernels/replica_sums.h"
#include "gpu/cuda/shard_exchange.h"
#include "gpu/graph/op.h"

namespace strata::cuda {

StrataRange rangeOf(DeviceAddress address, size_t bytes, bool isWritten) {
  return {address.bits(), bytes, isWritten ? 1 : 0};
}

std::chrono::nanoseconds elapsed(const Card& card, const EventHandle& begin,
                                 const EventHandle& end) {
  float milliseconds = 0;
  card.driver().eventElapsedTime(&milliseconds, begin.get(), end.get());
  return std::chrono::nanoseconds(std::max(0LL, std::llround(milliseconds * 1e6)));
}

namespace {

PackedSums layoutOf(const Graph& graph, const Node& node, int replicas) {
  std::vector<TensorType> types;
  const size_t count = node.op->role == OpRole::SyncSum ? 1 : node.inputs.size();
  for (size_t i = 0; i < count; ++i)
    types.push_back(graph.type(node.inputs[i]));
  return {types, replicas};
}

class CardSum final : public CardCollective {
 public:
  CardSum(CudaStream& stream, const Graph& graph, const Node& node);

  void encode(const Node& node, const Operands& operands, const StrataWork& work) override;
  bool isCapturable() const override { return m_exchange->isCapturable(); }
  void recover() override { m_exchange->recover(); }
  Times times() const override;
  const char* name() const override { return m_isSync ? "sync_sum" : "all_reduce"; }
  size_t bytes() const override { return m_bytes; }

 private:
  enum class Direction { Pack, Unpack };
  void start(const Operands& operands, DeviceAddress buffer, const StrataWork& work);
  void finish(const Operands& operands, const StrataWork& work);
  void launchPacked(Direction direction, std::span<const DeviceAddress> tensors,
                    const StrataWork& work);
  void addShards(const StrataWork& work);
  void note(const EventHandle& event, CUstream stream) const;

  CudaStream& m_stream;
  const PackedSums m_layout;
  const int m_rank;
  const bool m_isSync;
  size_t m_bytes = 0;
  DeviceAddress m_buffer;
  std::unique_ptr<ShardExchange> m_exchange;
  // For waits: the operands are packed, the sums are there
  EventHandle m_packed, m_summed;
  // For times: the stream that computes waits from, and until; the exchange begins and ends
  EventHandle m_awaiting, m_awaited, m_began, m_ended;
};

CardSum::CardSum(CudaStream& stream, const Graph& graph, const Node& node)
    : m_stream(stream),
      m_layout(layoutOf(graph, node, stream.replica().group->numReplicas())),
      m_rank(stream.replica().group->numberOf(stream.replica().rank)),
      m_isSync(node.op->role == OpRole::SyncSum),
      m_exchange(stream.communicator()
                     ? makeProcessExchange(stream, m_layout)
                     : makePeerExchange(stream, m_layout, node.attributes.get<int64_t>("number"))) {
  for (size_t i = 0; i < m_layout.numOperands(); ++i)
    m_bytes += static_cast<size_t>(m_layout.countOf(i)) * sizeof(float);
  m_packed = makeEvent(stream.card());
  m_summed = makeEvent(stream.card());
  for (EventHandle* event : {&m_awaiting, &m_awaited, &m_began, &m_ended})
    *event = makeEvent(stream.card(), true);
}

/// Packs operands, or unpacks sums, on the stream that computes.
void CardSum::launchPacked(Direction direction, std::span<const DeviceAddress> tensors,
                           const StrataWork& work) {
  const bool packs = direction == Direction::Pack;
  const size_t ownBytes = m_layout.shardBytes() * static_cast<size_t>(m_layout.replicas());
  std::vector<StrataRange> ranges{rangeOf(m_buffer, ownBytes, packs),
                                  rangeOf(m_stream.running(), sizeof(float), !packs)};
  for (size_t i = 0; i < m_layout.numOperands(); ++i)
    ranges.push_back(
        rangeOf(tensors[i], static_cast<size_t>(m_layout.countOf(i)) * sizeof(float), !packs));
  StrataWork own = work;
  own.ranges = ranges.data();
  own.numRanges = ranges.size();
  // Other replicas learn from it that this one has stopped, so it is not skipped
  own.running = 0;
  m_stream.card().annotate(m_stream.compute(), &own);
  Encoder encoder(m_stream.card(), m_stream.compute());
  PackedShards shards;
  shards.buffer.bits = m_buffer.bits();
  shards.payload = m_layout.payload();
  shards.header = PackedSums::kHeader;
  shards.count = m_layout.replicas();
  const Function& function = m_stream.card().function(packs ? "pack_sums" : "unpack_sums");
  PackedTensors list;
  list.hasFlags = 1;
  int64_t blocks = 0, begin = 0;
  const auto launch = [&] {
    encoder.launch(function, {std::max<int64_t>(blocks, 1)}, kBlock, list, shards,
                   m_stream.running());
    list = {};
    blocks = 0;
  };
  for (size_t i = 0; i < m_layout.numOperands(); ++i) {
    if (list.count == kMaxPackedTensors) launch();
    const auto at = static_cast<size_t>(list.count++);
    list.addresses[at].bits = tensors[i].bits();
    list.begins[at] = begin;
    list.elements[at] = m_layout.countOf(i);
    list.firstBlocks[at] = static_cast<int32_t>(blocks);
    blocks += Encoder::blocksFor(m_layout.countOf(i), kPackedByBlock);
    begin += m_layout.countOf(i);
  }
  launch();
}

void CardSum::addShards(const StrataWork& work) {
  const size_t shardBytes = m_layout.shardBytes();
  const DeviceAddress sum = m_buffer + static_cast<size_t>(m_rank) * shardBytes;
  SummedShards list;
  std::vector<StrataRange> ranges{rangeOf(sum, shardBytes, true)};
  size_t received = static_cast<size_t>(m_layout.replicas());
  for (int rank = 0; rank < m_layout.replicas(); ++rank) {
    const DeviceAddress shard = rank == m_rank ? sum : m_buffer + received++ * shardBytes;
    list.shards[list.count++].bits = shard.bits();
    if (rank != m_rank) ranges.push_back(rangeOf(shard, shardBytes, false));
  }
  StrataWork own = work;
  own.ranges = ranges.data();
  own.numRanges = ranges.size();
  own.running = 0;
  own.bytes = static_cast<double>(shardBytes) * (m_layout.replicas() + 1);
  m_stream.card().annotate(m_stream.communication(), &own);
  Encoder encoder(m_stream.card(), m_stream.communication());
  const auto count = static_cast<int64_t>(shardBytes / sizeof(float));
  encoder.launchElements(m_stream.card().function("add_shards"), count, list, sum, count);
  m_stream.card().annotate(m_stream.communication(), nullptr);
}

void CardSum::encode(const Node& node, const Operands& operands, const StrataWork& work) {
  if (m_isSync || node.op->role == OpRole::SumStart)
    start(operands, m_isSync ? operands.workspace : operands.outputs.back(), work);
  if (node.op->role != OpRole::SumStart) finish(operands, work);
}

/// Records an event for a time. In a graph, it is recorded whenever the graph runs.
void CardSum::note(const EventHandle& event, CUstream stream) const {
  m_stream.card().driver().eventRecord(
      event.get(), stream,
      isCapturable() && m_stream.isCapturing() ? STRATA_CUDA_EVENT_RECORD_EXTERNAL : 0);
}

void CardSum::start(const Operands& operands, DeviceAddress buffer, const StrataWork& work) {
  const Driver& driver = m_stream.card().driver();
  m_buffer = buffer;
  launchPacked(Direction::Pack, operands.inputs, work);
  driver.eventRecord(m_packed.get(), m_stream.compute(), 0);
  driver.streamWaitEvent(m_stream.communication(), m_packed.get(), 0);
  note(m_began, m_stream.communication());
  m_exchange->scatter(buffer);
  if (m_exchange->addsShards()) addShards(work);
  m_exchange->gather(buffer);
  note(m_ended, m_stream.communication());
  driver.eventRecord(m_summed.get(), m_stream.communication(), 0);
}

void CardSum::finish(const Operands& operands, const StrataWork& work) {
  const Driver& driver = m_stream.card().driver();
  note(m_awaiting, m_stream.compute());
  driver.streamWaitEvent(m_stream.compute(), m_summed.get(), 0);
  m_exchange->finish();
  note(m_awaited, m_stream.compute());
  launchPacked(Direction::Unpack, operands.outputs, work);
}

CardSum::Times CardSum::times() const {
  const Card& card = m_stream.card();
  const EventHandle* const arrival = m_exchange->arrival();
  const std::chrono::nanoseconds late =
      arrival ? elapsed(card, m_began, *arrival) : std::chrono::nanoseconds(0);
  const std::chrono::nanoseconds awaited = elapsed(card, m_awaiting, m_awaited);
  Times times;
  times.duration = elapsed(card, arrival ? *arrival : m_began, m_ended);
  times.waiting = std::min(awaited, late);
  times.exposed = awaited - times.waiting;
  return times;
}

}  // namespace

std::unique_ptr<CardCollective> makeCardSum(CudaStream& stream, const Graph& graph,
                                            const Node& node) {
  return std::make_unique<CardSum>(stream, graph, node);
}

}  // namespace strata::cuda
