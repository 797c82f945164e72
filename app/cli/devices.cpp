// SPDX-License-Identifier: GPL-3.0-or-later
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "gpu/exec/backend.h"

namespace strata::cli {

Action setupDevices(Arguments& accepted) {
  auto asJson = std::make_shared<bool>(false);
  accepted.json(*asJson);
  return [asJson] {
    const auto devices = listDevices();
    const auto versions = libraryVersions();
    if (*asJson) {
      Json list = Json::array(), versionsJson = Json::object();
      for (const DeviceInfo& device : devices)
        list.push_back({{"name", device.name},
                        {"kind", device.kind},
                        {"title", device.title},
                        {"threads", device.threads},
                        {"memory_bytes", device.memoryBytes},
                        {"available_bytes", device.availableBytes},
                        {"usable", device.isUsable},
                        {"why_not", device.whyNot}});
      for (const auto& [name, version] : versions) versionsJson[name] = version;
      printJsonDocument({{"devices", list}, {"versions", versionsJson}});
      return kDone;
    }
    for (const DeviceInfo& device : devices) {
      std::cout << device.name << "  " << device.title;
      if (device.isUsable)
        std::cout << ", " << formatCounted(device.threads, "thread") << ", " << formatBytes(static_cast<double>(device.memoryBytes));
      else
        std::cout << "  not usable: " << device.whyNot;
      std::cout << "\n";
    }
    for (const auto& [name, version] : versions) std::cout << name << " " << version << "\n";
    return kDone;
  };
}

}  // namespace strata::cli
