// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/cpu_backend.h"

#include <algorithm>

#include "gpu/base/machine.h"
#include "gpu/cpu/cpu_kernel.h"
#include "gpu/cpu/kernel_variants.h"
#include "gpu/cpu/passes/pooled_gradients.h"
#include "gpu/graph/op.h"
#include "gpu/reference/reference_backend.h"

namespace strata {

namespace cpu {

namespace {

/// Runs a kernel on worker 0 only. The other workers return at once.
class SoloKernel final : public Kernel {
 public:
  explicit SoloKernel(std::unique_ptr<Kernel> kernel) : m_kernel(std::move(kernel)) {}
  size_t workspaceBytes() const override { return m_kernel->workspaceBytes(); }
  int numStages() const override { return m_kernel->numStages(); }
  bool isSolo() const override { return true; }
  void run(const KernelArguments& arguments, int stage, int worker) const override {
    if (worker == 0) m_kernel->run(arguments, stage, worker);
  }
  std::string implementation() const override { return m_kernel->implementation(); }

 private:
  std::unique_ptr<Kernel> m_kernel;
};

/// Returns whether the inputs and outputs are so small that a barrier takes longer than the work.
/// Labels and counters are examples.
bool isSmall(const KernelSetup& setup) {
  int64_t elements = 0;
  for (const TensorType& type : setup.inputs)
    elements += type.shape.numElements();
  for (const TensorType& type : setup.outputs)
    elements += type.shape.numElements();
  return elements <= 4096;
}

}  // namespace

std::unique_ptr<Kernel> createKernel(const KernelSetup& setup) {
  if (std::unique_ptr<Kernel> kernel = createPixelwise(setup)) return kernel;
  if (const KernelMaker make = findKernelMaker(setup.op))
    if (std::unique_ptr<Kernel> kernel = make(setup)) return kernel;
  const reference::KernelMaker make = reference::findKernelMaker(setup.op);
  if (!make)
    throw Error(ErrorCode::UnsupportedOp, setup.layer,
                "op " + setup.op + " has no kernel on the cpu. Use another layer.");
  if (!isSmall(setup)) return make(setup);
  reference::KernelSetup alone = setup;
  alone.numWorkers = 1;
  return std::make_unique<SoloKernel>(make(alone));
}

KernelSetup kernelSetupOf(const Graph& graph, NodeId id, int numWorkers) {
  const Node& node = graph.node(id);
  KernelSetup setup;
  setup.op = node.op->name;
  setup.layer = node.layer;
  for (size_t i = 0; i < numOwnOperands(node); ++i)
    setup.inputs.push_back(graph.type(node.inputs[i]));
  for (ValueId value : node.outputs)
    setup.outputs.push_back(graph.type(value));
  setup.attributes = node.attributes;
  setup.slices = node.slices;
  setup.numWorkers = numWorkers;
  setup.loops = &loops();
  return setup;
}

}  // namespace cpu

std::unique_ptr<Kernel> createCpuKernel(const Graph& graph, NodeId id, int numWorkers) {
  return cpu::createKernel(cpu::kernelSetupOf(graph, id, numWorkers));
}

namespace {

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(const DeviceOptions& options)
      : m_pool(options.threads > 0 ? options.threads : usableProcessors(), options.niceness) {}
  std::string name() const override { return "cpu"; }
  int numWorkers() const override { return m_pool.numWorkers(); }
  ThreadPool& pool() override { return m_pool; }
  std::unique_ptr<Kernel> createKernel(const Graph& graph, NodeId node) override {
    return createCpuKernel(graph, node, m_pool.numWorkers());
  }

  DeviceTraits traits() const override {
    DeviceTraits traits = processorTraits();
    // A single worker computes products up to this size
    traits.maxSiblingMultiplyAdds = cpu::kFewMultiplyAdds;
    return traits;
  }
  std::vector<Pass> passes() const override { return cpuPasses(); }
  std::vector<OtherVariant> otherVariants(const Graph& graph, NodeId node) const override {
    return cpu::otherVariants(cpu::kernelSetupOf(graph, node, m_pool.numWorkers()));
  }
  std::unique_ptr<Kernel> createKernelVariant(const Graph& graph, NodeId node,
                                              std::string_view variant) override {
    return cpu::createKernelVariant(cpu::kernelSetupOf(graph, node, m_pool.numWorkers()), variant);
  }

 private:
  ThreadPool m_pool;
};

}  // namespace

std::vector<Pass> cpuPasses() {
  return {{"pool_gradients_first",
           STRATA_TEXT(
               "pass",
               "Computes activation and bias gradients before max pooling expands its gradient"),
           cpu::poolGradientsFirst}};
}

std::unique_ptr<Backend> makeCpuBackend(const DeviceOptions& options) {
  return std::make_unique<CpuBackend>(options);
}

}  // namespace strata
