// SPDX-License-Identifier: Apache-2.0
#include "gpu/devices/gpus.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>

#include "gpu/base/text.h"
#include "gpu/cuda/plugin.h"
#include "gpu/devices/machine_report.h"

namespace strata {
namespace {

constexpr Text kNotYet =
    STRATA_TEXT("argument", "this version of Strata does not compute on NVIDIA GPUs yet.");

std::string versionText(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string firstLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// Returns the present link of a device on the PCI bus, or an empty text.
std::string linkOf(std::string address) {
  std::ranges::transform(address, address.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::string folder = "/sys/bus/pci/devices/" + address;
  const std::string speed = firstLine(folder + "/current_link_speed"),
                    lanes = firstLine(folder + "/current_link_width");
  return speed.empty() || lanes.empty() ? std::string() : speed + ", " + lanes + " lanes";
}

}  // namespace

std::vector<DeviceInfo> listGpus(const StrataDriverTable& driver) {
  int count = 0, version = 0;
  if (driver.init(0) != 0 || driver.deviceGetCount(&count) != 0) return {};
  driver.driverGetVersion(&version);
  std::vector<DeviceInfo> gpus;
  for (int i = 0; i < count; ++i) {
    CUdevice device = 0;
    std::array<char, 256> name{};
    if (driver.deviceGet(&device, i) != 0 ||
        driver.deviceGetName(name.data(), static_cast<int>(name.size()) - 1, device) != 0)
      continue;
    const auto attribute = [&](int number) {
      int value = 0;
      return driver.deviceGetAttribute(&value, number, device) == 0 ? value : 0;
    };
    DeviceInfo info;
    info.name = "cuda:" + std::to_string(i);
    info.kind = "cuda";
    info.title = name.data();
    driver.deviceTotalMem(&info.memoryBytes, device);
    GpuInfo gpu;
    gpu.computeCapability = std::to_string(attribute(STRATA_CUDA_MAJOR)) + "." +
                            std::to_string(attribute(STRATA_CUDA_MINOR));
    gpu.multiprocessors = attribute(STRATA_CUDA_MULTIPROCESSORS);
    gpu.megahertz = attribute(STRATA_CUDA_CLOCK_KILOHERTZ) / 1000;
    gpu.memoryMegahertz = attribute(STRATA_CUDA_MEMORY_CLOCK_KILOHERTZ) / 1000;
    gpu.busBits = attribute(STRATA_CUDA_BUS_WIDTH_BITS);
    std::array<char, 64> address{};
    if (driver.deviceGetPCIBusId(address.data(), static_cast<int>(address.size()) - 1, device) == 0)
      gpu.busAddress = address.data();
    gpu.link = linkOf(gpu.busAddress);
    gpu.driverVersion = versionText(version);
    info.gpu = std::move(gpu);
    info.reason = kNotYet.source;
    gpus.push_back(std::move(info));
  }
  return gpus;
}

static std::vector<DeviceInfo> findGpus() {
  if (const StrataCudaPlugin* plugin = cuda::plugin()) {
    const char* reason = nullptr;
    if (const StrataDriverTable* driver = plugin->driver(&reason))
      if (std::vector<DeviceInfo> gpus = listGpus(*driver); !gpus.empty()) return gpus;
  }
  DeviceInfo none;
  none.name = "cuda:0";
  none.kind = "cuda";
  none.title = "NVIDIA GPU";
  none.reason = whyNoGpu(readMachineFacts()).source;
  return {none};
}

std::vector<DeviceInfo> listGpus() {
  // Asking a driver may take a second
  static const std::vector<DeviceInfo> gpus = findGpus();
  return gpus;
}

}  // namespace strata
