// SPDX-License-Identifier: Apache-2.0
#include "gpu/devices/nvml.h"

#include <dlfcn.h>

#include <initializer_list>
#include <type_traits>

namespace strata {
namespace {

// NVML_TEMPERATURE_GPU, NVML_CLOCK_SM and NVML_CLOCK_MEM
constexpr int kGpuSensor = 0, kSmClock = 1, kMemoryClock = 2;

/// Opens the library, also where containers and Windows' subsystem for Linux have it.
void* openLibrary() {
  for (const char* path :
       {"libnvidia-ml.so.1", "/usr/local/nvidia/lib64/libnvidia-ml.so.1",
        "/usr/local/nvidia/lib/libnvidia-ml.so.1", "/usr/lib/wsl/lib/libnvidia-ml.so.1"})
    if (void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL)) return library;
  return nullptr;
}

std::optional<NvmlTable> open() {
  void* library = openLibrary();
  if (!library) return std::nullopt;
  NvmlTable table;
  bool isComplete = true;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    isComplete = isComplete && function;
  };
  find(table.init, "nvmlInit_v2");
  find(table.handleByPciBusId, "nvmlDeviceGetHandleByPciBusId_v2");
  find(table.memoryInfo, "nvmlDeviceGetMemoryInfo");
  find(table.utilizationRates, "nvmlDeviceGetUtilizationRates");
  find(table.temperature, "nvmlDeviceGetTemperature");
  find(table.powerUsage, "nvmlDeviceGetPowerUsage");
  find(table.clockInfo, "nvmlDeviceGetClockInfo");
  find(table.linkGeneration, "nvmlDeviceGetCurrPcieLinkGeneration");
  find(table.linkWidth, "nvmlDeviceGetCurrPcieLinkWidth");
  if (!isComplete || table.init() != 0) return std::nullopt;
  return table;
}

}  // namespace

const NvmlTable* nvml() {
  static const std::optional<NvmlTable> library = open();
  return library ? &*library : nullptr;
}

std::optional<GpuState> gpuStateOf(const NvmlTable& library, const std::string& busAddress) {
  void* device = nullptr;
  if (library.handleByPciBusId(busAddress.c_str(), &device) != 0) return std::nullopt;
  GpuState state;
  NvmlMemory memory{};
  if (library.memoryInfo(device, &memory) == 0) state.memory = memory;
  NvmlUtilization rates{};
  if (library.utilizationRates(device, &rates) == 0) {
    state.utilization = rates.gpu;
    state.memoryUtilization = rates.memory;
  }
  unsigned value = 0;
  const auto keep = [&](std::optional<unsigned>& field, int result) {
    if (result == 0) field = value;
  };
  keep(state.degrees, library.temperature(device, kGpuSensor, &value));
  keep(state.milliwatts, library.powerUsage(device, &value));
  keep(state.megahertz, library.clockInfo(device, kSmClock, &value));
  keep(state.memoryMegahertz, library.clockInfo(device, kMemoryClock, &value));
  keep(state.linkGeneration, library.linkGeneration(device, &value));
  keep(state.linkLanes, library.linkWidth(device, &value));
  return state;
}

}  // namespace strata
