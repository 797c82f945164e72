// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/cuda_device.h"

#include "gpu/base/bytes.h"
#include "gpu/base/error.h"
#include "gpu/base/machine.h"
#include "gpu/cuda/cuda_stream.h"
#include "gpu/graph/op.h"

namespace strata {

std::unique_ptr<Device> makeSimulatedDevice(const CardData& card, const DeviceOptions& options) {
  const bool isTf32 = options.isTf32 && card.flopsPerSecond[1] > 0;
  return std::make_unique<cuda::CudaDevice>(
      cuda::Card::openSimulated(kSimulatedPrefix + card.name, card, std::max(1, options.threads)),
      isTf32);
}

std::unique_ptr<Device> makeCudaDevice(const std::string& name, int ordinal,
                                       const DeviceOptions& options) {
  std::shared_ptr<cuda::Card> card = cuda::Card::openReal(name, ordinal);
  const bool isTf32 = options.isTf32 && card->data().flopsPerSecond[1] > 0;
  return std::make_unique<cuda::CudaDevice>(std::move(card), isTf32);
}

namespace cuda {

std::string CudaDevice::identity() const {
  return m_card->name() + " " + m_card->data().name + " " + std::to_string(m_card->ordinal()) +
         (m_isTf32 ? " tf32" : "");
}

DeviceAddress CudaDevice::allocate(size_t bytes) {
  // The memory of a simulated card is memory of the machine
  const size_t available = availableMemoryBytes();
  if (name().starts_with(kSimulatedPrefix) && bytes > available)
    throw Error(ErrorCode::OutOfMemory, name(),
                "simulating it needs " + bytesText(static_cast<double>(bytes)) +
                    " (this machine has " + bytesText(static_cast<double>(available)) +
                    " free). Use a smaller batch or network, or close other programs.");
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
  setup.isTf32 = m_isTf32;
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
