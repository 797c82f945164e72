// SPDX-License-Identifier: Apache-2.0
#include "gpu/simulated/result_texts.h"

#include "gpu/cuda/lasting_errors.h"

namespace strata::simulated {
namespace {

struct NamedResult {
  int result;
  const char* name;
  const char* text;
};
constexpr NamedResult kResults[] = {
    {STRATA_CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    {STRATA_CUDA_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {STRATA_CUDA_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {STRATA_CUDA_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {STRATA_CUDA_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {STRATA_CUDA_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {STRATA_CUDA_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {STRATA_CUDA_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {STRATA_CUDA_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {STRATA_CUDA_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {STRATA_CUDA_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS",
     "an illegal memory access was encountered"},
    {STRATA_CUDA_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {cuda::kNvlinkUncorrectable, "CUDA_ERROR_NVLINK_UNCORRECTABLE",
     "uncorrectable NVLink error detected during the execution"},
    {cuda::kContained, "CUDA_ERROR_CONTAINED", "invalid access of peer GPU memory over nvlink"},
    {cuda::kTensorMemoryLeak, "CUDA_ERROR_TENSOR_MEMORY_LEAK",
     "tensor memory was not completely deallocated"},
    {cuda::kExternalDevice, "CUDA_ERROR_EXTERNAL_DEVICE",
     "an async error has occurred in external entity outside of CUDA"},
    {STRATA_CUDA_CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
     "operation not permitted when stream is capturing"},
    {STRATA_CUDA_CAPTURE_INVALIDATED, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
     "operation failed due to a previous error during capture"},
    {STRATA_CUDA_CAPTURE_UNJOINED, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED",
     "capturing stream has unjoined work"},
};

const NamedResult* find(int result) {
  for (const NamedResult& each : kResults)
    if (each.result == result) return &each;
  return nullptr;
}

}  // namespace

const char* resultName(int result) {
  const NamedResult* found = find(result);
  return found ? found->name : "CUDA_ERROR_UNKNOWN";
}

const char* resultText(int result) {
  const NamedResult* found = find(result);
  return found ? found->text : "unknown error";
}

}  // namespace strata::simulated
