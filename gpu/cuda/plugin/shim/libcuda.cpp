// SPDX-License-Identifier: Apache-2.0
// A libcuda.so.1 that answers without a GPU. cuDNN compiles some engines when it plans them, and
// asks the driver to load the result. This library says that it did, so that simulated cards get
// the plans and workspaces of these engines. Nothing can run: all other functions fail.
// It is opened only for simulated cards, and only where no driver is installed (driver_shim.h).
// Source of the functions and their parameters: CUDA Driver API, version 13.
// Thread: any.
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace {

enum Result { SUCCESS = 0, STUB_LIBRARY = 34 };
constexpr int kVersion = 13000;

// Stands for every library, module, kernel and function
int anyHandle = 0;

int refuse() { return STUB_LIBRARY; }

/// Returns the value of a function's attribute: 0 is the threads of a block, 4 the registers of a
/// thread.
int attributeValue(int attribute) {
  if (attribute == 0) return 1024;
  return attribute == 4 ? 64 : 0;
}

}  // namespace

extern "C" {

// cuDNN looks these functions up before it compiles, but calls none of them
#define STRATA_REFUSE(name) \
  int name() { return STUB_LIBRARY; }
STRATA_REFUSE(cuCtxGetCurrent)
STRATA_REFUSE(cuCtxGetDevice)
STRATA_REFUSE(cuCtxGetLimit)
STRATA_REFUSE(cuCtxPopCurrent)
STRATA_REFUSE(cuCtxPushCurrent)
STRATA_REFUSE(cuDeviceGet)
STRATA_REFUSE(cuDeviceGetAttribute)
STRATA_REFUSE(cuDeviceGetCount)
STRATA_REFUSE(cuInit)
STRATA_REFUSE(cuLaunchCooperativeKernel)
STRATA_REFUSE(cuLaunchKernel)
STRATA_REFUSE(cuLaunchKernelEx)
STRATA_REFUSE(cuLibraryLoadFromFile)
STRATA_REFUSE(cuLinkAddData)
STRATA_REFUSE(cuLinkComplete)
STRATA_REFUSE(cuLinkCreate)
STRATA_REFUSE(cuLinkDestroy)
STRATA_REFUSE(cuOccupancyMaxActiveClusters)
STRATA_REFUSE(cuOccupancyMaxPotentialClusterSize)
STRATA_REFUSE(cuStreamGetCtx)
#undef STRATA_REFUSE

int cuDriverGetVersion(int* version) {
  *version = kVersion;
  return SUCCESS;
}
int cuGetErrorName(int, const char** text) {
  *text = "CUDA_ERROR_STUB_LIBRARY";
  return SUCCESS;
}
int cuGetErrorString(int, const char** text) {
  *text = "this machine has no driver";
  return SUCCESS;
}

int cuLibraryLoadData(void** library, const void*, void*, void**, unsigned, void*, void**,
                      unsigned) {
  *library = &anyHandle;
  return SUCCESS;
}
int cuLibraryUnload(void*) { return SUCCESS; }
int cuLibraryGetKernel(void** kernel, void*, const char*) {
  *kernel = &anyHandle;
  return SUCCESS;
}
int cuLibraryGetKernelCount(unsigned* count, void*) {
  *count = 1;
  return SUCCESS;
}
int cuLibraryEnumerateKernels(void** kernels, unsigned count, void*) {
  for (unsigned i = 0; i < count; ++i)
    kernels[i] = &anyHandle;
  return SUCCESS;
}
int cuLibraryGetModule(void** module, void*) {
  *module = &anyHandle;
  return SUCCESS;
}
int cuLibraryGetGlobal(unsigned long long* address, size_t* bytes, void*, const char*) {
  if (address) *address = 256;
  if (bytes) *bytes = 0;
  return SUCCESS;
}

int cuKernelGetFunction(void** function, void*) {
  *function = &anyHandle;
  return SUCCESS;
}
int cuKernelSetAttribute(int, int, void*, int) { return SUCCESS; }
int cuKernelGetAttribute(int* value, int attribute, void*, int) {
  *value = attributeValue(attribute);
  return SUCCESS;
}
int cuKernelGetName(const char** name, void*) {
  *name = "kernel";
  return SUCCESS;
}

int cuFuncSetAttribute(void*, int, int) { return SUCCESS; }
int cuFuncGetAttribute(int* value, int attribute, void*) {
  *value = attributeValue(attribute);
  return SUCCESS;
}

int cuModuleLoadData(void** module, const void*) {
  *module = &anyHandle;
  return SUCCESS;
}
int cuModuleGetFunction(void** function, void*, const char*) {
  *function = &anyHandle;
  return SUCCESS;
}
int cuModuleUnload(void*) { return SUCCESS; }

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void*, int, size_t) {
  *blocks = 1;
  return SUCCESS;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, void*, int, size_t,
                                                         unsigned) {
  *blocks = 1;
  return SUCCESS;
}

int cuGetProcAddress(const char* symbol, void** function, int version, uint64_t flags);
int cuGetProcAddress_v2(const char* symbol, void** function, int version, uint64_t flags,
                        int* found) {
  if (found) *found = 0;
  return cuGetProcAddress(symbol, function, version, flags);
}

int cuGetProcAddress(const char* symbol, void** function, int, uint64_t) {
#define STRATA_ENTRY(name) \
  { #name, reinterpret_cast < void*>(name) }
  static const struct {
    const char* name;
    void* function;
  } kEntries[] = {
      STRATA_ENTRY(cuDriverGetVersion),
      STRATA_ENTRY(cuFuncGetAttribute),
      STRATA_ENTRY(cuFuncSetAttribute),
      STRATA_ENTRY(cuGetErrorName),
      STRATA_ENTRY(cuGetErrorString),
      STRATA_ENTRY(cuKernelGetAttribute),
      STRATA_ENTRY(cuKernelGetFunction),
      STRATA_ENTRY(cuKernelGetName),
      STRATA_ENTRY(cuKernelSetAttribute),
      STRATA_ENTRY(cuLibraryEnumerateKernels),
      STRATA_ENTRY(cuLibraryGetGlobal),
      STRATA_ENTRY(cuLibraryGetKernel),
      STRATA_ENTRY(cuLibraryGetKernelCount),
      STRATA_ENTRY(cuLibraryGetModule),
      STRATA_ENTRY(cuLibraryLoadData),
      STRATA_ENTRY(cuLibraryUnload),
      STRATA_ENTRY(cuModuleGetFunction),
      STRATA_ENTRY(cuModuleLoadData),
      STRATA_ENTRY(cuModuleUnload),
      STRATA_ENTRY(cuOccupancyMaxActiveBlocksPerMultiprocessor),
      STRATA_ENTRY(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags),
      {"cuGetProcAddress", reinterpret_cast<void*>(cuGetProcAddress_v2)},
  };
#undef STRATA_ENTRY
  *function = reinterpret_cast<void*>(refuse);
  for (const auto& entry : kEntries)
    if (std::strcmp(symbol, entry.name) == 0) *function = entry.function;
  return SUCCESS;
}

}  // extern "C"
