// SPDX-License-Identifier: Apache-2.0
#include "gpu/host/host_device.h"

#include <malloc.h>

#include "gpu/base/machine.h"
#include "gpu/host/host_stream.h"
#include "gpu/tensor/tensor.h"

namespace strata {

HostDevice::HostDevice(const DeviceOptions& options)
    : m_pool(options.threads > 0 ? options.threads : usableProcessors(), options.niceness),
      m_replica(options.replica) {}

DeviceAddress HostDevice::addressOfHost(const std::byte* memory) const {
  return DeviceAddress::fromBits(reinterpret_cast<uintptr_t>(memory));
}

std::byte* HostDevice::pointer(DeviceAddress address) const {
  return reinterpret_cast<std::byte*>(static_cast<uintptr_t>(address.bits()));
}

DeviceAddress HostDevice::allocate(size_t bytes) {
  return HostDevice::addressOfHost(AlignedBytes(bytes).release());
}

void HostDevice::release(DeviceAddress address, size_t bytes) {
  AlignedBytes::adopt(HostDevice::pointer(address), bytes);
}

void HostDevice::trim() {
#if defined(__GLIBC__)
  // After a large block is freed, glibc raises its mmap threshold, to 32 MiB at most. It then keeps
  // smaller freed blocks for later allocations unless they are trimmed.
  malloc_trim(0);
#endif
}

std::unique_ptr<Stream> HostDevice::makeStream() { return std::make_unique<HostStream>(*this); }

}  // namespace strata
