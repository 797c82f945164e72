// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/cpu_device.h"

#include <algorithm>

#if defined(STRATA_HAS_ONEDNN)
#include <dnnl.h>
#endif

#include "gpu/base/machine.h"
#include "gpu/cpu/cpu_kernel.h"
#include "gpu/cpu/kernel_variants.h"
#include "gpu/cpu/passes/pooled_gradients.h"
#include "gpu/graph/op.h"
#include "gpu/ops/fused_pointwise.h"
#include "gpu/ops/layout.h"
#include "gpu/reference/low_precision_kernel.h"
#include "gpu/reference/reference_device.h"

namespace strata {

namespace cpu {

namespace {

/// Runs a kernel on worker 0 only. The other workers return at once.
class SoloKernel final : public HostKernel {
 public:
  explicit SoloKernel(std::unique_ptr<HostKernel> kernel) : m_kernel(std::move(kernel)) {}
  size_t workspaceBytes() const override { return m_kernel->workspaceBytes(); }
  int numStages() const override { return m_kernel->numStages(); }
  bool isSolo() const override { return true; }
  void run(const KernelArguments& arguments, int stage, int worker) const override {
    if (worker == 0) m_kernel->run(arguments, stage, worker);
  }
  std::string implementation() const override { return m_kernel->implementation(); }

 private:
  std::unique_ptr<HostKernel> m_kernel;
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

namespace {

/// Returns the program of one step that computes an elementwise op, or nullopt if there is none.
std::optional<KernelSetup> asPointwise(const KernelSetup& setup) {
  const OpDef& op = opNamed(setup.op);
  if (!op.canBeStep || setup.inputs.size() > static_cast<size_t>(kMaxPointwiseInputs) ||
      !std::ranges::all_of(
          setup.inputs, [](const TensorType& type) { return wideType(type.dtype) == DType::F32; }))
    return std::nullopt;
  PointwiseStep step;
  step.op = setup.op;
  for (size_t i = 0; i < setup.inputs.size(); ++i)
    step.operands.push_back(static_cast<int>(i));
  if (op.role == OpRole::Affine) {
    step.first = setup.real("scale");
    step.second = setup.real("offset");
  }
  else if (op.work == WorkKind::ActivationStep) {
    step.kind = setup.text("kind");
    step.first = setup.real("alpha");
  }
  KernelSetup fused = setup;
  fused.op = "fused_pointwise";
  fused.attributes = {{"program", printPointwise({step}, static_cast<int>(setup.inputs.size()))},
                      {"dtype", std::string(dtypeName(setup.outputType()))}};
  return fused;
}

/// Creates the kernel of a node with bf16 or f16 operands.
std::unique_ptr<HostKernel> createLowPrecisionKernel(const KernelSetup& setup) {
  reference::KernelSetup copied = setup;
  if (isSmall(setup)) copied.numWorkers = 1;
  if (std::unique_ptr<HostKernel> kernel = reference::makeLowPrecisionCopy(copied)) {
    if (!isSmall(setup)) return kernel;
    return std::make_unique<SoloKernel>(std::move(kernel));
  }
  if (setup.op == "fused_pointwise")
    if (std::unique_ptr<HostKernel> kernel = makeFusedPointwise(setup)) return kernel;
  if (const std::optional<KernelSetup> fused = asPointwise(setup))
    if (std::unique_ptr<HostKernel> kernel = makeFusedPointwise(*fused)) return kernel;
  KernelSetup wide = setup;
  reference::widen(wide);
  // The kernels of a few samples need no variant with less workspace
  if (const auto split = reference::sampleSplitOf(setup))
    return reference::makeWidenedBySamples(setup, *split, [&](int64_t count) {
      KernelSetup part = wide;
      part.slices = 1;
      reference::takeSamples(part, *split, count);
      return createKernel(part);
    });
  return reference::makeWidened(setup, createKernel(wide));
}

}  // namespace

std::unique_ptr<HostKernel> createKernel(const KernelSetup& setup) {
  if (isChannelsFirst(setup.attributes)) return reference::createKernel(setup);
  if (reference::usesLowPrecision(setup)) return createLowPrecisionKernel(setup);
  if (std::unique_ptr<HostKernel> kernel = createPixelwise(setup)) return kernel;
  if (const KernelMaker make = findKernelMaker(setup.op))
    if (std::unique_ptr<HostKernel> kernel = make(setup)) return kernel;
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

std::unique_ptr<HostKernel> createCpuKernel(const Graph& graph, NodeId id, int numWorkers) {
  return cpu::createKernel(cpu::kernelSetupOf(graph, id, numWorkers));
}

std::unique_ptr<HostKernel> createCpuVariant(const Graph& graph, NodeId id, int numWorkers,
                                             std::string_view variant) {
  const cpu::KernelSetup setup = cpu::kernelSetupOf(graph, id, numWorkers);
  if (reference::usesLowPrecision(setup) || isChannelsFirst(setup.attributes)) return nullptr;
  return cpu::createKernelVariant(setup, variant);
}

std::vector<OtherVariant> cpuVariants(const Graph& graph, NodeId id, int numWorkers) {
  const cpu::KernelSetup setup = cpu::kernelSetupOf(graph, id, numWorkers);
  if (reference::usesLowPrecision(setup) || isChannelsFirst(setup.attributes)) return {};
  return cpu::otherVariants(setup);
}

DeviceTraits cpuTraits() {
  DeviceTraits traits = processorTraits();
  // A single worker computes products up to this size
  traits.maxSiblingMultiplyAdds = cpu::kFewMultiplyAdds;
  return traits;
}

std::vector<std::pair<std::string, std::string>> cpuLibraries() {
  std::vector<std::pair<std::string, std::string>> versions;
#if defined(STRATA_HAS_ONEDNN)
  const dnnl_version_t& version = *dnnl_version();
  versions.emplace_back("oneDNN", std::to_string(version.major) + "." +
                                      std::to_string(version.minor) + "." +
                                      std::to_string(version.patch));
#endif
  return versions;
}

std::string cpuIdentity(int numWorkers) {
  std::string identity = "cpu, " + processorTitle() + ", " + loops().name + ", " +
                         std::to_string(numWorkers) + " threads";
  for (const auto& [library, version] : cpuLibraries())
    identity += ", " + library + " " + version;
  return identity;
}

namespace {

class CpuDevice final : public HostDevice {
 public:
  using HostDevice::HostDevice;
  std::string name() const override { return "cpu"; }
  std::string identity() const override { return cpuIdentity(numWorkers()); }
  std::unique_ptr<HostKernel> createHostKernel(const Graph& graph, NodeId node) override {
    return createCpuKernel(graph, node, numWorkers());
  }
  DeviceTraits traits() const override { return cpuTraits(); }
  std::vector<Pass> passes() const override { return cpuPasses(); }
  std::vector<OtherVariant> otherVariants(const Graph& graph, NodeId node) const override {
    return cpuVariants(graph, node, numWorkers());
  }
  std::unique_ptr<HostKernel> createHostVariant(const Graph& graph, NodeId node,
                                                std::string_view variant) override {
    return createCpuVariant(graph, node, numWorkers(), variant);
  }
};

}  // namespace

std::vector<Pass> cpuPasses() {
  return {{"pool_gradients_first",
           STRATA_TEXT(
               "pass",
               "Computes activation and bias gradients before max pooling expands its gradient"),
           cpu::poolGradientsFirst}};
}

std::unique_ptr<Device> makeCpuDevice(const DeviceOptions& options) {
  return std::make_unique<CpuDevice>(options);
}

}  // namespace strata
