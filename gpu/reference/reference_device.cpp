// SPDX-License-Identifier: Apache-2.0
#include "gpu/reference/reference_device.h"

#include "gpu/base/error.h"
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

std::unique_ptr<HostKernel> createReferenceKernel(const Graph& graph, NodeId id, int numWorkers) {
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

class ReferenceDevice final : public HostDevice {
 public:
  using HostDevice::HostDevice;
  std::string name() const override { return "reference"; }
  std::string identity() const override {
    return "reference, " + std::to_string(numWorkers()) + " threads";
  }
  std::unique_ptr<HostKernel> createHostKernel(const Graph& graph, NodeId node) override {
    return createReferenceKernel(graph, node, numWorkers());
  }
  /// The traits are those of a processor, so that tests run all fused ops.
  DeviceTraits traits() const override { return processorTraits(); }
};

}  // namespace

std::unique_ptr<Device> makeReferenceDevice(const DeviceOptions& options) {
  return std::make_unique<ReferenceDevice>(options);
}

}  // namespace strata
