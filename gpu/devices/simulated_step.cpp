// SPDX-License-Identifier: Apache-2.0
#include "gpu/devices/simulated_step.h"

#include <set>

#include "gpu/base/error.h"
#include "gpu/cuda/cuda_device.h"
#include "gpu/cuda/cuda_runner.h"
#include "gpu/cuda/predicted_exchange.h"
#include "gpu/cuda/predicted_work.h"
#include "gpu/cuda/step_inputs.h"
#include "gpu/exec/shared_kernels.h"
#include "gpu/graph/op.h"

namespace strata {
namespace {

cuda::CudaDevice& cardOf(Device& device) {
  auto* card = dynamic_cast<cuda::CudaDevice*>(&device);
  require(card && card->isSimulated(), "only simulated cards have a clock for predictions");
  return *card;
}

double secondsOf(std::chrono::nanoseconds time) { return static_cast<double>(time.count()) * 1e-9; }

}  // namespace

StepPrediction predictSimulatedStep(const Graph& graph, const MemoryPlan& memory, Device& device) {
  const std::shared_ptr<cuda::Card>& card = cardOf(device).card();
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
  cuda::PredictedExchange exchange(card->data());
  std::chrono::nanoseconds now{0}, communication{0};
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (node.op->kind == OpKind::Source || node.op->kind == OpKind::View) continue;
    graph.checkStop();
    const std::shared_ptr<const Kernel> shareable = shared->kernelOf(device, graph, id);
    const auto& kernel = static_cast<const cuda::CudaKernel&>(*shareable);
    if (cuda::PredictedExchange::knows(node)) {
      const auto [own, exposed] =
          exchange.take(graph, node, cuda::workOf(graph, node, kernel), now);
      now += own + exposed;
      communication += exposed;
      prediction.nodes.push_back({id, secondsOf(own), 0, {}});
      continue;
    }
    cuda::PredictedWork predicted = cuda::predictWork(*card, graph, node, kernel);
    if (cuda::needsStop(node) && std::ranges::any_of(node.outputs, [&](ValueId value) {
          return applies.contains(storageOf(value));
        }))
      for (size_t i = 0; i < node.outputs.size(); ++i)
        predicted.seconds += wholeNanoseconds(predicted.clock.take());
    const std::chrono::nanoseconds own(std::llround(predicted.seconds * 1e9));
    now += own;
    prediction.nodes.push_back({id, secondsOf(own), 0, {}});
  }
  const std::chrono::nanoseconds transfers = transferTime(graph, memory, device);
  prediction.transferSeconds = secondsOf(transfers);
  prediction.communicationSeconds = secondsOf(communication);
  prediction.seconds = secondsOf(now + transfers);
  return prediction;
}

NodeSeconds simulatedSeconds(Device& device) {
  return
      [&card = cardOf(device), shared = SharedKernels::of(device)](const Graph& graph, NodeId id) {
        const Node& node = graph.node(id);
        if (node.op->kind == OpKind::Source || node.op->kind == OpKind::View) return 0.0;
        const auto secondsOf = [&](const Kernel& kernel) {
          return cuda::predictWork(*card.card(), graph, node,
                                   static_cast<const cuda::CudaKernel&>(kernel))
              .seconds;
        };
        try {
          // Before the passes, a node may lack the algorithm that a user has chosen for the step
          return card.pinnedVariant(node) ? secondsOf(*card.createKernel(graph, id))
                                          : secondsOf(*shared->kernelOf(card, graph, id));
        }
        catch (const Error& error) {
          if (error.code() != ErrorCode::UnsupportedOp) throw;
          return costSeconds(graph, id);
        }
      };
}

std::chrono::nanoseconds transferTime(const Graph& graph, const MemoryPlan& memory,
                                      Device& device) {
  const CardData& data = cardOf(device).card()->data();
  const cuda::InputWork inputs = cuda::inputWorkOf(graph, memory);
  NodeClock clock(0, inputs.bytes, false, 0, data.flopsPerSecond.data(), data.bytesPerSecond);
  // One launch for the results
  double seconds = wholeNanoseconds(NodeClock().take());
  for (int i = 0; i < inputs.launches; ++i)
    seconds += wholeNanoseconds(clock.take());
  return std::chrono::nanoseconds(std::llround(seconds * 1e9));
}

}  // namespace strata
