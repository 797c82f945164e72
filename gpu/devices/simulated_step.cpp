// SPDX-License-Identifier: Apache-2.0
#include "gpu/devices/simulated_step.h"

#include <set>

#include "gpu/base/error.h"
#include "gpu/cuda/cuda_device.h"
#include "gpu/cuda/cuda_runner.h"
#include "gpu/exec/shared_kernels.h"
#include "gpu/graph/op.h"

namespace strata {
namespace {

/// Operands at a made-up address. Predictions only count the launches of kernels.
cuda::Operands madeUpOperands(const Node& node) {
  const DeviceAddress somewhere = DeviceAddress::fromBits(uint64_t{1} << 40);
  cuda::Operands operands;
  operands.inputs.assign(numOwnOperands(node), somewhere);
  operands.outputs.assign(node.outputs.size(), somewhere);
  operands.workspace = somewhere;
  if (applyOf(node).isValid() || node.op->kind == OpKind::Update) operands.apply = somewhere;
  operands.progress = somewhere;
  return operands;
}

}  // namespace

StepPrediction predictSimulatedStep(const Graph& graph, const MemoryPlan& memory, Device& device) {
  auto* card = dynamic_cast<cuda::CudaDevice*>(&device);
  require(card && card->isSimulated(), "only simulated cards have a clock for predictions");
  const CardData& data = card->card()->data();
  const auto storageOf = [&](ValueId value) {
    return memory.storageOf[static_cast<size_t>(value.index)];
  };
  // After a node whose result decides whether updates apply, a further kernel handles stops
  std::set<int> applies;
  for (const NodeId id : graph.order())
    if (const ValueId apply = applyOf(graph.node(id)); apply.isValid())
      applies.insert(storageOf(apply));
  const std::shared_ptr<SharedKernels> shared = SharedKernels::of(device);
  StepPrediction prediction;
  int64_t nanoseconds = 0;
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (node.op->kind == OpKind::Source || node.op->kind == OpKind::View) continue;
    graph.checkStop();
    const std::shared_ptr<const Kernel> shareable = shared->kernelOf(device, graph, id);
    const auto& kernel = static_cast<const cuda::CudaKernel&>(*shareable);
    const StrataWork work = cuda::workOf(graph, node, kernel);
    cuda::PredictedWork predicted;
    predicted.clock = NodeClock(work.flops, work.bytes, work.isProduct != 0, work.precision,
                                data.flopsPerSecond.data(), data.bytesPerSecond);
    cuda::Encoder encoder(*card->card(), predicted);
    kernel.encode(encoder, madeUpOperands(node));
    if (cuda::needsStop(node) && std::ranges::any_of(node.outputs, [&](ValueId value) {
          return applies.contains(storageOf(value));
        }))
      for (size_t i = 0; i < node.outputs.size(); ++i)
        predicted.seconds += wholeNanoseconds(predicted.clock.take());
    const int64_t own = std::llround(predicted.seconds * 1e9);
    nanoseconds += own;
    prediction.nodes.push_back({id, static_cast<double>(own) * 1e-9, 0, {}});
  }
  prediction.seconds = static_cast<double>(nanoseconds) * 1e-9;
  return prediction;
}

}  // namespace strata
