// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/predicted_exchange.h"

#include <algorithm>
#include <vector>

#include "gpu/cost/card_clock.h"
#include "gpu/cuda/card_collective.h"
#include "gpu/cuda/kernels/replica_sums.h"
#include "gpu/graph/op.h"
#include "gpu/ops/sum_layout.h"

namespace strata::cuda {
namespace {

using std::chrono::nanoseconds;

nanoseconds ofSeconds(double seconds) { return nanoseconds(std::llround(seconds * 1e9)); }

nanoseconds ofCopy(size_t bytes) { return ofSeconds(copySeconds(bytes, kPeerBytesPerSecond)); }

NodeClock clockOf(const CardData& data, const StrataWork& work, double bytes) {
  return {
      work.flops,         bytes, work.isProduct != 0, work.precision, data.flopsPerSecond.data(),
      data.bytesPerSecond};
}

bool isGather(const Node& node) { return node.op->kind == OpKind::Update; }

}  // namespace

bool PredictedExchange::knows(const Node& node) {
  if (!node.op->isCollective) return false;
  return isGather(node) || node.op->role == OpRole::SyncSum ||
         node.attributes.getOr<int64_t>("packed", 0) != 0;
}

PredictedExchange::Times PredictedExchange::take(const Graph& graph, const Node& node,
                                                 const StrataWork& work, nanoseconds now) {
  return isGather(node) ? takeGather(graph, node, work) : takeSum(graph, node, work, now);
}

/// Returns the time of kernels of a node one after the other.
nanoseconds PredictedExchange::launches(const StrataWork& work, size_t count) const {
  NodeClock clock = clockOf(m_data, work, work.bytes);
  nanoseconds time{0};
  for (size_t i = 0; i < count; ++i)
    time += ofSeconds(clock.take());
  return time;
}

PredictedExchange::Times PredictedExchange::takeSum(const Graph& graph, const Node& node,
                                                    const StrataWork& work, nanoseconds now) {
  const bool isSync = node.op->role == OpRole::SyncSum, isStart = node.op->role == OpRole::SumStart;
  const int64_t number = node.attributes.get<int64_t>("number");
  const size_t operands = isSync ? 1 : isStart ? node.inputs.size() : node.outputs.size();
  const nanoseconds packing =
      launches(work, (operands + kMaxPackedTensors - 1) / kMaxPackedTensors);
  Times times;
  if (isSync || isStart) {
    std::vector<TensorType> types;
    for (size_t i = 0; i < operands; ++i)
      types.push_back(graph.type(node.inputs[i]));
    const PackedSums layout(types, static_cast<int>(node.attributes.get<int64_t>("processes")));
    times.own += packing;
    // The shards of the others, their sum, and the sums of the others
    const int others = layout.replicas() - 1;
    NodeClock adding =
        clockOf(m_data, work, static_cast<double>(layout.shardBytes()) * (layout.replicas() + 1));
    m_free = std::max(m_free, now + packing) + 2 * others * ofCopy(layout.shardBytes()) +
             ofSeconds(adding.take());
    m_summed[number] = m_free;
  }
  if (!isStart) {
    times.exposed = std::max(nanoseconds(0), m_summed[number] - now - times.own);
    times.own += packing;
  }
  return times;
}

PredictedExchange::Times PredictedExchange::takeGather(const Graph& graph, const Node& node,
                                                       const StrataWork& work) const {
  const std::vector<std::vector<size_t>> parts =
      gatheredParts(node.attributes, dtypeBytes(graph.type(node.inputs[0]).dtype));
  std::vector<nanoseconds> copies;
  nanoseconds all{0};
  size_t count = 0;
  for (const std::vector<size_t>& ofReplica : parts) {
    nanoseconds time{0};
    for (const size_t bytes : ofReplica)
      time += ofCopy(bytes);
    copies.push_back(time);
    all += time;
    count += ofReplica.size();
  }
  // Each copies the parts of the others, and waits for the one with most of them
  return {launches(work, count), all - std::ranges::min(copies)};
}

}  // namespace strata::cuda
