// SPDX-License-Identifier: Apache-2.0
// What a device must offer: kernels for nodes, and threads to run them on. Implementations:
// gpu/reference (plain C++), gpu/cpu.
// Thread: a Backend is used by one compiling or running thread at a time.
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

/// Addresses of one node's operands, fixed when the program is built (only inputs of the step may
/// be rebound between steps).
struct KernelArguments {
  std::vector<const std::byte*> inputs;
  // May equal an input where OpDef allows
  std::vector<std::byte*> outputs;
  // Kernel::workspaceBytes(), 64-byte aligned
  std::byte* workspace = nullptr;
};

/// A way to run a node in less workspace, with the same bits: its attribute "slices".
struct SmallerWorkspace {
  int64_t slices = 1;
  size_t bytes = 0;
  // Its time over that of the usual way, roughly
  double longer = 1;
};

/// How one node runs. All workers call run() for each stage; a barrier stands between stages.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual size_t workspaceBytes() const { return 0; }
  /// By falling bytes, all below the workspace of the usual way.
  virtual std::vector<SmallerWorkspace> smallerWorkspaces() const { return {}; }
  virtual int numStages() const { return 1; }
  /// True where run() returns at once for every worker but 0: neighbours of the same kind then need
  /// no barrier between them.
  virtual bool isSolo() const { return false; }
  /// Does worker's share (0 <= worker < numWorkers given at creation). Must not allocate, nor use
  /// the pool's barrier. What other kernels touch no byte of may run at the same time. An exception
  /// ends the step and reaches the caller with the layer's name. The partition of the work depends
  /// on shapes and numWorkers only, so that results are the same bits each time.
  virtual void run(const KernelArguments& arguments, int stage, int worker) const = 0;
  /// For people: "onednn brgconv avx512", "gemm 2 columns", "reference".
  virtual std::string implementation() const = 0;
};

class ThreadPool;

/// Another way to run a node than the one that createKernel() picks by its rules.
struct OtherWay {
  std::string name;
  // false: it sums in another order
  bool mayKeepBits = false;
};

class Backend {
 public:
  virtual ~Backend() = default;
  // "cpu", "reference"
  virtual std::string name() const = 0;
  virtual int numWorkers() const = 0;
  // Of numWorkers() workers, the caller being worker 0
  virtual ThreadPool& pool() = 0;
  /// Made from the node's op, types and attributes alone, and without state of a step: equal nodes
  /// share one.
  /// Fails: UnsupportedOp naming op and layer.
  virtual std::unique_ptr<Kernel> createKernel(const Graph& graph, NodeId node) = 0;
  virtual std::vector<Pass> passes() const { return {}; }

  virtual std::vector<OtherWay> otherWays(const Graph&, NodeId) const { return {}; }
  /// As createKernel(), and with as much workspace, so that no plan depends on the way. Null where
  /// there is no such way.
  virtual std::unique_ptr<Kernel> createKernelBy(const Graph&, NodeId, std::string_view /*way*/) {
    return nullptr;
  }
  /// Ways by kernelKey() (kernel_choices.h) that kernels for programs take from now on.
  void setWays(std::map<std::string, std::string, std::less<>> ways) { m_ways = std::move(ways); }
  const std::map<std::string, std::string, std::less<>>& ways() const { return m_ways; }

 private:
  std::map<std::string, std::string, std::less<>> m_ways;
};

struct DeviceOptions {
  // 0: all cores
  int threads = 0;
  // Of the worker threads, positive: behind others, as under a window
  int niceness = 0;
};

}  // namespace strata
