// SPDX-License-Identifier: Apache-2.0
// What NVIDIA's management library says about a GPU now: memory, load, temperature, power, clocks,
// link. The library is part of the driver, and opened at run time.
// Source of the functions: NVML API reference, version 13.
// Thread: any.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace strata {

struct NvmlMemory {
  unsigned long long total, free, used;
};
struct NvmlUtilization {
  unsigned gpu, memory;
};

/// The functions of the library. Tests fill it themselves.
struct NvmlTable {
  int (*init)() = nullptr;
  int (*handleByPciBusId)(const char* busId, void** device) = nullptr;
  int (*memoryInfo)(void* device, NvmlMemory* memory) = nullptr;
  int (*utilizationRates)(void* device, NvmlUtilization* rates) = nullptr;
  int (*temperature)(void* device, int sensor, unsigned* degrees) = nullptr;
  int (*powerUsage)(void* device, unsigned* milliwatts) = nullptr;
  int (*clockInfo)(void* device, int type, unsigned* megahertz) = nullptr;
  int (*linkGeneration)(void* device, unsigned* generation) = nullptr;
  int (*linkWidth)(void* device, unsigned* lanes) = nullptr;
};

/// The state of a GPU. A value that the GPU does not tell is absent.
struct GpuState {
  std::optional<NvmlMemory> memory;
  // Per cent of the time in which a kernel ran, and in which memory was accessed
  std::optional<unsigned> utilization, memoryUtilization;
  std::optional<unsigned> degrees, milliwatts, megahertz, memoryMegahertz;
  std::optional<unsigned> linkGeneration, linkLanes;
};

/// Returns the library of this machine, or null if there is none.
const NvmlTable* nvml();
/// Returns the state of the GPU at this address on the PCI bus; nullopt if the library does not
/// know it.
std::optional<GpuState> gpuStateOf(const NvmlTable& library, const std::string& busAddress);

}  // namespace strata
