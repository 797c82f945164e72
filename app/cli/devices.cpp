// SPDX-License-Identifier: GPL-3.0-or-later
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "core/cost/catalogue.h"
#include "gpu/base/bytes.h"
#include "gpu/devices/devices.h"
#include "gpu/exec/device.h"

namespace strata::cli {

static int printCatalogue(bool asJson) {
  const auto& devices = deviceCatalogue();
  if (asJson) {
    Json list = Json::array();
    for (const CatalogueDevice& device : devices) {
      Json flops = Json::object();
      for (size_t i = 0; i < kPrecisions.size(); ++i)
        flops[std::string(kPrecisions[i])] =
            device.flopsPerSecond[i] ? Json(*device.flopsPerSecond[i] / 1e12) : Json(nullptr);
      list.push_back(
          {{"name", device.name},
           {"vendor", device.vendor},
           {"kind", device.kind},
           {"compute_capability",
            device.computeCapability.empty() ? Json(nullptr) : Json(device.computeCapability)},
           {"too_old", device.isTooOld()},
           {"memory_bytes", device.memoryBytes},
           {"bytes_per_second", device.bytesPerSecond},
           {"tflops", flops},
           {"source", device.source}});
    }
    printJsonDocument({{"catalogue", list}});
    return kDone;
  }
  for (const CatalogueDevice& device : devices) {
    std::cout << device.name << "  " << bytesText(static_cast<double>(device.memoryBytes)) << ", "
              << formatNumber(device.bytesPerSecond / 1e9, 0) << " GB/s";
    for (size_t i = 0; i < kPrecisions.size(); ++i)
      if (device.flopsPerSecond[i])
        std::cout << ", " << kPrecisions[i] << " "
                  << formatNumber(*device.flopsPerSecond[i] / 1e12, 1) << " TFLOPS";
    std::cout << (device.isTooOld() ? " (too old for CUDA 13)" : "") << "\n";
  }
  return kDone;
}

Action setupDevices(Arguments& accepted) {
  auto asJson = std::make_shared<bool>(false), isCatalogue = std::make_shared<bool>(false);
  accepted.flag("--catalogue", *isCatalogue,
                "List GPUs known by their data sheets, for strata plan --for NAME");
  accepted.json(*asJson);
  return [asJson, isCatalogue]() -> int {
    if (*isCatalogue) return printCatalogue(*asJson);
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
                        {"why_not", device.reason}});
      for (const auto& [name, version] : versions)
        versionsJson[name] = version;
      printJsonDocument({{"devices", list}, {"versions", versionsJson}});
      return kDone;
    }
    for (const DeviceInfo& device : devices) {
      std::cout << device.name << "  " << device.title;
      if (device.isUsable)
        std::cout << ", " << formatCounted(device.threads, "thread") << ", "
                  << bytesText(static_cast<double>(device.memoryBytes));
      else
        std::cout << "  not usable: " << device.reason;
      std::cout << "\n";
    }
    for (const auto& [name, version] : versions)
      std::cout << name << " " << version << "\n";
    return kDone;
  };
}

}  // namespace strata::cli
