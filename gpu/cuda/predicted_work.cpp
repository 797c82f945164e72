// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/predicted_work.h"

#include "gpu/cuda/cuda_runner.h"
#include "gpu/graph/op.h"

namespace strata::cuda {
namespace {

/// Operands at a made-up address. Predictions only count the launches of kernels.
Operands madeUpOperands(const Node& node) {
  const DeviceAddress somewhere = DeviceAddress::fromBits(uint64_t{1} << 40);
  Operands operands;
  operands.inputs.assign(numOwnOperands(node), somewhere);
  operands.outputs.assign(node.outputs.size(), somewhere);
  operands.workspace = operands.progress = operands.counters = somewhere;
  if (applyOf(node).isValid() || node.op->kind == OpKind::Update) operands.apply = somewhere;
  return operands;
}

}  // namespace

PredictedWork predictWork(const Card& card, const Graph& graph, const Node& node,
                          const CudaKernel& kernel) {
  const CardData& data = card.data();
  const StrataWork work = workOf(graph, node, kernel);
  PredictedWork predicted;
  predicted.clock = NodeClock(work.flops, work.bytes, work.isProduct != 0, work.precision,
                              data.flopsPerSecond.data(), data.bytesPerSecond);
  Encoder encoder(card, predicted);
  kernel.encode(encoder, madeUpOperands(node));
  return predicted;
}

}  // namespace strata::cuda
