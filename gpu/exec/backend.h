// SPDX-License-Identifier: Apache-2.0
// The interface of a device: kernels for nodes, and threads to run them on. Implementations:
// gpu/reference (plain C++), gpu/cpu.
// Thread: one compiling or running thread at a time may use a Backend.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/graph/graph.h"
#include "gpu/passes/pass.h"

namespace strata {

/// The addresses of one node's operands, fixed when the program is built. Only inputs of the step
/// can be rebound between steps.
struct KernelArguments {
  std::vector<const std::byte*> inputs;
  // May be the address of an input if the OpDef allows it
  std::vector<std::byte*> outputs;
  // Kernel::workspaceBytes(), 64-byte aligned
  std::byte* workspace = nullptr;
};

/// A variant of a node's kernel with less workspace and the same bits: its attribute "slices".
struct SmallerWorkspace {
  int64_t slices = 1;
  size_t bytes = 0;
  // Roughly its time divided by that of the usual variant
  double slowdown = 1;
};

/// Runs one node. All workers call run() for each stage, with a barrier between stages.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual size_t workspaceBytes() const { return 0; }
  /// By decreasing workspace, all smaller than workspaceBytes().
  virtual std::vector<SmallerWorkspace> smallerWorkspaces() const { return {}; }
  virtual int numStages() const { return 1; }
  /// Whether only worker 0 does work in run(). Consecutive kernels of this kind need no barrier
  /// between them.
  virtual bool isSolo() const { return false; }
  /// Does the worker's share (0 <= worker < the numWorkers given at creation). Must not allocate or
  /// use the pool's barrier. Kernels that touch none of the same bytes may run at the same time. An
  /// exception ends the step and reaches the caller with the layer's name. The work is divided only
  /// by shapes and numWorkers, so that results have the same bits each time.
  virtual void run(const KernelArguments& arguments, int stage, int worker) const = 0;
  /// For display, and as the family in the cost model: "onednn brgconv avx512", "gemm by columns",
  /// "reference".
  virtual std::string implementation() const = 0;
};

class ThreadPool;

/// A variant of a node's kernel besides the one that createKernel() chooses by its rules.
struct OtherVariant {
  std::string name;
  // False if it sums in another order
  bool mayKeepBits = false;
};

class Backend {
 public:
  virtual ~Backend() = default;
  // "cpu", "reference"
  virtual std::string name() const = 0;
  virtual int numWorkers() const = 0;
  // Has numWorkers() workers; the caller is worker 0
  virtual ThreadPool& pool() = 0;
  /// Depends only on the node's op, types and attributes, and has no state of a step, so that equal
  /// nodes can share one kernel.
  /// Fails: UnsupportedOp naming op and layer.
  virtual std::unique_ptr<Kernel> createKernel(const Graph& graph, NodeId node) = 0;
  virtual std::vector<Pass> passes() const { return {}; }

  virtual std::vector<OtherVariant> otherVariants(const Graph&, NodeId) const { return {}; }
  /// Like createKernel(), but as the given variant, with the same workspace, so that no plan
  /// depends on the choice. Null if there is no such variant.
  virtual std::unique_ptr<Kernel> createKernelVariant(const Graph&, NodeId,
                                                      std::string_view /*way*/) {
    return nullptr;
  }
  /// Sets the variants, by kernelKey() (kernel_choices.h), that programs use from now on.
  void setVariants(std::map<std::string, std::string, std::less<>> variants) {
    m_variants = std::move(variants);
  }
  const std::map<std::string, std::string, std::less<>>& variants() const { return m_variants; }

 private:
  std::map<std::string, std::string, std::less<>> m_variants;
};

struct DeviceOptions {
  // 0: all cores
  int threads = 0;
  // Niceness of the worker threads; positive gives other programs priority, for example the window
  int niceness = 0;
};

}  // namespace strata
