// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/cuda_device.h"

#include "gpu/base/error.h"
#include "gpu/cuda/cuda_stream.h"
#include "gpu/graph/op.h"

namespace strata {

std::unique_ptr<Device> makeSimulatedDevice(const CardData& card, const DeviceOptions& options) {
  return std::make_unique<cuda::CudaDevice>(
      cuda::Card::openSimulated(kSimulatedPrefix + card.name, card, std::max(1, options.threads)));
}

namespace cuda {

std::string CudaDevice::identity() const {
  return m_card->name() + " " + std::to_string(m_card->ordinal());
}

DeviceAddress CudaDevice::allocate(size_t bytes) {
  m_card->use();
  CUdeviceptr address = 0;
  m_card->driver().memAlloc(&address, bytes);
  return DeviceAddress::fromBits(address);
}

void CudaDevice::release(DeviceAddress address, size_t) {
  m_card->driver().table().ctxSetCurrent(m_card->context());
  // Silent, because destructors call it; twice, so that an error that does not last leaves nothing
  if (m_card->driver().table().memFree(address.bits()) != STRATA_CUDA_SUCCESS)
    m_card->driver().table().memFree(address.bits());
}

std::unique_ptr<Stream> CudaDevice::makeStream() { return std::make_unique<CudaStream>(m_card); }

int CudaDevice::maxPendingSteps() const { return CudaStream::kPendingSteps; }

DeviceTraits CudaDevice::traits() const {
  DeviceTraits traits;
  traits.addsBias = true;
  traits.productActivations = FusedActivations::PiecewiseLinear;
  return traits;
}

std::unique_ptr<Kernel> CudaDevice::createKernel(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  CudaSetup setup;
  setup.op = node.op->name;
  setup.layer = node.layer;
  for (size_t i = 0; i < numOwnOperands(node); ++i)
    setup.inputs.push_back(graph.type(node.inputs[i]));
  for (const ValueId value : node.outputs)
    setup.outputs.push_back(graph.type(value));
  setup.attributes = node.attributes;
  setup.card = m_card;
  const KernelMaker make = findKernelMaker(setup.op);
  if (make) {
    std::unique_ptr<CudaKernel> kernel = make(setup);
    kernel->keep(m_card);
    return kernel;
  }
  const std::string_view reason = refusalOf(setup.op);
  throw Error(ErrorCode::UnsupportedOp, node.layer.empty() ? setup.op : node.layer,
              "op \"" + setup.op + "\" has no kernel on " + name() +
                  (reason.empty() ? "" : ", because " + std::string(reason)) +
                  ". Use --device cpu, or another layer.");
}

}  // namespace cuda
}  // namespace strata
