// SPDX-License-Identifier: Apache-2.0
// A step as a value: its graph, the kernel of each node, the memory plan, and the hazards between
// instructions. A device runs it after binding addresses (program.h).
// Not here: addresses, threads, barriers.
// Thread: any.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "gpu/exec/device.h"
#include "gpu/memory/liveness.h"
#include "gpu/memory/recompute.h"

namespace strata {

/// A node with a kernel. Operands are indices in MemoryPlan::storages.
struct LaidInstruction {
  std::shared_ptr<const Kernel> kernel;
  // Position in the graph's order
  int position = 0;
  Phase phase = Phase::Forward;
  std::vector<int> inputs, outputs;
  // -1 if there is none
  int workspace = -1, apply = -1;
  /// The earlier instructions that this one must wait for: the last one that wrote bytes which it
  /// accesses, and those that have since read bytes which it writes. Sorted. Instructions without a
  /// path of such edges between them may run at the same time.
  std::vector<int> waitsFor;
};

struct StepLayout {
  Graph graph;
  MemoryPlan plan;
  std::vector<LaidInstruction> instructions;
  // Index of the first instruction that changes a variable, or the number of instructions
  int firstStateWrite = 0;
  // Index of the last instruction before which a step may be stopped: the first one that changes a
  // variable, or in which replicas meet
  int lastStop = 0;
};

/// Creates the kernels of a graph, plans its memory and finds the hazards. Tests use `alterPlan` to
/// break a plan on purpose.
/// Fails: UnsupportedOp, or OutOfMemory if the step needs more memory than this machine has. The
/// subject is the layer.
StepLayout layOutStep(Graph graph, Device& device, bool inPlace = true,
                      const std::function<void(MemoryPlan&)>& alterPlan = {});

/// Returns the memory plan that a program of this graph would have on this device. It creates the
/// kernels, to know their workspaces, but does not allocate memory for the step.
/// Fails: UnsupportedOp with the layer as subject.
MemoryPlan planProgram(const Graph& graph, Device& device, bool inPlace = true);

/// Returns a function that lists the possible workspaces of a node's kernel, for RecomputeOptions.
/// The function caches its results by node, so use it only for one graph and its rewritten
/// versions.
std::function<std::vector<WorkspaceChoice>(const Graph&, NodeId)> kernelWorkspaces(Device& device);

}  // namespace strata
