// SPDX-License-Identifier: Apache-2.0
// Brings the parts of variables that different cards have updated to all of them (op all_gather).
// Parts arrive in the workspace of the op, and replace elements of the variables only if the update
// applies.
#include <vector>

#include "gpu/base/round_up.h"
#include "gpu/cuda/card_collective.h"
#include "gpu/cuda/peer_copies.h"
#include "gpu/graph/op.h"

namespace strata::cuda {
namespace {

constexpr size_t kPartAlignment = 16;

/// A part of a variable that a replica has updated.
struct UpdatedPart {
  size_t variable = 0, begin = 0, bytes = 0;
  // Where it is in the workspace of other replicas
  size_t place = 0;
};

/// Returns the parts of all replicas. A replica does not use the places of the parts that it
/// updated.
std::vector<std::vector<UpdatedPart>> updatedParts(const Attributes& attributes,
                                                   size_t elementBytes) {
  const auto &begins = attributes.get<std::vector<int64_t>>("begins"),
             &counts = attributes.get<std::vector<int64_t>>("counts");
  const auto replicas = static_cast<size_t>(attributes.get<int64_t>("replicas"));
  const size_t variables = counts.size() / replicas;
  std::vector<std::vector<UpdatedPart>> parts(replicas);
  size_t place = 0;
  for (size_t rank = 0; rank < replicas; ++rank)
    for (size_t i = 0; i < variables; ++i) {
      const size_t at = rank * variables + i;
      if (counts[at] == 0) continue;
      parts[rank].push_back({i, static_cast<size_t>(begins[at]) * elementBytes,
                             static_cast<size_t>(counts[at]) * elementBytes, place});
      place += roundUp(parts[rank].back().bytes, kPartAlignment);
    }
  return parts;
}

/// What other replicas must know of a replica.
struct GatherSide {
  const Card* card = nullptr;
  std::vector<CUdeviceptr> parts;
  // The parts, at their places, in memory of the host, or null
  std::byte* pinned = nullptr;
  // The parts are there; those of others are copied
  EventHandle ready, taken;
};

class CardGather final : public CardCollective {
 public:
  CardGather(CudaStream& stream, const Graph& graph, const Node& node)
      : m_stream(stream),
        m_group(*stream.replica().group),
        m_rank(stream.replica().rank),
        m_number(node.attributes.get<int64_t>("number")),
        m_parts(updatedParts(node.attributes, dtypeBytes(graph.type(node.inputs[0]).dtype))),
        m_sides(m_parts.size()) {
    const Card& card = stream.card();
    m_own.card = &card;
    m_own.ready = makeEvent(card, true);
    m_own.taken = makeEvent(card, true);
    m_arrived = makeEvent(card, true);
    for (const std::vector<UpdatedPart>& parts : m_parts)
      for (const UpdatedPart& part : parts)
        m_bytes += part.bytes;
    if (!stream.copiesThroughHost()) return;
    m_pinned = allocatePinned(card, gatheredBytes(node.attributes, sizeof(float)));
    m_own.pinned = static_cast<std::byte*>(m_pinned.get());
  }

  void encode(const Node& node, const Operands& operands, const StrataWork& work) override {
    const CUstream stream = m_stream.compute();
    const size_t variables = node.outputs.size();
    m_own.parts.clear();
    for (size_t i = 0; i < own().size(); ++i)
      m_own.parts.push_back(operands.inputs[variables + i].bits());
    m_stream.card().annotate(stream, nullptr);
    if (m_own.pinned)
      for (size_t i = 0; i < own().size(); ++i)
        driver().memcpyDtoHAsync(m_own.pinned + own()[i].place, m_own.parts[i], own()[i].bytes,
                                 stream);
    driver().eventRecord(m_own.ready.get(), stream, 0);
    std::byte* const side = reinterpret_cast<std::byte*>(&m_own);
    m_group.publish(m_rank, m_number, {&side, 1});
    m_group.meet(m_rank);
    for (size_t rank = 0; rank < m_sides.size(); ++rank)
      m_sides[rank] = reinterpret_cast<const GatherSide*>(
          m_group.published(static_cast<int>(rank), m_number)[0]);
    for (const GatherSide* other : m_sides)
      if (other != &m_own) driver().streamWaitEvent(stream, other->ready.get(), 0);
    driver().eventRecord(m_arrived.get(), stream, 0);
    for (size_t rank = 0; rank < m_sides.size(); ++rank)
      if (m_sides[rank] != &m_own) copyParts(rank, operands.workspace);
    driver().eventRecord(m_own.taken.get(), stream, 0);
    m_group.meet(m_rank);
    for (const GatherSide* other : m_sides)
      if (other != &m_own) driver().streamWaitEvent(stream, other->taken.get(), 0);
    apply(operands, work);
  }

  void recover() override {
    for (const GatherSide* side : m_sides)
      if (side && side != &m_own)
        driver().streamWaitEvent(m_stream.compute(), side->taken.get(), 0);
  }

  Times times() const override {
    Times times;
    times.waiting = elapsed(m_stream.card(), m_own.ready, m_arrived);
    times.duration = times.exposed = elapsed(m_stream.card(), m_arrived, m_own.taken);
    return times;
  }
  const char* name() const override { return "all_gather"; }
  size_t bytes() const override { return m_bytes; }

 private:
  const Driver& driver() const { return m_stream.card().driver(); }
  const std::vector<UpdatedPart>& own() const { return m_parts[static_cast<size_t>(m_rank)]; }

  void copyParts(size_t rank, DeviceAddress workspace) {
    const GatherSide& from = *m_sides[rank];
    for (size_t i = 0; i < m_parts[rank].size(); ++i) {
      const UpdatedPart& part = m_parts[rank][i];
      const CUdeviceptr to = (workspace + part.place).bits();
      if (from.pinned)
        driver().memcpyHtoDAsync(to, from.pinned + part.place, part.bytes, m_stream.compute());
      else
        copyBetween(m_stream.card(), *from.card, to, from.parts[i], part.bytes, m_stream.compute());
    }
  }

  /// Replaces the elements of the variables.
  void apply(const Operands& operands, const StrataWork& work) {
    m_stream.card().annotate(m_stream.compute(), &work);
    Encoder encoder(m_stream.card(), m_stream.compute());
    const Function& function = m_stream.card().function("assign_words");
    for (size_t rank = 0; rank < m_parts.size(); ++rank)
      for (size_t i = 0; i < m_parts[rank].size(); ++i) {
        const UpdatedPart& part = m_parts[rank][i];
        const DeviceAddress from = static_cast<int>(rank) == m_rank
                                       ? DeviceAddress::fromBits(m_own.parts[i])
                                       : operands.workspace + part.place;
        const auto words = static_cast<int64_t>(part.bytes / sizeof(float));
        encoder.launchElements(function, words, from, operands.outputs[part.variable] + part.begin,
                               words, operands.apply);
      }
  }

  CudaStream& m_stream;
  ReplicaGroup& m_group;
  const int m_rank;
  const int64_t m_number;
  // By replica
  const std::vector<std::vector<UpdatedPart>> m_parts;
  std::vector<const GatherSide*> m_sides;
  size_t m_bytes = 0;
  GatherSide m_own;
  EventHandle m_arrived;
  PinnedHandle m_pinned;
};

}  // namespace

std::vector<std::vector<size_t>> gatheredParts(const Attributes& attributes, size_t elementBytes) {
  std::vector<std::vector<size_t>> bytes;
  for (const std::vector<UpdatedPart>& parts : updatedParts(attributes, elementBytes)) {
    bytes.emplace_back();
    for (const UpdatedPart& part : parts)
      bytes.back().push_back(part.bytes);
  }
  return bytes;
}

size_t gatheredBytes(const Attributes& attributes, size_t elementBytes) {
  size_t end = 0;
  for (const std::vector<UpdatedPart>& parts : updatedParts(attributes, elementBytes))
    for (const UpdatedPart& part : parts)
      end = roundUp(part.place + part.bytes, kPartAlignment);
  return end;
}

std::unique_ptr<CardCollective> makeCardGather(CudaStream& stream, const Graph& graph,
                                               const Node& node) {
  return std::make_unique<CardGather>(stream, graph, node);
}

}  // namespace strata::cuda
