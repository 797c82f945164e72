// SPDX-License-Identifier: Apache-2.0
// How the devices of a run are connected: NVLink, PCIe, or the memory of the machine.
// Source of the levels: NVML API reference, version 13, nvmlGpuTopologyLevel_t.
// Not here: the speeds of links (core/train/replica_plan.h).
// Thread: any.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace strata {

struct NvmlTable;

struct DeviceLink {
  enum class Kind : uint8_t {
    // Logical processors use the same memory
    SharedMemory,
    NvLink,
    // Through one PCIe switch, or several
    PcieSwitch,
    PcieSwitches,
    // Through the bridge of a processor, several bridges of one, or several processors
    HostBridge,
    Node,
    System,
    // Simulated cards copy through the memory of the host
    Host,
    Unknown
  };
  // Ranks of the devices; first < second
  size_t first = 0, second = 0;
  Kind kind = Kind::Unknown;
  // How many NVLinks of the first device are active; 0 if unknown or another kind
  int nvLinks = 0;
};

/// Returns a link for each pair of the devices that a name means, such as "cuda:0,cuda:1".
std::vector<DeviceLink> linksBetween(const std::string& deviceName);
/// Returns a link for each pair of GPUs at these addresses on the PCI bus.
std::vector<DeviceLink> linksBetween(const NvmlTable& library,
                                     std::span<const std::string> busAddresses);

}  // namespace strata
