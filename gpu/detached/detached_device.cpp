// SPDX-License-Identifier: Apache-2.0
#include "gpu/detached/detached_device.h"

#include <sys/mman.h>
#include <unistd.h>

#include <map>

#include "gpu/base/error.h"
#include "gpu/base/round_up.h"
#include "gpu/cpu/cpu_device.h"
#include "gpu/host/host_device.h"

namespace strata {

namespace {

constexpr int kPendingSteps = 3;
constexpr size_t kPage = 4096;

size_t wholePages(size_t bytes) { return roundUp(bytes, kPage); }

/// Each block is mapped twice: kernels use a mapping that only this device knows, and the address
/// that others get is a mapping without any access.
class DetachedDevice final : public HostDevice {
 public:
  using HostDevice::HostDevice;
  std::string name() const override { return kDetachedDevice; }
  std::string identity() const override { return cpuIdentity(numWorkers()); }
  std::unique_ptr<HostKernel> createHostKernel(const Graph& graph, NodeId node) override {
    return createCpuKernel(graph, node, numWorkers());
  }
  std::unique_ptr<HostKernel> createHostVariant(const Graph& graph, NodeId node,
                                                std::string_view variant) override {
    return createCpuVariant(graph, node, numWorkers(), variant);
  }
  std::vector<OtherVariant> otherVariants(const Graph& graph, NodeId node) const override {
    return cpuVariants(graph, node, numWorkers());
  }
  DeviceTraits traits() const override { return cpuTraits(); }
  std::vector<Pass> passes() const override { return cpuPasses(); }
  int maxPendingSteps() const override { return kPendingSteps; }

  bool readsHostMemory() const override { return false; }
  std::byte* hostMemory(DeviceAddress) const override { return nullptr; }
  DeviceAddress addressOfHost(const std::byte*) const override { return {}; }
  DeviceAddress allocate(size_t bytes) override;
  void release(DeviceAddress address, size_t bytes) override;
  std::byte* pointer(DeviceAddress address) const override;

 private:
  struct Block {
    size_t bytes = 0;
    std::byte* kernels = nullptr;
  };
  // The blocks by the address that others get
  std::map<uint64_t, Block> m_blocks;
};

DeviceAddress DetachedDevice::allocate(size_t bytes) {
  const auto fail = [&]() -> Error {
    return Error(
        ErrorCode::OutOfMemory, "memory",
        "cannot allocate " + std::to_string(bytes) + " bytes. Use a smaller batch or network.");
  };
  const int file = memfd_create("strata-detached", MFD_CLOEXEC);
  if (file < 0) throw fail();
  const size_t mapped = wholePages(bytes);
  void* kernels = MAP_FAILED;
  void* others = MAP_FAILED;
  if (ftruncate(file, static_cast<off_t>(mapped)) == 0) {
    kernels = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    others = mmap(nullptr, mapped, PROT_NONE, MAP_SHARED, file, 0);
  }
  close(file);
  if (kernels == MAP_FAILED || others == MAP_FAILED) {
    if (kernels != MAP_FAILED) munmap(kernels, mapped);
    if (others != MAP_FAILED) munmap(others, mapped);
    throw fail();
  }
  const auto address = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(others));
  m_blocks.emplace(address, Block{mapped, static_cast<std::byte*>(kernels)});
  return DeviceAddress::fromBits(address);
}

void DetachedDevice::release(DeviceAddress address, size_t) {
  const auto block = m_blocks.find(address.bits());
  require(block != m_blocks.end(), "the memory belongs to this device");
  munmap(block->second.kernels, block->second.bytes);
  munmap(reinterpret_cast<void*>(static_cast<uintptr_t>(address.bits())), block->second.bytes);
  m_blocks.erase(block);
}

std::byte* DetachedDevice::pointer(DeviceAddress address) const {
  if (address.isNull()) return nullptr;
  auto block = m_blocks.upper_bound(address.bits());
  require(block != m_blocks.begin(), "the address belongs to this device");
  --block;
  require(address.bits() <= block->first + block->second.bytes,
          "the address belongs to this device");
  return block->second.kernels + (address.bits() - block->first);
}

}  // namespace

std::unique_ptr<Device> makeDetachedDevice(const DeviceOptions& options) {
  return std::make_unique<DetachedDevice>(options);
}

}  // namespace strata
