// SPDX-License-Identifier: Apache-2.0
#include "gpu/reference/reference_backend.h"

#include "gpu/base/error.h"
#include "gpu/base/machine.h"
#include "gpu/base/thread_pool.h"
#include "gpu/graph/op.h"
#include "gpu/reference/low_precision_kernel.h"

namespace strata {

namespace reference {

void KernelSetup::refuse(DType dtype) const {
  throw Error(ErrorCode::UnsupportedOp, layer,
              "op " + op + " does not run on " + std::string(dtypeName(dtype)) +
                  " elements. Cast its input to f32.");
}

}  // namespace reference

std::unique_ptr<Kernel> createReferenceKernel(const Graph& graph, NodeId id, int numWorkers) {
  const Node& node = graph.node(id);
  reference::KernelSetup setup;
  setup.op = node.op->name;
  setup.layer = node.layer;
  for (size_t i = 0; i < numOwnOperands(node); ++i)
    setup.inputs.push_back(graph.type(node.inputs[i]));
  for (ValueId value : node.outputs)
    setup.outputs.push_back(graph.type(value));
  setup.attributes = node.attributes;
  setup.numWorkers = numWorkers;
  return reference::createKernel(setup);
}

namespace {

class ReferenceBackend final : public Backend {
 public:
  explicit ReferenceBackend(const DeviceOptions& options)
      : m_pool(options.threads > 0 ? options.threads : usableProcessors(), options.niceness) {}
  std::string name() const override { return "reference"; }
  int numWorkers() const override { return m_pool.numWorkers(); }
  ThreadPool& pool() override { return m_pool; }
  std::unique_ptr<Kernel> createKernel(const Graph& graph, NodeId node) override {
    return createReferenceKernel(graph, node, m_pool.numWorkers());
  }
  /// The traits are those of a processor, so that tests run all fused ops.
  DeviceTraits traits() const override { return processorTraits(); }

 private:
  ThreadPool m_pool;
};

}  // namespace

std::unique_ptr<Backend> makeReferenceBackend(const DeviceOptions& options) {
  return std::make_unique<ReferenceBackend>(options);
}

}  // namespace strata
