// SPDX-License-Identifier: Apache-2.0
// What NVIDIA's management library says about a GPU now: memory, load, temperature, power, clocks,
// link. The library is part of the driver, and opened at run time.
// Source of the functions: NVML API reference, version 13.
// Thread: any.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace strata {

/// nvmlMemory_v2_t. `used` is without `reserved`, which the driver keeps.
struct NvmlMemory {
  unsigned version;
  unsigned long long total, reserved, free, used;
};
inline constexpr unsigned kNvmlMemoryVersion = sizeof(NvmlMemory) | 2u << 24;
struct NvmlUtilization {
  unsigned gpu, memory;
};

/// nvmlProcessInfo_t
struct NvmlProcess {
  unsigned pid;
  // kNvmlUnknownBytes if the driver does not report it
  unsigned long long usedBytes;
  unsigned gpuInstance, computeInstance;
};
inline constexpr unsigned long long kNvmlUnknownBytes = ~0ull;

// NVML_ERROR_NOT_SUPPORTED, NVML_ERROR_NOT_FOUND and NVML_ERROR_INSUFFICIENT_SIZE
inline constexpr int kNvmlNotSupported = 3, kNvmlNotFound = 6, kNvmlInsufficientSize = 7;

/// The functions of the library. Tests fill it themselves.
struct NvmlTable {
  int (*init)() = nullptr;
  int (*handleByPciBusId)(const char* busId, void** device) = nullptr;
  int (*memoryInfo)(void* device, NvmlMemory* memory) = nullptr;
  // `count` is the size of the list, and becomes the number of processes
  int (*computeProcesses)(void* device, unsigned* count, NvmlProcess* list) = nullptr;
  int (*utilizationRates)(void* device, NvmlUtilization* rates) = nullptr;
  int (*temperature)(void* device, int sensor, unsigned* degrees) = nullptr;
  int (*powerUsage)(void* device, unsigned* milliwatts) = nullptr;
  int (*clockInfo)(void* device, int type, unsigned* megahertz) = nullptr;
  int (*linkGeneration)(void* device, unsigned* generation) = nullptr;
  int (*linkWidth)(void* device, unsigned* lanes) = nullptr;
  // Older drivers may not have these: the common ancestor of two GPUs (nvmlGpuTopologyLevel_t),
  // what they can do with each other (nvmlGpuP2PCapsIndex_t, nvmlGpuP2PStatus_t), and whether a
  // link of a GPU is active
  int (*commonAncestor)(void* first, void* second, int* level) = nullptr;
  int (*p2pStatus)(void* first, void* second, int capability, int* status) = nullptr;
  int (*nvLinkState)(void* device, unsigned link, int* isActive) = nullptr;
};

/// The state of a GPU. A value that the GPU does not report is absent.
struct GpuState {
  std::optional<NvmlMemory> memory;
  // The memory of this process. Within a container, the library may not know it.
  std::optional<unsigned long long> ownBytes;
  // Per cent of the time in which a kernel ran, and in which memory was accessed
  std::optional<unsigned> utilization, memoryUtilization;
  std::optional<unsigned> degrees, milliwatts, megahertz, memoryMegahertz;
  std::optional<unsigned> linkGeneration, linkLanes;
  // The other processes that compute on the GPU. One with several entries has their sum.
  std::vector<NvmlProcess> others;
};

/// Returns the library of this machine, or null if there is none.
const NvmlTable* nvml();
/// Returns the library of simulated cards, whose bus addresses come from the simulated driver. It
/// reports memory, load by virtual time, and the clock of the data sheet, but no temperature and no
/// power. Requires: there is a plug-in (gpu/cuda/plugin.h).
const NvmlTable& simulatedNvml();
/// Returns the state of the GPU at this address on the PCI bus; nullopt if the library does not
/// know it.
std::optional<GpuState> gpuStateOf(const NvmlTable& library, const std::string& busAddress);

}  // namespace strata
