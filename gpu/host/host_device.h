// SPDX-License-Identifier: Apache-2.0
// The common part of devices that compute on the threads of the host: memory, streams, and the
// timing of kernels. Derived classes provide kernels and traits.
// Thread: as Device.
#pragma once

#include <memory>

#include "gpu/base/thread_pool.h"
#include "gpu/exec/device.h"
#include "gpu/host/host_kernel.h"

namespace strata {

class HostDevice : public Device {
 public:
  /// Starts the pool. 0 threads mean all cores.
  explicit HostDevice(const DeviceOptions& options);
  int numWorkers() const override { return m_pool.numWorkers(); }
  ThreadPool& pool() override { return m_pool; }
  const ReplicaPlace& replica() const { return m_replica; }

  DeviceAddress allocate(size_t bytes) override;
  void release(DeviceAddress address, size_t bytes) override;
  void trim() override;
  bool readsHostMemory() const override { return true; }
  std::byte* hostMemory(DeviceAddress address) const override { return pointer(address); }
  DeviceAddress addressOfHost(const std::byte* memory) const override;
  std::unique_ptr<Stream> makeStream() override;
  std::optional<std::vector<MeasuredVariant>> timeVariants(const Graph& graph, NodeId node,
                                                           const std::vector<OtherVariant>& others,
                                                           const TimingOptions& options) override;

  std::unique_ptr<Kernel> createKernel(const Graph& graph, NodeId node) final {
    return createHostKernel(graph, node);
  }
  std::unique_ptr<Kernel> createVariant(const Graph& graph, NodeId node,
                                        std::string_view variant) final {
    return createHostVariant(graph, node, variant);
  }
  /// As createKernel() and createVariant().
  virtual std::unique_ptr<HostKernel> createHostKernel(const Graph& graph, NodeId node) = 0;
  virtual std::unique_ptr<HostKernel> createHostVariant(const Graph&, NodeId, std::string_view) {
    return nullptr;
  }

  /// Returns where kernels access the memory at this address. Null for the null address.
  virtual std::byte* pointer(DeviceAddress address) const;

 private:
  ThreadPool m_pool;
  const ReplicaPlace m_replica;
};

}  // namespace strata
