// SPDX-License-Identifier: Apache-2.0
// What every kernel includes: element types, indices, reductions of a block, and the registration
// of kernels. nvcc compiles the kernels for GPUs; the host compiler compiles the same files for
// simulated cards (gpu/cuda/emulation/emulation.h). C++17.
//
// A kernel is an extern "C" function with one name per element type, such as softmax_f32. Its
// parameters are pointers, int32_t, int64_t, uint64_t, float, or structs of these. After its
// definition comes STRATA_KERNEL(name), or STRATA_COOPERATIVE_KERNEL(name) if it uses barriers,
// shuffles or shared memory. Shared memory is declared by STRATA_SHARED(type, name, count). A large
// struct that threads index is declared by STRATA_PARAMETER(type), so that it is not copied.
#pragma once

#include <cstdint>

#if defined(__CUDACC__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define STRATA_KERNEL(name)
#define STRATA_COOPERATIVE_KERNEL(name)
#define STRATA_SHARED(type, name, count) __shared__ type name[count]
#define STRATA_RESTRICT __restrict__
#define STRATA_PARAMETER(type) const __grid_constant__ type
#else
#include "gpu/cuda/emulation/cuda_words.h"
#define STRATA_RESTRICT
#define STRATA_PARAMETER(type) const type&
#endif

#include "gpu/cuda/kernels/parameters.h"

#define STRATA_GLOBAL extern "C" __global__ void

namespace strata::cuda {

/// The 16-bit types. Kernels compute in float.
struct bf16 {
  uint16_t bits;
};
struct f16 {
  uint16_t bits;
};

__device__ inline float toFloat(float value) { return value; }
__device__ inline float toFloat(bf16 value) {
#if defined(__CUDACC__)
  return __uint_as_float(static_cast<uint32_t>(value.bits) << 16);
#else
  return strata::toFloat(strata::BFloat16{value.bits});
#endif
}
__device__ inline float toFloat(f16 value) {
#if defined(__CUDACC__)
  return __half2float(__ushort_as_half(value.bits));
#else
  return strata::toFloat(strata::Float16{value.bits});
#endif
}

/// Rounds a float to the type T.
template <class T>
__device__ inline T fromFloat(float value);
template <>
__device__ inline float fromFloat<float>(float value) {
  return value;
}
template <>
__device__ inline bf16 fromFloat<bf16>(float value) {
#if defined(__CUDACC__)
  return {__bfloat16_as_ushort(__float2bfloat16_rn(value))};
#else
  return {strata::toBFloat16(value).bits};
#endif
}
template <>
__device__ inline f16 fromFloat<f16>(float value) {
#if defined(__CUDACC__)
  return {__half_as_ushort(__float2half_rn(value))};
#else
  return {strata::toFloat16(value).bits};
#endif
}

/// Calls X(suffix, type) for the types that hold activations and gradients.
#define STRATA_FOR_FLOATING(X) X(f32, float) X(bf16, strata::cuda::bf16) X(f16, strata::cuda::f16)

/// Returns the index of the first element of this thread, and the number of threads of the grid.
__device__ inline int64_t globalThread() {
  return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline int64_t numThreads() { return static_cast<int64_t>(gridDim.x) * blockDim.x; }

template <class T>
__device__ inline T* pointerOf(AddressBits address) {
#if defined(__CUDACC__)
  return reinterpret_cast<T*>(address.bits);
#else
  return reinterpret_cast<T*>(static_cast<uintptr_t>(strata::emulated::hostAddress(address.bits)));
#endif
}

constexpr int kWarp = 32;
constexpr unsigned kAllLanes = 0xffffffffu;

struct Sum {
  __device__ static float identity() { return 0; }
  __device__ static float join(float a, float b) { return a + b; }
};
struct Maximum {
  __device__ static float identity() { return -INFINITY; }
  // NaN wins, as in the reference
  __device__ static float join(float a, float b) { return (a > b || a != a) ? a : b; }
};

/// Reduces one value per lane. All lanes get the result.
template <class Op>
__device__ inline float reduceWarp(float value) {
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    value = Op::join(value, __shfl_xor_sync(kAllLanes, value, distance));
  return value;
}

/// Reduces one value per thread of a block, whose size is a multiple of 32. All threads get the
/// result. Every thread of the block must call it. The order of the sum depends only on the size of
/// the block.
template <class Op>
__device__ inline float reduceBlock(float value) {
  STRATA_SHARED(float, partial, kWarp);
  value = reduceWarp<Op>(value);
  const int lane = static_cast<int>(threadIdx.x) % kWarp,
            warp = static_cast<int>(threadIdx.x) / kWarp,
            warps = static_cast<int>(blockDim.x) / kWarp;
  if (lane == 0) partial[warp] = value;
  __syncthreads();
  float result = lane < warps ? static_cast<float>(partial[lane]) : Op::identity();
  result = reduceWarp<Op>(result);
  // The next call writes `partial` again
  __syncthreads();
  return result;
}

}  // namespace strata::cuda
