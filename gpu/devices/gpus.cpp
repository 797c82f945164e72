// SPDX-License-Identifier: Apache-2.0
#include "gpu/devices/gpus.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <fstream>

#include "gpu/base/text.h"
#include "gpu/cuda/plugin.h"
#include "gpu/devices/machine_report.h"
#include "gpu/devices/nvml.h"

namespace strata {
namespace {

// Compute mode "prohibited" of a GPU
constexpr int kProhibited = 2;
// Libraries without which a GPU is not usable (machine_report.h)
constexpr std::string_view kNeededLibraries[] = {"libcudnn.so.9", "libcublasLt.so.13",
                                                 "libnvrtc.so.13"};

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
    info.availableBytes = info.memoryBytes;
    if (const NvmlTable* library = nvml())
      if (const std::optional<GpuState> state = gpuStateOf(*library, gpu.busAddress)) {
        if (state->memory) info.availableBytes = state->memory->free;
        if (gpu.link.empty() && state->linkGeneration && state->linkLanes)
          gpu.link = "PCIe generation " + std::to_string(*state->linkGeneration) + ", " +
                     std::to_string(*state->linkLanes) + " lanes";
      }
    gpu.driverVersion = versionText(version);
    info.gpu = std::move(gpu);
    info.isUsable = attribute(STRATA_CUDA_COMPUTE_MODE) != kProhibited;
    if (!info.isUsable)
      info.reason = STRATA_TEXT("argument",
                                "no program may use this GPU: its compute mode is \"prohibited\". "
                                "Run nvidia-smi -c DEFAULT as root.")
                        .source;
    gpus.push_back(std::move(info));
  }
  return gpus;
}

bool hasKernelsFor(std::string_view architectures, int capability) {
  int last = 0;
  for (size_t at = 0; at < architectures.size();) {
    int each = 0;
    const char* const end = architectures.data() + architectures.size();
    const auto [stop, error] = std::from_chars(architectures.data() + at, end, each);
    at = static_cast<size_t>(stop - architectures.data()) + 1;
    if (error != std::errc()) continue;
    if (each / 10 == capability / 10 && each <= capability) return true;
    last = each;
  }
  return last > 0 && last <= capability;
}

/// Returns why no GPU of this machine is usable although the driver lists them, or "".
static std::string whyNoLibraries(const StrataCudaPlugin& plugin) {
  StrataLibraryState states[32]{};
  const size_t count = std::min(plugin.libraries(states, std::size(states)), std::size(states));
  for (size_t i = 0; i < count; ++i)
    if (std::ranges::find(kNeededLibraries, std::string_view(states[i].name)) !=
            std::end(kNeededLibraries) &&
        states[i].problem && *states[i].problem)
      return std::string(states[i].problem) + ".";
  return {};
}

static std::vector<DeviceInfo> findGpus() {
  std::string reason;
  if (const StrataCudaPlugin* plugin = cuda::plugin()) {
    const char* text = nullptr;
    if (const StrataDriverTable* driver = plugin->driver(&text)) {
      std::vector<DeviceInfo> gpus = listGpus(*driver);
      const std::string missing = whyNoLibraries(*plugin);
      for (DeviceInfo& info : gpus) {
        std::string digits = info.gpu->computeCapability;
        std::erase(digits, '.');
        if (!info.isUsable) continue;
        if (!missing.empty())
          info.reason = missing;
        else if (!hasKernelsFor(plugin->architectures, std::atoi(digits.c_str())))
          info.reason = "the plug-in has kernels for compute capability " +
                        std::string(plugin->architectures) + ", and this GPU has " + digits +
                        ". Build Strata with -DSTRATA_CUDA_ARCHITECTURES=" + digits + ".";
        info.isUsable = info.reason.empty();
      }
      if (!gpus.empty()) return gpus;
    }
    reason = text ? std::string(text) + "." : "";
  }
  DeviceInfo none;
  none.name = "cuda:0";
  none.kind = "cuda";
  none.title = "NVIDIA GPU";
  const MachineFacts facts = readMachineFacts();
  // The library of a driver knows more than the files of the machine
  none.reason = facts.driverLibrary.empty() || reason.empty() ? whyNoGpu(facts).source : reason;
  return {none};
}

const std::vector<DeviceInfo>& listGpus() {
  // Asking a driver may take a second
  static const std::vector<DeviceInfo> gpus = findGpus();
  return gpus;
}

const DeviceInfo* findGpu(std::string_view name) {
  const std::vector<DeviceInfo>& gpus = listGpus();
  const auto found = std::ranges::find(gpus, name, &DeviceInfo::name);
  return found == gpus.end() ? nullptr : &*found;
}

bool firstGpuIsUsable() {
  const StrataCudaPlugin* plugin = cuda::plugin();
  const char* reason = nullptr;
  return plugin && plugin->driver(&reason) && listGpus().front().isUsable;
}

}  // namespace strata
