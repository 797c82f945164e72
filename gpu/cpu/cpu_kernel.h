// SPDX-License-Identifier: Apache-2.0
// Setup and helpers for the kernels of the CPU device. A maker function reads the setup of a node
// and returns a kernel. It returns null if the reference kernel should run the node.
// Not here: inner loops (kernels/loops.h).
// Thread: all functions are pure. Kernels run on all workers at once.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "gpu/base/thread_pool.h"
#include "gpu/cpu/kernels/loops.h"
#include "gpu/host/host_device.h"
#include "gpu/reference/reference_kernel.h"

namespace strata::cpu {

using reference::inputOf;
using reference::outputOf;
using reference::readInteger;
using reference::readScalar;

struct KernelSetup : reference::KernelSetup {
  // Node::slices
  int64_t slices = 1;
  // The loops of the instruction set to use
  const Loops* loops = nullptr;
};

using KernelMaker = std::unique_ptr<HostKernel> (*)(const KernelSetup&);
/// Returns the maker for an op, or null if the CPU device does not implement the op.
KernelMaker findKernelMaker(std::string_view op);

/// Returns the setup of a node, with the loops of the best instruction set of this machine.
KernelSetup kernelSetupOf(const Graph& graph, NodeId node, int numWorkers);
/// Creates the default kernel for this setup, which is a reference kernel if this device has no
/// kernel for it.
/// Fails: UnsupportedOp if there is no reference kernel either.
std::unique_ptr<HostKernel> createKernel(const KernelSetup& setup);

template <class Body>
class BodyKernel final : public HostKernel {
 public:
  BodyKernel(std::string implementation, Body body, int stages, size_t workspaceBytes, bool isSolo,
             std::vector<SmallerWorkspace> smaller)
      : m_implementation(std::move(implementation)),
        m_body(std::move(body)),
        m_stages(stages),
        m_workspaceBytes(workspaceBytes),
        m_isSolo(isSolo),
        m_smaller(std::move(smaller)) {}
  size_t workspaceBytes() const override { return m_workspaceBytes; }
  std::vector<SmallerWorkspace> smallerWorkspaces() const override { return m_smaller; }
  int numStages() const override { return m_stages; }
  bool isSolo() const override { return m_isSolo; }
  void run(const KernelArguments& arguments, int stage, int worker) const override {
    m_body(arguments, stage, worker);
  }
  std::string implementation() const override { return m_implementation; }

 private:
  std::string m_implementation;
  Body m_body;
  int m_stages;
  size_t m_workspaceBytes;
  bool m_isSolo;
  std::vector<SmallerWorkspace> m_smaller;
};

/// Makes a kernel that calls body(arguments, stage, worker). Its implementation() is
/// `implementation` and the name of the instruction set. `isSolo` declares that the body does work
/// only on worker 0.
template <class Body>
std::unique_ptr<HostKernel> makeKernel(const KernelSetup& setup, const std::string& implementation,
                                       Body body, int stages = 1, size_t workspaceBytes = 0,
                                       bool isSolo = false,
                                       std::vector<SmallerWorkspace> smaller = {}) {
  return std::make_unique<BodyKernel<Body>>(implementation + " " + setup.loops->name,
                                            std::move(body), stages, workspaceBytes, isSolo,
                                            std::move(smaller));
}

/// Returns whether worker 0 should do all the work, because the shares of two workers would be
/// below `least`. For small shares, filling the cache of a second core takes longer than the work.
inline bool isAlone(int64_t least, int64_t count) { return count < 2 * least; }
inline WorkRange shareAbove(int64_t least, int64_t count, int worker, int numWorkers,
                            int64_t grain = 1) {
  if (isAlone(least, count)) return worker == 0 ? WorkRange{0, count} : WorkRange{0, 0};
  return shareOf(count, worker, numWorkers, grain);
}

/// Returns a worker's share of the range [0, count). If `isAlone`, worker 0 gets the whole range.
inline WorkRange shareOrAll(bool isAlone, int64_t count, int worker, int numWorkers) {
  if (!isAlone) return shareOf(count, worker, numWorkers);
  return {0, worker == 0 ? count : 0};
}

/// Returns the number of columns of a panel in a product. Workers get whole panels of columns.
inline int64_t productPanel(const Loops& loops) { return 2 * loops.width; }
/// Returns whether the workers split a matrix product by the columns of its result instead of the
/// rows. Each worker packs its share of one operand and the whole other operand. The workers
/// usually split the longer side, so that the operand that each of them packs completely is the
/// smaller one.
inline bool isSharedByColumns(int64_t rows, int64_t columns, int64_t panel, int workers) {
  return columns >= panel * workers && (columns > rows || rows < 4 * workers);
}

/// Assigns the elements of an elementwise operation to workers as contiguous runs. If a product
/// would split a matrix of this shape by columns, each worker gets the same columns here. They may
/// still be in the cache of its core.
class OwnRuns {
 public:
  OwnRuns(const KernelSetup& setup, const Shape& shape, int64_t least, int64_t grain)
      : m_count(shape.numElements()),
        m_least(least),
        m_grain(grain),
        m_workers(setup.numWorkers),
        m_panel(productPanel(*setup.loops)) {
    if (shape.rank() == 2 && !isAlone() &&
        isSharedByColumns(shape[0], shape[1], m_panel, m_workers))
      m_columns = shape[1];
  }
  bool isAlone() const { return cpu::isAlone(m_least, m_count); }
  /// Calls body(begin, end) for each run of the worker.
  template <class Body>
  void each(int worker, Body&& body) const {
    if (m_columns > 0) {
      const WorkRange columns = shareOf(m_columns, worker, m_workers, m_panel);
      if (columns.begin < columns.end)
        for (int64_t row = 0; row < m_count; row += m_columns)
          body(row + columns.begin, row + columns.end);
      return;
    }
    const WorkRange range = shareAbove(m_least, m_count, worker, m_workers, m_grain);
    if (range.begin < range.end) body(range.begin, range.end);
  }

 private:
  int64_t m_count, m_least, m_grain;
  int m_workers;
  // `m_columns` is the number of columns of the matrix, or 0 if the elements are not split by
  // columns
  int64_t m_panel, m_columns = 0;
};

/// Worker 0 alone computes a product with at most this many multiply-adds, which take about a
/// microsecond. The neighbouring operations are often small, too. Worker 0 then runs all of them
/// without a barrier.
constexpr int64_t kFewMultiplyAdds = 65536;

/// Rounds a number of floats up to whole cache lines.
inline size_t alignedFloats(size_t count) { return (count + 15) / 16 * 16; }

inline bool isF32(const TensorType& type) { return type.dtype == DType::F32; }
inline bool allF32(const KernelSetup& setup) {
  for (const TensorType& type : setup.inputs)
    if (!isF32(type)) return false;
  for (const TensorType& type : setup.outputs)
    if (!isF32(type)) return false;
  return true;
}

std::unique_ptr<HostKernel> makeMatmul(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeMatmulSiblings(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeConv2d(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeConv2dBackwardData(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeConv2dBackwardWeights(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeDepthwise(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeDepthwiseBackwardData(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeDepthwiseBackwardWeights(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeDropout(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeTranspose(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeBroadcastTo(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeSlice(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeUnary(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeBinary(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeAffine(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeActivation(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeActivationBackward(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeFusedPointwise(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeReduce(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeSoftmax(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeSoftmaxCrossEntropy(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeSoftmaxCrossEntropyBackward(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeBatchNorm(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeBatchNormBackward(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeLayerNorm(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeLayerNormBackward(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeRecurrent(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeRecurrentBackward(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeAttention(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeAttentionBackward(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeMaxPool(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeMaxPoolBackward(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeAvgPool(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeAvgPoolBackward(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeAllFinite(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeGradientNorm(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeSgdUpdate(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeAdamUpdate(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeMatmulSgdUpdate(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeMatmulAdamUpdate(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeRmspropUpdate(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeAdagradUpdate(const KernelSetup& setup);

/// Return the enum value (loops.h) for the name of an activation or op, or nullopt if no value has
/// this name.
std::optional<ActivationKind> activationKindOf(std::string_view name);
std::optional<UnaryOp> unaryOpOf(std::string_view name);
std::optional<BinaryOp> binaryOpOf(std::string_view name);

}  // namespace strata::cpu
