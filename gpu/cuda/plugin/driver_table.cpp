// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/plugin/driver_table.h"

#include <cuda.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <type_traits>

#include "gpu/cuda/lasting_errors.h"
#include "gpu/cuda/plugin/find_library.h"
#include "gpu/cuda/visible_devices.h"

namespace strata::plugin {
namespace {

// CUDA 13, as cuDriverGetVersion() reports it
constexpr int kMinVersion = 13000;

// --- agreement with cuda.h -----------------------------------------------------------------------

/// Whether a parameter in the table has the type of cuda.h. Enums are int in the table.
template <class Table, class Cuda>
constexpr bool kIsSame = std::is_same_v<Table, Cuda> ||
                         (std::is_enum_v<Cuda> && std::is_same_v<Table, int> &&
                          sizeof(Cuda) == sizeof(int));

template <class Table, class Cuda>
constexpr bool kAgrees = false;
template <class... Table, class... Cuda>
constexpr bool kAgrees<int (*)(Table...), CUresult (*)(Cuda...)> = [] {
  if constexpr (sizeof...(Table) == sizeof...(Cuda))
    return (kIsSame<Table, Cuda> && ...);
  else
    return false;
}();

#define STRATA_CHECK_FUNCTION(name, symbol, parameters, arguments)               \
  static_assert(kAgrees<decltype(StrataDriverTable::name), decltype(&::symbol)>, \
                #symbol " has other parameters in cuda.h");
STRATA_DRIVER_FUNCTIONS(STRATA_CHECK_FUNCTION)
#undef STRATA_CHECK_FUNCTION

constexpr bool isEqual(int ours, int theirs) { return ours == theirs; }
static_assert(isEqual(STRATA_CUDA_SUCCESS, CUDA_SUCCESS));
static_assert(isEqual(STRATA_CUDA_INVALID_VALUE, CUDA_ERROR_INVALID_VALUE));
static_assert(isEqual(STRATA_CUDA_OUT_OF_MEMORY, CUDA_ERROR_OUT_OF_MEMORY));
static_assert(isEqual(STRATA_CUDA_NO_DEVICE, CUDA_ERROR_NO_DEVICE));
static_assert(isEqual(STRATA_CUDA_INVALID_DEVICE, CUDA_ERROR_INVALID_DEVICE));
static_assert(isEqual(STRATA_CUDA_INVALID_IMAGE, CUDA_ERROR_INVALID_IMAGE));
static_assert(isEqual(STRATA_CUDA_INVALID_CONTEXT, CUDA_ERROR_INVALID_CONTEXT));
static_assert(isEqual(STRATA_CUDA_INVALID_HANDLE, CUDA_ERROR_INVALID_HANDLE));
static_assert(isEqual(STRATA_CUDA_NOT_FOUND, CUDA_ERROR_NOT_FOUND));
static_assert(isEqual(STRATA_CUDA_NOT_READY, CUDA_ERROR_NOT_READY));
static_assert(isEqual(STRATA_CUDA_ILLEGAL_ADDRESS, CUDA_ERROR_ILLEGAL_ADDRESS));
static_assert(isEqual(STRATA_CUDA_PEER_ACCESS_ALREADY_ENABLED,
                      CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED));
static_assert(isEqual(STRATA_CUDA_HOST_PORTABLE, CU_MEMHOSTALLOC_PORTABLE));
static_assert(isEqual(STRATA_CUDA_LAUNCH_FAILED, CUDA_ERROR_LAUNCH_FAILED));
static_assert(isEqual(STRATA_CUDA_CAPTURE_UNSUPPORTED, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED));
static_assert(isEqual(STRATA_CUDA_CAPTURE_INVALIDATED, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED));
static_assert(isEqual(STRATA_CUDA_CAPTURE_UNJOINED, CUDA_ERROR_STREAM_CAPTURE_UNJOINED));
static_assert(isEqual(STRATA_CUDA_UNKNOWN, CUDA_ERROR_UNKNOWN));
static_assert(isEqual(cuda::kEccUncorrectable, CUDA_ERROR_ECC_UNCORRECTABLE));
static_assert(isEqual(cuda::kNvlinkUncorrectable, CUDA_ERROR_NVLINK_UNCORRECTABLE));
static_assert(isEqual(cuda::kContained, CUDA_ERROR_CONTAINED));
static_assert(isEqual(cuda::kLaunchTimeout, CUDA_ERROR_LAUNCH_TIMEOUT));
static_assert(isEqual(cuda::kContextIsDestroyed, CUDA_ERROR_CONTEXT_IS_DESTROYED));
static_assert(isEqual(cuda::kAssert, CUDA_ERROR_ASSERT));
static_assert(isEqual(cuda::kHardwareStackError, CUDA_ERROR_HARDWARE_STACK_ERROR));
static_assert(isEqual(cuda::kTensorMemoryLeak, CUDA_ERROR_TENSOR_MEMORY_LEAK));
static_assert(isEqual(cuda::kExternalDevice, CUDA_ERROR_EXTERNAL_DEVICE));
static_assert(isEqual(STRATA_CUDA_CLOCK_KILOHERTZ, CU_DEVICE_ATTRIBUTE_CLOCK_RATE));
static_assert(isEqual(STRATA_CUDA_MULTIPROCESSORS, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
static_assert(isEqual(STRATA_CUDA_INTEGRATED, CU_DEVICE_ATTRIBUTE_INTEGRATED));
static_assert(isEqual(STRATA_CUDA_COMPUTE_MODE, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE));
static_assert(isEqual(STRATA_CUDA_MEMORY_CLOCK_KILOHERTZ, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE));
static_assert(isEqual(STRATA_CUDA_BUS_WIDTH_BITS, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH));
static_assert(isEqual(STRATA_CUDA_L2_BYTES, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
static_assert(isEqual(STRATA_CUDA_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
static_assert(isEqual(STRATA_CUDA_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
static_assert(isEqual(STRATA_CUDA_MAX_SHARED_BYTES_OPTIN,
                      CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
static_assert(isEqual(STRATA_CUDA_THREADS_PER_MULTIPROCESSOR,
                      CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR));
static_assert(isEqual(STRATA_CUDA_SHARED_BYTES_PER_MULTIPROCESSOR,
                      CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR));
static_assert(isEqual(STRATA_CUDA_REGISTERS_PER_MULTIPROCESSOR,
                      CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR));
static_assert(isEqual(STRATA_CUDA_BLOCKS_PER_MULTIPROCESSOR,
                      CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR));
static_assert(isEqual(STRATA_CUDA_RESERVED_SHARED_BYTES,
                      CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK));
static_assert(isEqual(STRATA_CUDA_FUNCTION_MAX_THREADS, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
static_assert(isEqual(STRATA_CUDA_FUNCTION_SHARED_BYTES, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
static_assert(isEqual(STRATA_CUDA_FUNCTION_REGISTERS, CU_FUNC_ATTRIBUTE_NUM_REGS));
static_assert(isEqual(STRATA_CUDA_FUNCTION_MAX_DYNAMIC_SHARED_BYTES,
                      CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES));
static_assert(isEqual(STRATA_CUDA_STREAM_NON_BLOCKING, CU_STREAM_NON_BLOCKING));
static_assert(isEqual(STRATA_CUDA_EVENT_NO_TIMING, CU_EVENT_DISABLE_TIMING));
static_assert(isEqual(STRATA_CUDA_EVENT_RECORD_EXTERNAL, CU_EVENT_RECORD_EXTERNAL));
static_assert(isEqual(STRATA_CUDA_CAPTURE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));

// --- opening -------------------------------------------------------------------------------------

/// Returns how many cards the kernel's module knows, or -1 if it is not loaded.
int cardsOfMachine() {
  std::error_code error;
  std::filesystem::directory_iterator at("/proc/driver/nvidia/gpus", error);
  if (error) return -1;
  int result = 0;
  for (; at != std::filesystem::directory_iterator(); at.increment(error))
    ++result;
  return result;
}

/// Says why there is no card although a driver is installed.
std::string whyNoCard() {
  const int cards = cardsOfMachine();
  const std::string hidden =
      cuda::explainVisibleDevices(std::getenv("CUDA_VISIBLE_DEVICES"), cards);
  if (!hidden.empty()) return hidden;
  if (cards == -1)
    return "the driver finds no NVIDIA GPU: its kernel module is not loaded. Check that "
           "nvidia-smi lists the GPU; in a container, start it with --gpus all";
  return "the driver finds no NVIDIA GPU. Check that nvidia-smi lists it; in a container, start it "
         "with --gpus all";
}

std::string whyInitFailed(const StrataDriverTable& table, int result) {
  switch (result) {
    case CUDA_ERROR_NO_DEVICE: return whyNoCard();
    case CUDA_ERROR_STUB_LIBRARY:
      return "libcuda.so.1 is the stub of the CUDA Toolkit, not a driver. Remove the folder "
             "\"stubs\" from LD_LIBRARY_PATH, and install NVIDIA's driver";
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
      return "the driver's library and kernel module have different versions. Restart the "
             "computer";
    case CUDA_ERROR_SYSTEM_NOT_READY:
      return "the GPUs are not ready. Check that the service nvidia-fabricmanager runs";
    case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
      return "this GPU does not support the compatibility package of CUDA. Install a newer driver";
    default: break;
  }
  const char *name = nullptr, *text = nullptr;
  if (table.getErrorName(result, &name) != 0 || !name) name = "unknown result";
  if (table.getErrorString(result, &text) != 0 || !text) text = "unknown error";
  return std::string("the driver cannot start: ") + text + " (" + name +
         "). Check that nvidia-smi works";
}

struct Opened {
  StrataDriverTable table{};
  std::string reason;
};

Opened open() {
  Opened result;
  const FoundLibrary& library = findLibrary(Library::Driver);
  result.reason = library.problem;
  if (!library.handle) return result;
  std::string missing;
  const auto find = [&](auto& entry, const char* symbol) {
    entry = reinterpret_cast<std::remove_reference_t<decltype(entry)>>(library.symbol(symbol));
    if (!entry && missing.empty()) missing = symbol;
  };
#define STRATA_FIND_FUNCTION(name, symbol, parameters, arguments) find(result.table.name, #symbol);
  STRATA_DRIVER_FUNCTIONS(STRATA_FIND_FUNCTION)
#undef STRATA_FIND_FUNCTION
  int version = 0;
  if (result.table.driverGetVersion) result.table.driverGetVersion(&version);
  if (!missing.empty() || (version != 0 && version < kMinVersion)) {
    result.reason = "the driver is too old: it supports CUDA " + library.version +
                    ", but Strata needs CUDA 13.0. Install NVIDIA's driver 580 or later";
    if (version >= kMinVersion) result.reason = library.path + " has no function " + missing;
    return result;
  }
  if (const int failed = result.table.init(0)) {
    result.reason = whyInitFailed(result.table, failed);
    return result;
  }
  int count = 0;
  if (result.table.deviceGetCount(&count) != 0 || count == 0) result.reason = whyNoCard();
  return result;
}

}  // namespace

const StrataDriverTable* driverTable(std::string& reason) {
  static const Opened kOpened = open();
  reason = kOpened.reason;
  return reason.empty() ? &kOpened.table : nullptr;
}

}  // namespace strata::plugin
