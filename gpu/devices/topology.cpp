// SPDX-License-Identifier: Apache-2.0
#include "gpu/devices/topology.h"

#include "gpu/devices/device_name.h"
#include "gpu/devices/devices.h"
#include "gpu/devices/nvml.h"

namespace strata {

namespace {

// NVML_P2P_CAPS_INDEX_NVLINK, NVML_P2P_STATUS_OK, NVML_NVLINK_MAX_LINKS
constexpr int kNvLinkCapability = 2, kAvailable = 0;
constexpr unsigned kMaxNvLinks = 18;

DeviceLink::Kind kindOfLevel(int level) {
  switch (level) {
    case 10: return DeviceLink::Kind::PcieSwitch;
    case 20: return DeviceLink::Kind::PcieSwitches;
    case 30: return DeviceLink::Kind::HostBridge;
    case 40: return DeviceLink::Kind::Node;
    case 50: return DeviceLink::Kind::System;
    default: return DeviceLink::Kind::Unknown;
  }
}

int activeNvLinks(const NvmlTable& library, void* device) {
  int count = 0;
  for (unsigned link = 0; library.nvLinkState && link < kMaxNvLinks; ++link) {
    int isActive = 0;
    if (library.nvLinkState(device, link, &isActive) == 0 && isActive) ++count;
  }
  return count;
}

void* handleOf(const NvmlTable& library, const std::string& address) {
  void* device = nullptr;
  return !address.empty() && library.handleByPciBusId(address.c_str(), &device) == 0 ? device
                                                                                     : nullptr;
}

}  // namespace

std::vector<DeviceLink> linksBetween(const NvmlTable& library,
                                     std::span<const std::string> busAddresses) {
  std::vector<DeviceLink> links;
  for (size_t second = 0; second < busAddresses.size(); ++second)
    for (size_t first = 0; first < second; ++first) {
      DeviceLink& link = links.emplace_back();
      link.first = first;
      link.second = second;
      void* const a = handleOf(library, busAddresses[first]);
      void* const b = handleOf(library, busAddresses[second]);
      if (!a || !b) continue;
      int status = -1, level = -1;
      if (library.p2pStatus && library.p2pStatus(a, b, kNvLinkCapability, &status) == 0 &&
          status == kAvailable) {
        link.kind = DeviceLink::Kind::NvLink;
        link.nvLinks = activeNvLinks(library, a);
      }
      else if (library.commonAncestor && library.commonAncestor(a, b, &level) == 0) {
        link.kind = kindOfLevel(level);
      }
    }
  return links;
}

std::vector<DeviceLink> linksBetween(const std::string& deviceName) {
  const DeviceName name(resolvedDeviceName(deviceName));
  const size_t count = name.each().size();
  if (name.isCuda() && nvml()) {
    std::vector<std::string> addresses(count);
    const std::vector<DeviceInfo> known = listDevices();
    for (size_t rank = 0; rank < count; ++rank)
      for (const DeviceInfo& device : known)
        if (device.name == name.at(static_cast<int>(rank)) && device.gpu)
          addresses[rank] = device.gpu->busAddress;
    return linksBetween(*nvml(), addresses);
  }
  DeviceLink::Kind kind = DeviceLink::Kind::Unknown;
  if (name.isOnHost()) kind = DeviceLink::Kind::SharedMemory;
  if (name.isSimulated()) kind = DeviceLink::Kind::Host;
  std::vector<DeviceLink> links;
  for (size_t second = 0; second < count; ++second)
    for (size_t first = 0; first < second; ++first)
      links.push_back({first, second, kind, 0});
  return links;
}

}  // namespace strata
