// SPDX-License-Identifier: Apache-2.0
#include "gpu/devices/nvml.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "gpu/cuda/plugin.h"
#include "gpu/exec/card_data.h"

namespace strata {
namespace {

// NVML_TEMPERATURE_GPU, NVML_CLOCK_SM and NVML_CLOCK_MEM
constexpr size_t kMaxLibraries = 16;
constexpr int kGpuSensor = 0, kSmClock = 1, kMemoryClock = 2;

/// Opens the library where the plug-in has found it. Without the plug-in no GPU is used.
void* openLibrary() {
  const StrataCudaPlugin* plugin = cuda::plugin();
  if (!plugin) return nullptr;
  StrataLibraryState states[kMaxLibraries] = {};
  const size_t count = std::min(plugin->libraries(states, kMaxLibraries), kMaxLibraries);
  for (const StrataLibraryState& state : std::span(states, count))
    if (state.name == std::string_view("libnvidia-ml.so.1") && state.path && *state.path)
      return dlopen(state.path, RTLD_NOW | RTLD_LOCAL);
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
  find(table.memoryInfo, "nvmlDeviceGetMemoryInfo_v2");
  find(table.computeProcesses, "nvmlDeviceGetComputeRunningProcesses_v3");
  find(table.utilizationRates, "nvmlDeviceGetUtilizationRates");
  find(table.temperature, "nvmlDeviceGetTemperature");
  find(table.powerUsage, "nvmlDeviceGetPowerUsage");
  find(table.clockInfo, "nvmlDeviceGetClockInfo");
  find(table.linkGeneration, "nvmlDeviceGetCurrPcieLinkGeneration");
  find(table.linkWidth, "nvmlDeviceGetCurrPcieLinkWidth");
  if (!isComplete || table.init() != 0) return std::nullopt;
  find(table.commonAncestor, "nvmlDeviceGetTopologyCommonAncestor");
  find(table.p2pStatus, "nvmlDeviceGetP2PStatus");
  find(table.nvLinkState, "nvmlDeviceGetNvLinkState");
  return table;
}

/// Reads which processes compute on a GPU: the memory of this one, if the library lists it, and the
/// others.
void readProcesses(const NvmlTable& library, void* device, GpuState& state) {
  constexpr unsigned kUsual = 64;
  std::vector<NvmlProcess> processes(kUsual);
  auto count = kUsual;
  int result = library.computeProcesses(device, &count, processes.data());
  if (result == kNvmlInsufficientSize) {
    // Others may start meanwhile
    count += kUsual;
    processes.resize(count);
    result = library.computeProcesses(device, &count, processes.data());
  }
  if (result != 0) return;
  const auto own = static_cast<unsigned>(getpid());
  processes.resize(std::min<size_t>(count, processes.size()));
  // A process is listed once for each instance of a divided GPU
  for (const NvmlProcess& process : processes) {
    const bool isKnown = process.usedBytes != kNvmlUnknownBytes;
    if (process.pid == own) {
      if (isKnown) state.ownBytes = state.ownBytes.value_or(0) + process.usedBytes;
      continue;
    }
    const auto same = std::ranges::find(state.others, process.pid, &NvmlProcess::pid);
    if (same == state.others.end())
      state.others.push_back(process);
    else if (isKnown)
      same->usedBytes =
          process.usedBytes + (same->usedBytes == kNvmlUnknownBytes ? 0 : same->usedBytes);
  }
}

/// The simulated card that the last look-up on this thread found, at that moment.
thread_local StrataSimulatedState simulatedState;

int findSimulated(const char* busAddress, void** device) {
  constexpr std::string_view kPrefix = kSimulatedPrefix;
  const std::string_view address = busAddress;
  int ordinal = 0;
  if (!address.starts_with(kPrefix) ||
      std::from_chars(address.data() + kPrefix.size(), address.data() + address.size(), ordinal)
              .ec != std::errc() ||
      cuda::plugin()->simulatedState(ordinal, &simulatedState) != 0)
    return kNvmlNotFound;
  *device = &simulatedState;
  return 0;
}

int simulatedMemory(void*, NvmlMemory* memory) {
  memory->total = simulatedState.totalBytes;
  memory->reserved = 0;
  memory->used = simulatedState.usedBytes;
  memory->free = memory->total - memory->used;
  return 0;
}

int simulatedProcesses(void*, unsigned* count, NvmlProcess* list) {
  if (*count == 0) return kNvmlInsufficientSize;
  *count = 1;
  list[0] = {static_cast<unsigned>(getpid()), simulatedState.usedBytes, 0, 0};
  return 0;
}

int simulatedRates(void*, NvmlUtilization* rates) {
  if (simulatedState.utilization < 0) return kNvmlNotSupported;
  *rates = {static_cast<unsigned>(std::lround(100 * simulatedState.utilization)), 0};
  return 0;
}

int simulatedClock(void*, int type, unsigned* megahertz) {
  *megahertz = static_cast<unsigned>(simulatedState.megahertz);
  return type == kSmClock && *megahertz > 0 ? 0 : kNvmlNotSupported;
}

}  // namespace

const NvmlTable& simulatedNvml() {
  static const NvmlTable library = [] {
    NvmlTable table;
    table.init = [] {
      return 0;
    };
    table.handleByPciBusId = findSimulated;
    table.memoryInfo = simulatedMemory;
    table.computeProcesses = simulatedProcesses;
    table.utilizationRates = simulatedRates;
    table.temperature = [](void*, int, unsigned*) {
      return kNvmlNotSupported;
    };
    table.clockInfo = simulatedClock;
    table.powerUsage = table.linkGeneration = table.linkWidth = [](void*, unsigned*) {
      return kNvmlNotSupported;
    };
    return table;
  }();
  return library;
}

const NvmlTable* nvml() {
  static const std::optional<NvmlTable> library = open();
  return library ? &*library : nullptr;
}

std::optional<GpuState> gpuStateOf(const NvmlTable& library, const std::string& busAddress) {
  void* device = nullptr;
  if (library.handleByPciBusId(busAddress.c_str(), &device) != 0) return std::nullopt;
  GpuState state;
  NvmlMemory memory{};
  memory.version = kNvmlMemoryVersion;
  if (library.memoryInfo(device, &memory) == 0) state.memory = memory;
  readProcesses(library, device, state);
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
