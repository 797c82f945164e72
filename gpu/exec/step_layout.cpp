// SPDX-License-Identifier: Apache-2.0
#include "gpu/exec/step_layout.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>

#include "gpu/base/bytes.h"
#include "gpu/base/error.h"
#include "gpu/base/machine.h"
#include "gpu/exec/shared_kernels.h"
#include "gpu/graph/op.h"

namespace strata {
namespace {

/// Throws if a plan needs more memory than the machine has. Otherwise the operating system would
/// kill the process during the step. Other devices fail when they allocate.
void checkFits(const MemoryPlan& plan, const Device& device) {
  if (device.memoryUse()) return;
  const size_t limit = usableMemoryBytes();
  if (plan.peakBytes() <= limit) return;
  const auto largest =
      std::max_element(plan.byLayerAtPeak.begin(), plan.byLayerAtPeak.end(),
                       [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
  throw Error(
      ErrorCode::OutOfMemory, largest == plan.byLayerAtPeak.end() ? std::string() : largest->layer,
      "the step needs " + bytesText(static_cast<double>(plan.peakBytes())) + " (this machine has " +
          bytesText(static_cast<double>(limit)) + "); this layer uses the most, " +
          bytesText(largest == plan.byLayerAtPeak.end() ? 0.0
                                                        : static_cast<double>(largest->bytes)) +
          ". Use a smaller batch or fewer units.");
}

/// Returns the kernels by position in the order. Sources and views have null.
std::vector<std::shared_ptr<const Kernel>> createKernels(const Graph& graph, Device& device) {
  std::vector<std::shared_ptr<const Kernel>> kernels;
  const std::shared_ptr<SharedKernels> shared = SharedKernels::of(device);
  for (const NodeId id : graph.order()) {
    graph.checkStop();
    const Node& node = graph.node(id);
    const bool runs = node.op->kind != OpKind::Source && node.op->kind != OpKind::View;
    kernels.push_back(withMemoryFor(node.layer.empty() ? node.op->name : node.layer, [&] {
      return runs ? shared->kernelOf(device, graph, id) : nullptr;
    }));
    if (runs && !kernels.back())
      throw Error(ErrorCode::UnsupportedOp, node.layer,
                  "op \"" + node.op->name + "\" has no kernel on device " + device.name() +
                      ". Choose another device or layer.");
  }
  return kernels;
}

std::vector<size_t> workspacesOf(const std::vector<std::shared_ptr<const Kernel>>& kernels) {
  std::vector<size_t> result;
  for (const auto& kernel : kernels)
    result.push_back(kernel ? kernel->workspaceBytes() : 0);
  return result;
}

/// Finds which earlier instructions accessed the bytes of a lane of the plan.
class LaneAccesses {
 public:
  /// Records that `instruction` accesses these bytes. Adds the instructions that it must wait for
  /// to `waitsFor`.
  void add(int instruction, size_t begin, size_t end, bool isWritten, std::vector<int>& waitsFor) {
    if (begin == end) return;
    split(begin);
    split(end);
    for (size_t at = begin; at < end;) {
      auto part = m_parts.lower_bound(at);
      if (part == m_parts.end() || part->first != at) {
        const size_t next = part == m_parts.end() ? end : std::min(end, part->first);
        part = m_parts.emplace_hint(part, at, Part{next, -1, {}});
      }
      Part& accessed = part->second;
      if (accessed.writer >= 0 && accessed.writer != instruction)
        waitsFor.push_back(accessed.writer);
      if (isWritten) {
        for (const int reader : accessed.readers)
          if (reader != instruction) waitsFor.push_back(reader);
        accessed.readers.clear();
        accessed.writer = instruction;
      }
      else {
        accessed.readers.push_back(instruction);
      }
      at = accessed.end;
    }
  }

 private:
  struct Part {
    size_t end = 0;
    int writer = -1;
    // The instructions that have read the part since `writer` wrote it
    std::vector<int> readers;
  };
  void split(size_t at) {
    auto part = m_parts.upper_bound(at);
    if (part == m_parts.begin()) return;
    --part;
    if (part->first == at || part->second.end <= at) return;
    Part right = part->second;
    part->second.end = at;
    m_parts.emplace(at, std::move(right));
  }
  // By first byte; parts do not overlap
  std::map<size_t, Part> m_parts;
};

void findHazards(StepLayout& layout) {
  std::array<LaneAccesses, 3> lanes;
  int index = 0;
  for (LaidInstruction& instruction : layout.instructions) {
    const Node& node =
        layout.graph.node(layout.graph.order()[static_cast<size_t>(instruction.position)]);
    const auto access = [&](int storage, size_t bytes, bool isWritten) {
      const Storage& memory = layout.plan.storages[static_cast<size_t>(storage)];
      lanes[static_cast<size_t>(memory.lane)].add(index, memory.offset, memory.offset + bytes,
                                                  isWritten, instruction.waitsFor);
    };
    if (instruction.apply >= 0) access(instruction.apply, sizeof(float), false);
    for (size_t i = 0; i < instruction.inputs.size(); ++i)
      access(instruction.inputs[i], layout.graph.type(node.inputs[i]).bytes(), false);
    for (size_t i = 0; i < instruction.outputs.size(); ++i)
      access(instruction.outputs[i], layout.graph.type(node.outputs[i]).bytes(), true);
    if (instruction.workspace >= 0)
      access(instruction.workspace, instruction.kernel->workspaceBytes(), true);
    std::ranges::sort(instruction.waitsFor);
    const auto repeated = std::ranges::unique(instruction.waitsFor);
    instruction.waitsFor.erase(repeated.begin(), repeated.end());
    ++index;
  }
}

void makeInstructions(StepLayout& layout, std::vector<std::shared_ptr<const Kernel>> kernels) {
  const MemoryPlan& plan = layout.plan;
  const auto storageOf = [&](ValueId value) {
    return plan.storageOf[static_cast<size_t>(value.index)];
  };
  layout.firstStateWrite = -1;
  for (size_t position = 0; position < kernels.size(); ++position) {
    if (!kernels[position]) continue;
    layout.graph.checkStop();
    const Node& node = layout.graph.node(layout.graph.order()[position]);
    LaidInstruction instruction;
    instruction.kernel = std::move(kernels[position]);
    instruction.position = static_cast<int>(position);
    instruction.phase = node.phase;
    if (const ValueId apply = applyOf(node); apply.isValid()) instruction.apply = storageOf(apply);
    for (const ValueId value : std::span(node.inputs).first(numOwnOperands(node)))
      instruction.inputs.push_back(storageOf(value));
    for (const ValueId value : node.outputs) {
      instruction.outputs.push_back(storageOf(value));
      if (plan.storages[static_cast<size_t>(storageOf(value))].lane == Storage::Lane::Persistent &&
          layout.firstStateWrite < 0)
        layout.firstStateWrite = static_cast<int>(layout.instructions.size());
    }
    instruction.workspace = plan.workspaceOf[position];
    layout.instructions.push_back(std::move(instruction));
  }
  if (layout.firstStateWrite < 0)
    layout.firstStateWrite = static_cast<int>(layout.instructions.size());
  layout.lastStop = layout.firstStateWrite;
  // All sums are begun before the first one is awaited
  bool hasStart = false;
  for (size_t i = 0; i < layout.instructions.size(); ++i) {
    const auto position = static_cast<size_t>(layout.instructions[i].position);
    const OpDef& op = *layout.graph.node(layout.graph.order()[position]).op;
    if (!op.isCollective || (hasStart && op.role != OpRole::SumStart)) continue;
    hasStart = true;
    layout.lastStop = static_cast<int>(i);
    // Other collectives also wait for other replicas
    if (op.role != OpRole::SumStart) break;
  }
}

}  // namespace

MemoryPlan planProgram(const Graph& graph, Device& device, bool inPlace) {
  return planMemory(graph, workspacesOf(createKernels(graph, device)), inPlace,
                    device.traits().alignment);
}

std::function<std::vector<WorkspaceChoice>(const Graph&, NodeId)> kernelWorkspaces(Device& device) {
  auto known = std::make_shared<std::map<NodeId, std::vector<WorkspaceChoice>>>();
  return [known, &device, shared = SharedKernels::of(device)](const Graph& graph, NodeId id) {
    if (const auto at = known->find(id); at != known->end()) return at->second;
    const std::shared_ptr<const Kernel> kernel = shared->kernelOf(device, graph, id);
    std::vector<WorkspaceChoice> choices;
    choices.push_back({kernel ? kernel->workspaceBytes() : 0, 1, 1});
    if (kernel)
      for (const SmallerWorkspace& smaller : kernel->smallerWorkspaces())
        choices.push_back({smaller.bytes, smaller.slices, smaller.slowdown});
    return known->emplace(id, std::move(choices)).first->second;
  };
}

StepLayout layOutStep(Graph graph, Device& device, bool inPlace,
                      const std::function<void(MemoryPlan&)>& alterPlan) {
  StepLayout layout;
  layout.graph = std::move(graph);
  std::vector<std::shared_ptr<const Kernel>> kernels = createKernels(layout.graph, device);
  layout.plan = planMemory(layout.graph, workspacesOf(kernels), inPlace, device.traits().alignment);
  checkFits(layout.plan, device);
  if (alterPlan) alterPlan(layout.plan);
  makeInstructions(layout, std::move(kernels));
  findHazards(layout);
  return layout;
}

}  // namespace strata
