// SPDX-License-Identifier: Apache-2.0
#include "gpu/cost/predict.h"

#include <algorithm>
#include <bit>
#include <map>

#include "gpu/cost/present_speed.h"
#include "gpu/cpu/cpu_device.h"
#include "gpu/exec/shared_kernels.h"
#include "gpu/graph/op.h"
#include "gpu/host/host_kernel.h"

namespace strata {
namespace {

/// The value of PricedWork::exposed for kernels that do not stream, if the calibration did not
/// measure it.
constexpr double kDefaultExposed = 0.5;

/// Estimates the time of a part of a kernel whose family has no price. Assumes that a worker
/// computes multiply-adds at a quarter of its peak rate, and accesses elements at the speed of the
/// fastest level of memory. For reference kernels, assumes kPlainLoop for each element read or
/// written.
double estimateWithoutPrice(const KernelWork& work, const Calibration& calibration) {
  const Amounts& amounts = work.amounts;
  // Seconds per element in a loop without vector instructions
  constexpr double kPlainLoop = 1e-9;
  if (work.family.starts_with("reference "))
    return kPlainLoop * (amounts[0] + amounts[1]) + calibration.barrierSeconds;
  const double perWorker = calibration.flopsPerSecond / std::max(1, calibration.threads);
  double elements = 0;
  for (size_t i = 1; i + 1 < kAmounts; ++i)
    elements += amounts[i];
  return 8 * amounts[0] / perWorker +
         sizeof(float) * elements * calibration.threads * calibration.secondsPerByte(0) +
         calibration.barrierSeconds;
}

/// Tracks the distance of each block of memory: the number of bytes accessed since its last access.
class Distances {
 public:
  explicit Distances(const MemoryPlan& plan)
      : m_plan(plan),
        m_block(std::max(kSmallestBlock, std::bit_ceil(plan.peakBytes() / kMaxBlocks))) {
    m_inputAt = blocksOf(plan.persistentBytes);
    m_transientAt = m_inputAt + blocksOf(plan.inputBytes);
    m_last.assign(m_transientAt + blocksOf(plan.transientBytes), -1);
  }

  /// Calls each(bytes, distance) for the blocks of a storage, and marks them as accessed. A block
  /// that was never accessed has a very large distance.
  template <class Each>
  void touch(const Storage& storage, Each&& each) {
    if (storage.bytes == 0) return;
    const size_t begin = startOf(storage) * m_block + storage.offset, end = begin + storage.bytes;
    for (size_t block = begin / m_block; block <= (end - 1) / m_block; ++block) {
      const double bytes = static_cast<double>(std::min(end, (block + 1) * m_block) -
                                               std::max(begin, block * m_block));
      each(bytes, m_last[block] < 0 ? 1e15 : m_now - m_last[block]);
      m_last[block] = m_now + bytes;
      m_now += bytes;
    }
  }

 private:
  // Blocks become larger if a step would need more than kMaxBlocks of them
  static constexpr size_t kSmallestBlock = size_t{16} << 10, kMaxBlocks = size_t{1} << 20;
  size_t blocksOf(size_t bytes) const { return bytes / m_block + 1; }
  size_t startOf(const Storage& storage) const {
    switch (storage.lane) {
      case Storage::Lane::Persistent: return 0;
      case Storage::Lane::Input: return m_inputAt;
      case Storage::Lane::Transient: break;
    }
    return m_transientAt;
  }
  const MemoryPlan& m_plan;
  const size_t m_block;
  size_t m_inputAt = 0, m_transientAt = 0;
  std::vector<double> m_last;
  double m_now = 0;
};

/// A storage that a node reads, writes or both.
struct Operand {
  int storage = -1;
  bool isRead = false, isWritten = false;
};

/// Returns the storages that a node reads or writes, each of them once.
std::vector<Operand> operandsOf(const Graph& graph, const MemoryPlan& plan, size_t position) {
  const Node& node = graph.node(graph.order()[position]);
  std::vector<Operand> result;
  const auto find = [&](ValueId value) -> Operand& {
    const int storage = plan.storageOf[static_cast<size_t>(value.index)];
    for (Operand& operand : result)
      if (operand.storage == storage) return operand;
    return result.emplace_back(Operand{storage, false, false});
  };
  for (const ValueId value : node.inputs)
    find(value).isRead = true;
  for (const ValueId value : node.outputs)
    find(value).isWritten = true;
  std::erase_if(result, [](const Operand& operand) { return operand.storage < 0; });
  return result;
}

}  // namespace

double secondsOf(const NodeWork& work, const Calibration& calibration) {
  double seconds = 0;
  bool hasCall = false;
  for (const KernelWork& part : work.parts) {
    const auto at = calibration.families.find(part.family);
    if (at == calibration.families.end()) {
      seconds += estimateWithoutPrice(part, calibration);
      continue;
    }
    for (size_t i = 0; i < kAmounts; ++i)
      // The last amount is the call, which counts only once for all parts of a kernel
      if (i + 1 < kAmounts || !hasCall) seconds += part.amounts[i] * at->second.seconds[i];
    hasCall = true;
  }
  return seconds;
}

PricedWork priceOf(const NodeWork& work, const Calibration& calibration) {
  PricedWork price{secondsOf(work, calibration), 0, work.streams ? 1 : kDefaultExposed};
  for (const KernelWork& part : work.parts) {
    const auto at = calibration.families.find(part.family);
    if (at == calibration.families.end()) continue;
    price.warmBytes = std::max(price.warmBytes, at->second.footprintBytes);
    if (at->second.exposed >= 0) price.exposed = at->second.exposed;
  }
  return price;
}

/// Requires: `kernel` is one of a device that computes on the host.
static bool isSolo(const Kernel& kernel) { return static_cast<const HostKernel&>(kernel).isSolo(); }

NodeSeconds calibratedSeconds(Device& device, const Calibration& calibration) {
  return
      [&device, calibration, kernels = SharedKernels::of(device)](const Graph& graph, NodeId id) {
        const std::shared_ptr<const Kernel> kernel = kernels->kernelOf(device, graph, id);
        const NodeWork work = workOf(cpu::kernelSetupOf(graph, id, device.numWorkers()),
                                     kernel->implementation(), isSolo(*kernel));
        const PricedWork price = priceOf(work, calibration);
        double read = 0, written = 0;
        for (const ValueId value : graph.node(id).inputs)
          read += static_cast<double>(graph.type(value).bytes());
        for (const ValueId value : graph.node(id).outputs)
          written += static_cast<double>(graph.type(value).bytes());
        const double own = read + written;
        return price.seconds + price.exposed * farSeconds(calibration, read * work.passes, written,
                                                          own, std::min(own, price.warmBytes));
      };
}

StepPrediction predictStep(const Graph& graph, const MemoryPlan& plan, Device& device,
                           const Calibration& calibration, const PresentSpeed* speed) {
  struct DescribedNode {
    size_t position = 0;
    NodeWork work;
    PricedWork price;
    int workspace = -1;
  };
  std::vector<DescribedNode> nodes;
  // The copies of a repeated Block share their kernels
  const std::shared_ptr<SharedKernels> kernels = SharedKernels::of(device);
  for (size_t position = 0; position < graph.order().size(); ++position) {
    const NodeId id = graph.order()[position];
    const OpKind kind = graph.node(id).op->kind;
    if (kind == OpKind::Source || kind == OpKind::View) continue;
    const std::shared_ptr<const Kernel> kernel = kernels->kernelOf(device, graph, id);
    const cpu::KernelSetup setup = cpu::kernelSetupOf(graph, id, device.numWorkers());
    NodeWork work = workOf(setup, kernel->implementation(), isSolo(*kernel));
    const PricedWork price = priceOf(work, calibration);
    nodes.push_back({position, std::move(work), price, plan.workspaceOf[position]});
  }

  StepPrediction result;
  Distances distances(plan);
  // Simulate two steps and count only the second one, because a step starts with the cache contents
  // that the previous step has left
  for (const bool isCounted : {false, true})
    for (const DescribedNode& node : nodes) {
      double own = 0, far = 0;
      const std::vector<Operand> operands = operandsOf(graph, plan, node.position);
      for (const Operand& operand : operands)
        own += static_cast<double>(plan.storages[static_cast<size_t>(operand.storage)].bytes);
      for (const Operand& operand : operands)
        distances.touch(plan.storages[static_cast<size_t>(operand.storage)], [&](double bytes,
                                                                                 double distance) {
          const double warm = std::min(own, node.price.warmBytes),
                       read = operand.isRead ? bytes : 0;
          far += farSeconds(calibration, read, operand.isWritten ? bytes - read / 2 : 0,
                            distance + own, warm);
          // Later passes of this kernel read what its first pass has left in the caches
          far += farSeconds(calibration, read * (node.work.passes - 1), 0, own, warm);
        });
      if (node.workspace >= 0)
        distances.touch(plan.storages[static_cast<size_t>(node.workspace)], [](double, double) {});
      if (!isCounted) continue;
      NodePrediction row{graph.order()[node.position], 0, far * node.price.exposed,
                         workName(node.work)};
      const double factor = speed != nullptr ? speed->factorOf(node.work) : 1;
      row.memorySeconds *= factor;
      row.seconds = factor * node.price.seconds + row.memorySeconds;
      result.seconds += row.seconds;
      result.nodes.push_back(row);
    }
  result.seconds += calibration.stepSeconds * (speed != nullptr ? speed->all : 1);
  return result;
}

}  // namespace strata
