// SPDX-License-Identifier: Apache-2.0
// The interface of a device: kernels for the nodes of a graph, and the threads that run them. The
// implementations are in gpu/reference (plain C++) and gpu/cpu.
// Thread: only one thread at a time may use a Backend, for compiling or running.
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

/// The addresses of the operands of one node. In a program, Program::bind() sets them. Between
/// steps, only the addresses of step inputs can change.
struct KernelArguments {
  std::vector<const std::byte*> inputs;
  // An output may have the address of an input if the OpDef allows it
  std::vector<std::byte*> outputs;
  // Kernel::workspaceBytes() bytes, aligned to 64 bytes
  std::byte* workspace = nullptr;
};

/// A variant of a kernel that needs less workspace and gives the same bits.
struct SmallerWorkspace {
  // The value of Node::slices that selects this variant
  int64_t slices = 1;
  size_t bytes = 0;
  // Estimated time relative to the kernel with one slice
  double slowdown = 1;
};

/// Runs one node. All workers call run() for each stage, and wait for each other between stages.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual size_t workspaceBytes() const { return 0; }
  /// Returns the variants with less workspace than workspaceBytes(), ordered by decreasing
  /// workspace.
  virtual std::vector<SmallerWorkspace> smallerWorkspaces() const { return {}; }
  virtual int numStages() const { return 1; }
  /// Returns whether only worker 0 does work in run(). Consecutive solo kernels need no barrier
  /// between them.
  virtual bool isSolo() const { return false; }
  /// Does the share of one worker: 0 <= worker < Backend::numWorkers(). run() must not allocate
  /// memory or use the pool's barrier. The division of the work must depend only on shapes and the
  /// number of workers, so that results always have the same bits.
  /// Workers may run different kernels at the same time if these do not access the same bytes.
  /// If run() throws, the step ends, and the caller gets the exception with the layer's name.
  virtual void run(const KernelArguments& arguments, int stage, int worker) const = 0;
  /// Returns the name of this kernel for reports, such as "gemm by columns". The cost model uses it
  /// to group kernels into families.
  virtual std::string implementation() const = 0;
};

class ThreadPool;

/// A variant of a node's kernel that createKernel() does not choose.
struct OtherVariant {
  std::string name;
  // False if the results certainly have other bits than those of the default kernel, because the
  // variant adds in another order
  bool mayKeepBits = false;
};

class Backend {
 public:
  virtual ~Backend() = default;
  /// Returns "cpu" or "reference".
  virtual std::string name() const = 0;
  virtual int numWorkers() const = 0;
  /// Returns the pool of numWorkers() workers that runs the kernels.
  virtual ThreadPool& pool() = 0;
  /// Creates the default kernel of a node. The kernel depends only on the node's op, types,
  /// attributes and slices, and keeps no state between calls. Equal nodes can therefore share it.
  /// Fails: UnsupportedOp with op and layer.
  virtual std::unique_ptr<Kernel> createKernel(const Graph& graph, NodeId node) = 0;
  /// Returns what the device fuses, for the graph passes.
  virtual DeviceTraits traits() const = 0;
  /// Returns the graph passes that only this backend needs.
  virtual std::vector<Pass> passes() const { return {}; }

  virtual std::vector<OtherVariant> otherVariants(const Graph&, NodeId) const { return {}; }
  /// Creates a kernel of the given variant, or returns null if the variant does not exist. The
  /// kernel requests the same workspace as the default kernel, so memory plans do not depend on the
  /// choice.
  virtual std::unique_ptr<Kernel> createKernelVariant(const Graph&, NodeId,
                                                      std::string_view /*variant*/) {
    return nullptr;
  }
  /// Sets the variants that all programs built later use. The keys are those of kernelKey()
  /// (kernel_choices.h).
  void setVariants(std::map<std::string, std::string, std::less<>> variants) {
    m_variants = std::move(variants);
  }
  const std::map<std::string, std::string, std::less<>>& variants() const { return m_variants; }

 private:
  std::map<std::string, std::string, std::less<>> m_variants;
};

struct DeviceOptions {
  // 0 means all cores
  int threads = 0;
  // Niceness of the worker threads. A positive value gives priority to other threads, such as the
  // window's.
  int niceness = 0;
};

}  // namespace strata
