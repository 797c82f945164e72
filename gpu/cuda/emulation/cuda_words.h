// SPDX-License-Identifier: Apache-2.0
// The words of CUDA C++ that kernels use, for the host compiler. Only device.cuh includes it,
// because the words are macros.
// Thread: see emulation.h.
#pragma once

#include "gpu/cuda/emulation/emulation.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define threadIdx (strata::emulated::current->thread)
#define blockIdx (strata::emulated::current->block)
#define blockDim (strata::emulated::current->blockDim)
#define gridDim (strata::emulated::current->gridDim)
#define __syncthreads() strata::emulated::syncThreads()
#define __syncwarp() strata::emulated::syncWarp()

inline float __shfl_xor_sync(unsigned, float value, int distance) {
  using namespace strata::emulated;
  return asFloat(exchange(asBits(value), laneOfThread() ^ distance));
}
inline int __shfl_xor_sync(unsigned, int value, int distance) {
  using namespace strata::emulated;
  return static_cast<int>(exchange(static_cast<uint32_t>(value), laneOfThread() ^ distance));
}
inline float __shfl_sync(unsigned, float value, int source) {
  using namespace strata::emulated;
  return asFloat(exchange(asBits(value), source));
}
inline int __shfl_sync(unsigned, int value, int source) {
  using namespace strata::emulated;
  return static_cast<int>(exchange(static_cast<uint32_t>(value), source));
}
// Without contraction to a fused multiply-add
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fadd_rn(float a, float b) { return a + b; }
// Blocks run on several threads of the host
inline unsigned long long atomicAdd(unsigned long long* at, unsigned long long value) {
  return __atomic_fetch_add(at, value, __ATOMIC_SEQ_CST);
}
inline unsigned int atomicAdd(unsigned int* at, unsigned int value) {
  return __atomic_fetch_add(at, value, __ATOMIC_SEQ_CST);
}
// Every atomicAdd above already orders what its thread wrote before and reads after it.
inline void __threadfence() {}
using std::isfinite;
using std::isnan;

#define STRATA_KERNEL(name)                                     \
  [[maybe_unused]] static const bool strata_registered_##name = \
      strata::emulated::registerKernel(strata::emulated::KernelOf<&name>::make(#name, false));
#define STRATA_COOPERATIVE_KERNEL(name)                         \
  [[maybe_unused]] static const bool strata_registered_##name = \
      strata::emulated::registerKernel(strata::emulated::KernelOf<&name>::make(#name, true));
#define STRATA_SHARED(type, name, count)    \
  static const char strata_site_##name = 0; \
  const strata::emulated::SharedArray<type> name(&strata_site_##name, count)
