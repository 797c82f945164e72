// SPDX-License-Identifier: Apache-2.0
#include "tests/support/test_devices.h"

#include "gpu/graph/op.h"
#include "gpu/reference/reference_device.h"

namespace strata::test {
namespace {

class NullKernel final : public HostKernel {
 public:
  NullKernel(int stages, size_t workspaceBytes, bool solo)
      : m_stages(stages), m_workspaceBytes(workspaceBytes), m_solo(solo) {}
  size_t workspaceBytes() const override { return m_workspaceBytes; }
  int numStages() const override { return m_stages; }
  bool isSolo() const override { return m_solo; }
  void run(const KernelArguments&, int, int) const override {}
  std::string implementation() const override { return "null"; }

 private:
  int m_stages;
  size_t m_workspaceBytes;
  bool m_solo;
};

}  // namespace

std::unique_ptr<HostKernel> NullDevice::createHostKernel(const Graph&, NodeId) {
  return std::make_unique<NullKernel>(m_stages, m_workspaceBytes, m_solo);
}

class HookedKernel final : public HostKernel {
 public:
  HookedKernel(const HookedDevice& device, std::unique_ptr<HostKernel> kernel, std::string op,
               std::string layer)
      : m_device(device),
        m_kernel(std::move(kernel)),
        m_op(std::move(op)),
        m_layer(std::move(layer)) {}
  size_t workspaceBytes() const override {
    return m_kernel->workspaceBytes() + m_device.m_workspaceBytes;
  }
  int numStages() const override { return m_kernel->numStages(); }
  bool isSolo() const override { return m_kernel->isSolo(); }
  void run(const KernelArguments& arguments, int stage, int worker) const override {
    if (m_device.m_hook) m_device.m_hook(m_op, m_layer, stage, worker);
    m_kernel->run(arguments, stage, worker);
  }
  std::string implementation() const override { return "hooked " + m_kernel->implementation(); }

 private:
  const HookedDevice& m_device;
  std::unique_ptr<HostKernel> m_kernel;
  std::string m_op, m_layer;
};

std::unique_ptr<HostKernel> HookedDevice::createHostKernel(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  return std::make_unique<HookedKernel>(*this, createReferenceKernel(graph, id, numWorkers()),
                                        node.op->name, node.layer);
}

}  // namespace strata::test
