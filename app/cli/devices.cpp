// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "core/cost/catalogue.h"
#include "core/cost/simulated_card.h"
#include "gpu/base/bytes.h"
#include "gpu/devices/devices.h"
#include "gpu/exec/device.h"

namespace strata::cli {

/// Returns why a card cannot be simulated by this installation; empty if it can.
static std::string whyNot(const CatalogueDevice& device) {
  if (const Text reason = whyNotSimulated(device); !reason.isEmpty()) return reason.source;
  return whyNoSimulatedCards();
}

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
           {"can_be_simulated", whyNot(device).empty()},
           {"why_not_simulated", whyNot(device)},
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
    std::cout << (device.isTooOld() ? " (too old for CUDA 13)" : "")
              << (whyNot(device).empty() ? "; can be simulated" : "") << "\n";
  }
  return kDone;
}

/// Counts the cards of the catalogue that can be simulated where the plug-in is present.
static int64_t numSimulated() {
  return std::ranges::count_if(deviceCatalogue(), [](const CatalogueDevice& device) {
    return whyNotSimulated(device).isEmpty();
  });
}

/// Returns the fields of `strata devices --json` for a GPU.
static Json toJson(const GpuInfo& gpu) {
  return {{"compute_capability", gpu.computeCapability},
          {"multiprocessors", gpu.multiprocessors},
          {"clock_mhz", gpu.megahertz},
          {"memory_clock_mhz", gpu.memoryMegahertz},
          {"memory_bus_bits", gpu.busBits},
          {"pci_address", gpu.busAddress},
          {"link", gpu.link},
          {"driver_cuda", gpu.driverVersion}};
}

/// Describes a GPU, such as "compute capability 9.0, 79.6 GiB, 1980 MHz, ...".
static std::string textOf(const DeviceInfo& device) {
  const GpuInfo& gpu = *device.gpu;
  std::string text = ", compute capability " + gpu.computeCapability + ", " +
                     bytesText(static_cast<double>(device.memoryBytes)) + ", " +
                     std::to_string(gpu.megahertz) + " MHz, memory " +
                     std::to_string(gpu.memoryMegahertz) + " MHz";
  if (!gpu.link.empty()) text += ", " + gpu.link;
  return text + ", driver for CUDA " + gpu.driverVersion;
}

Action setupDevices(Arguments& accepted) {
  auto asJson = std::make_shared<bool>(false), isCatalogue = std::make_shared<bool>(false);
  accepted.flag(
      "--catalogue", *isCatalogue,
      "List GPUs known by their data sheets, for --device simulated:NAME and strata plan --for "
      "NAME");
  accepted.json(*asJson);
  return [asJson, isCatalogue]() -> int {
    if (*isCatalogue) return printCatalogue(*asJson);
    const auto devices = listDevices();
    const auto versions = libraryVersions();
    if (*asJson) {
      Json list = Json::array(), versionsJson = Json::object();
      for (const DeviceInfo& device : devices) {
        list.push_back({{"name", device.name},
                        {"kind", device.kind},
                        {"title", device.title},
                        {"threads", device.threads},
                        {"memory_bytes", device.memoryBytes},
                        {"available_bytes", device.availableBytes},
                        {"usable", device.isUsable},
                        {"why_not", device.reason}});
        if (device.gpu) list.back().update(toJson(*device.gpu));
      }
      for (const auto& [name, version] : versions)
        versionsJson[name] = version;
      const std::string& problem = whyNoSimulatedCards();
      const Json simulated = {{"name", "simulated:NAME"},
                              {"cards", numSimulated()},
                              {"usable", problem.empty()},
                              {"why_not", problem}};
      printJsonDocument({{"devices", list}, {"versions", versionsJson}, {"simulated", simulated}});
      return kDone;
    }
    for (const DeviceInfo& device : devices) {
      std::cout << device.name << "  " << device.title;
      if (device.gpu) std::cout << textOf(device);
      if (device.isUsable && !device.gpu)
        std::cout << ", " << formatCounted(device.threads, "thread") << ", "
                  << bytesText(static_cast<double>(device.memoryBytes));
      else if (!device.isUsable)
        std::cout << "  not usable: " << device.reason;
      std::cout << "\n";
    }
    std::cout << "simulated:NAME  " << formatCounted(numSimulated(), "NVIDIA GPU")
              << " of strata devices --catalogue, with true results and predicted times";
    if (const std::string& problem = whyNoSimulatedCards(); !problem.empty())
      std::cout << "  not usable: " << problem;
    std::cout << "\n";
    for (const auto& [name, version] : versions)
      std::cout << name << " " << version << "\n";
    return kDone;
  };
}

}  // namespace strata::cli
