// SPDX-License-Identifier: Apache-2.0
// Moves a value from one card to another (ops send, receive and sent). The receiving card copies
// it, and the sending one goes on until it needs the memory.
#include "gpu/cuda/card_collective.h"
#include "gpu/cuda/peer_copies.h"
#include "gpu/graph/op.h"

namespace strata::cuda {
namespace {

/// What the receiver must know of a value, and the sender of its copy.
struct TransferSide {
  const Card* card = nullptr;
  CUdeviceptr value = 0;
  // The value in memory of the host, or null
  std::byte* pinned = nullptr;
  EventHandle ready;
  // Recorded by the receiver; null until it has received a value
  mutable CUevent taken = nullptr;
};

/// What both ends of a transfer have.
class CardTransfer : public CardCollective {
 public:
  const char* name() const override { return "receive"; }
  size_t bytes() const override { return m_bytes; }

 protected:
  /// `peer` names the attribute with the rank of the other end.
  CardTransfer(CudaStream& stream, const Node& node, const char* peer, size_t bytes)
      : m_stream(stream),
        m_group(*stream.replica().group),
        m_number(node.attributes.get<int64_t>("number")),
        m_peer(static_cast<int>(node.attributes.get<int64_t>(peer))),
        m_bytes(bytes) {}
  CudaStream& m_stream;
  ReplicaGroup& m_group;
  const int64_t m_number;
  const int m_peer;
  const size_t m_bytes;
};

class CardSend final : public CardTransfer {
 public:
  CardSend(CudaStream& stream, const Graph& graph, const Node& node)
      : CardTransfer(stream, node, "to", graph.type(node.inputs[0]).bytes()) {
    m_side.card = &stream.card();
    m_side.ready = makeEvent(stream.card());
    m_began = makeEvent(stream.card(), true);
    m_ended = makeEvent(stream.card(), true);
    if (!stream.copiesThroughHost()) return;
    m_pinned = allocatePinned(stream.card(), m_bytes);
    m_side.pinned = static_cast<std::byte*>(m_pinned.get());
  }

  void encode(const Node& node, const Operands& operands, const StrataWork&) override {
    const Driver& driver = m_stream.card().driver();
    const CUstream stream = m_stream.compute();
    m_stream.card().annotate(stream, nullptr);
    if (node.op->role == OpRole::Send) {
      m_side.value = operands.inputs[0].bits();
      if (m_side.pinned) driver.memcpyDtoHAsync(m_side.pinned, m_side.value, m_bytes, stream);
      driver.eventRecord(m_side.ready.get(), stream, 0);
      m_group.offer(m_number, reinterpret_cast<const std::byte*>(&m_side));
      return;
    }
    m_group.awaitTaken(m_stream.replica().rank, m_peer, m_number);
    driver.eventRecord(m_began.get(), stream, 0);
    driver.streamWaitEvent(stream, m_side.taken, 0);
    driver.eventRecord(m_ended.get(), stream, 0);
  }

  void recover() override {
    if (m_side.taken) m_stream.card().driver().streamWaitEvent(m_stream.compute(), m_side.taken, 0);
  }

  Times times() const override {
    Times times;
    times.waiting = elapsed(m_stream.card(), m_began, m_ended);
    return times;
  }

 private:
  TransferSide m_side;
  PinnedHandle m_pinned;
  EventHandle m_began, m_ended;
};

class CardReceive final : public CardTransfer {
 public:
  CardReceive(CudaStream& stream, const Graph& graph, const Node& node)
      : CardTransfer(stream, node, "from", graph.type(node.outputs[0]).bytes()) {
    for (EventHandle* event : {&m_began, &m_arrived, &m_taken})
      *event = makeEvent(stream.card(), true);
  }

  void encode(const Node&, const Operands& operands, const StrataWork&) override {
    const Driver& driver = m_stream.card().driver();
    const CUstream stream = m_stream.compute();
    m_group.await(m_stream.replica().rank, m_peer, m_number);
    const TransferSide& from = *reinterpret_cast<const TransferSide*>(m_group.offered(m_number));
    m_stream.card().annotate(stream, nullptr);
    driver.eventRecord(m_began.get(), stream, 0);
    driver.streamWaitEvent(stream, from.ready.get(), 0);
    driver.eventRecord(m_arrived.get(), stream, 0);
    const CUdeviceptr to = operands.outputs[0].bits();
    if (from.pinned)
      driver.memcpyHtoDAsync(to, from.pinned, m_bytes, stream);
    else
      copyBetween(m_stream.card(), *from.card, to, from.value, m_bytes, stream);
    driver.eventRecord(m_taken.get(), stream, 0);
    from.taken = m_taken.get();
    m_group.take(m_number);
  }

  // Only this card uses its memory
  void recover() override {}

  Times times() const override {
    Times times;
    times.waiting = elapsed(m_stream.card(), m_began, m_arrived);
    times.duration = times.exposed = elapsed(m_stream.card(), m_arrived, m_taken);
    return times;
  }

 private:
  EventHandle m_began, m_arrived, m_taken;
};

}  // namespace

std::unique_ptr<CardCollective> makeCardTransfer(CudaStream& stream, const Graph& graph,
                                                 const Node& node) {
  if (node.op->role == OpRole::Receive) return std::make_unique<CardReceive>(stream, graph, node);
  return std::make_unique<CardSend>(stream, graph, node);
}

}  // namespace strata::cuda
