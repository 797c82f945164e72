// SPDX-License-Identifier: Apache-2.0
// A driver of made-up NVIDIA GPUs for tests of machines with cards. It answers what real drivers
// answer about devices, and keeps the memory of a card in host memory. Kernels do nothing. Put its
// folder first in the loader's path: LD_LIBRARY_PATH.
//   STRATA_FAKE_DRIVER=12040   the version of CUDA that it supports (default 13000)
//   STRATA_FAKE_CARDS=0        the number of cards (default 2)
//   STRATA_FAKE_MODE=2         their compute mode (default 0)
//   STRATA_FAKE_MEMORY=bytes   their memory (default 80 GiB)
// Source of the functions: CUDA Driver API, version 13.
// Thread: any.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "gpu/cuda/driver_types.h"

namespace {

constexpr int kDefaultVersion = 13000, kDefaultCards = 2;
constexpr size_t kContextBytes = size_t{500} << 20;

long long setting(const char* name, long long otherwise) {
  const char* value = std::getenv(name);
  return value ? std::atoll(value) : otherwise;
}

/// Returns the number of cards that CUDA_VISIBLE_DEVICES leaves, for lists of numbers.
int visibleCards() {
  const int cards = static_cast<int>(setting("STRATA_FAKE_CARDS", kDefaultCards));
  const char* at = std::getenv("CUDA_VISIBLE_DEVICES");
  if (!at) return cards;
  int count = 0;
  while (*at) {
    char* end = nullptr;
    const long index = std::strtol(at, &end, 10);
    if (end == at || index < 0 || index >= cards) break;
    ++count;
    at = *end == ',' ? end + 1 : end;
  }
  return count;
}

size_t memoryBytes() { return static_cast<size_t>(setting("STRATA_FAKE_MEMORY", 80ll << 30)); }

std::mutex mutex;
std::map<CUdeviceptr, size_t> blocks;
size_t takenBytes = 0;
int anyHandle = 0;

template <class T>
int give(T* handle) {
  *handle = reinterpret_cast<T>(&anyHandle);
  return STRATA_CUDA_SUCCESS;
}
void* host(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

}  // namespace

extern "C" {

int cuInit(unsigned) { return visibleCards() > 0 ? STRATA_CUDA_SUCCESS : STRATA_CUDA_NO_DEVICE; }
int cuDriverGetVersion(int* version) {
  *version = static_cast<int>(setting("STRATA_FAKE_DRIVER", kDefaultVersion));
  return STRATA_CUDA_SUCCESS;
}
int cuDeviceGetCount(int* count) {
  *count = visibleCards();
  return STRATA_CUDA_SUCCESS;
}
int cuDeviceGet(CUdevice* device, int ordinal) {
  *device = ordinal;
  return ordinal < visibleCards() ? STRATA_CUDA_SUCCESS : STRATA_CUDA_INVALID_DEVICE;
}
int cuDeviceGetName(char* name, int length, CUdevice device) {
  std::snprintf(name, static_cast<size_t>(length), "NVIDIA Made-up %d", device);
  return STRATA_CUDA_SUCCESS;
}
int cuDeviceTotalMem_v2(size_t* bytes, CUdevice) {
  *bytes = memoryBytes();
  return STRATA_CUDA_SUCCESS;
}
int cuDeviceGetAttribute(int* value, int attribute, CUdevice) {
  switch (attribute) {
    case STRATA_CUDA_CLOCK_KILOHERTZ: *value = 1980000; break;
    case STRATA_CUDA_MULTIPROCESSORS: *value = 132; break;
    case STRATA_CUDA_COMPUTE_MODE: *value = static_cast<int>(setting("STRATA_FAKE_MODE", 0)); break;
    case STRATA_CUDA_MEMORY_CLOCK_KILOHERTZ: *value = 2619000; break;
    case STRATA_CUDA_BUS_WIDTH_BITS: *value = 5120; break;
    case STRATA_CUDA_MAJOR: *value = 9; break;
    default: *value = 0; break;
  }
  return STRATA_CUDA_SUCCESS;
}
int cuDeviceGetPCIBusId(char* id, int length, CUdevice device) {
  std::snprintf(id, static_cast<size_t>(length), "0000:%02X:00.0", 0x65 + device);
  return STRATA_CUDA_SUCCESS;
}
int cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) { return give(context); }
int cuDevicePrimaryCtxRelease_v2(CUdevice) { return STRATA_CUDA_SUCCESS; }
int cuCtxSetCurrent(CUcontext) { return STRATA_CUDA_SUCCESS; }
int cuDeviceCanAccessPeer(int* canAccess, CUdevice, CUdevice) {
  *canAccess = 0;
  return STRATA_CUDA_SUCCESS;
}
int cuCtxEnablePeerAccess(CUcontext, unsigned) { return STRATA_CUDA_INVALID_CONTEXT; }
int cuMemcpyPeerAsync(CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, size_t, CUstream) {
  return STRATA_CUDA_INVALID_CONTEXT;
}
int cuCtxSynchronize() { return STRATA_CUDA_SUCCESS; }
int cuMemGetInfo_v2(size_t* freeBytes, size_t* totalBytes) {
  const std::lock_guard lock(mutex);
  *totalBytes = memoryBytes();
  *freeBytes = memoryBytes() - kContextBytes - takenBytes;
  return STRATA_CUDA_SUCCESS;
}
int cuMemAlloc_v2(CUdeviceptr* address, size_t bytes) {
  const std::lock_guard lock(mutex);
  if (bytes > memoryBytes() - kContextBytes - takenBytes) return STRATA_CUDA_OUT_OF_MEMORY;
  void* memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (!memory) return STRATA_CUDA_OUT_OF_MEMORY;
  std::memset(memory, 0, bytes);
  *address = reinterpret_cast<CUdeviceptr>(memory);
  blocks[*address] = bytes;
  takenBytes += bytes;
  return STRATA_CUDA_SUCCESS;
}
int cuMemFree_v2(CUdeviceptr address) {
  const std::lock_guard lock(mutex);
  const auto block = blocks.find(address);
  if (block == blocks.end()) return STRATA_CUDA_INVALID_VALUE;
  takenBytes -= block->second;
  std::free(host(address));
  blocks.erase(block);
  return STRATA_CUDA_SUCCESS;
}
int cuMemHostAlloc(void** memory, size_t bytes, unsigned) {
  *memory = std::malloc(bytes);
  return *memory ? STRATA_CUDA_SUCCESS : STRATA_CUDA_OUT_OF_MEMORY;
}
int cuMemFreeHost(void* memory) {
  std::free(memory);
  return STRATA_CUDA_SUCCESS;
}
int cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t bytes, CUstream) {
  std::memcpy(host(to), from, bytes);
  return STRATA_CUDA_SUCCESS;
}
int cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes, CUstream) {
  std::memcpy(to, host(from), bytes);
  return STRATA_CUDA_SUCCESS;
}
int cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream) {
  std::memmove(host(to), host(from), bytes);
  return STRATA_CUDA_SUCCESS;
}
int cuMemsetD32Async(CUdeviceptr address, unsigned value, size_t count, CUstream) {
  for (size_t i = 0; i < count; ++i)
    std::memcpy(static_cast<char*>(host(address)) + 4 * i, &value, 4);
  return STRATA_CUDA_SUCCESS;
}
int cuMemsetD8Async(CUdeviceptr address, unsigned char value, size_t bytes, CUstream) {
  std::memset(host(address), value, bytes);
  return STRATA_CUDA_SUCCESS;
}
int cuStreamCreate(CUstream* stream, unsigned) { return give(stream); }
int cuStreamDestroy_v2(CUstream) { return STRATA_CUDA_SUCCESS; }
int cuStreamSynchronize(CUstream) { return STRATA_CUDA_SUCCESS; }
int cuStreamWaitEvent(CUstream, CUevent, unsigned) { return STRATA_CUDA_SUCCESS; }
int cuStreamBeginCapture_v2(CUstream, int) { return STRATA_CUDA_SUCCESS; }
int cuStreamEndCapture(CUstream, CUgraph* graph) { return give(graph); }
int cuEventCreate(CUevent* event, unsigned) { return give(event); }
int cuEventDestroy_v2(CUevent) { return STRATA_CUDA_SUCCESS; }
int cuEventRecordWithFlags(CUevent, CUstream, unsigned) { return STRATA_CUDA_SUCCESS; }
int cuEventQuery(CUevent) { return STRATA_CUDA_SUCCESS; }
int cuEventSynchronize(CUevent) { return STRATA_CUDA_SUCCESS; }
int cuEventElapsedTime_v2(float* milliseconds, CUevent, CUevent) {
  *milliseconds = 1;
  return STRATA_CUDA_SUCCESS;
}
int cuModuleLoadData(CUmodule* module, const void*) { return give(module); }
int cuModuleUnload(CUmodule) { return STRATA_CUDA_SUCCESS; }
int cuModuleGetFunction(CUfunction* function, CUmodule, const char*) { return give(function); }
int cuFuncGetAttribute(int* value, int, CUfunction) {
  *value = 32;
  return STRATA_CUDA_SUCCESS;
}
int cuFuncSetAttribute(CUfunction, int, int) { return STRATA_CUDA_SUCCESS; }
int cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   CUstream, void**, void**) {
  return STRATA_CUDA_SUCCESS;
}
int cuGraphInstantiateWithFlags(CUgraphExec* executable, CUgraph, unsigned long long) {
  return give(executable);
}
int cuGraphLaunch(CUgraphExec, CUstream) { return STRATA_CUDA_SUCCESS; }
int cuGraphDestroy(CUgraph) { return STRATA_CUDA_SUCCESS; }
int cuGraphExecDestroy(CUgraphExec) { return STRATA_CUDA_SUCCESS; }
// NVRTC looks for it, and ends the program if it is missing
int cuGetExportTable(const void** table, const void*) {
  *table = nullptr;
  return STRATA_CUDA_NOT_FOUND;
}
int cuGetErrorName(int, const char** text) {
  *text = "CUDA_ERROR_MADE_UP";
  return STRATA_CUDA_SUCCESS;
}
int cuGetErrorString(int, const char** text) {
  *text = "a made-up error";
  return STRATA_CUDA_SUCCESS;
}

}  // extern "C"
