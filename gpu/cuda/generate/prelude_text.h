// SPDX-License-Identifier: Apache-2.0
// What every generated kernel begins with: the functions of namespace std that formulas call, and
// loads and stores of elements and of four neighbours. NVRTC has no headers for these.
// Thread: a constant.
#pragma once

namespace strata::cuda {

/// CUDA C++17. Elements of 16 bits are `unsigned short`.
constexpr const char* kGeneratedPrelude = R"(
namespace std {
__device__ inline float exp(float x) { return expf(x); }
__device__ inline float expm1(float x) { return expm1f(x); }
__device__ inline float log1p(float x) { return log1pf(x); }
__device__ inline float tanh(float x) { return tanhf(x); }
__device__ inline float erfc(float x) { return erfcf(x); }
__device__ inline float sqrt(float x) { return sqrtf(x); }
__device__ inline float abs(float x) { return fabsf(x); }
}
struct alignas(16) FourFloats { float at[4]; };
struct alignas(8) FourHalves { unsigned short at[4]; };

__device__ inline float fromBf16(unsigned short bits) {
  return __uint_as_float((unsigned)bits << 16);
}
__device__ inline unsigned short toBf16(float x) {
  const unsigned bits = __float_as_uint(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return (unsigned short)((bits >> 16) | 0x0040u);
  return (unsigned short)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}
#if defined(__CUDACC__)
__device__ inline float fromF16(unsigned short bits) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
  return x;
}
__device__ inline unsigned short toF16(float x) {
  unsigned short bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
}
#else
inline float fromF16(unsigned short half) {
  const unsigned sign = (half & 0x8000u) << 16, magnitude = half & 0x7fffu;
  if (magnitude < 0x0400u)
    return __uint_as_float(sign | __float_as_uint((float)magnitude * 0x1p-24f));
  unsigned bits = (magnitude << 13) + ((127u - 15u) << 23);
  if (magnitude >= 0x7c00u) bits += (127u - 15u) << 23;
  if (magnitude > 0x7c00u) bits |= 0x00400000u;
  return __uint_as_float(sign | bits);
}
inline unsigned short toF16(float x) {
  const unsigned bits = __float_as_uint(x), magnitude = bits & 0x7fffffffu,
                 sign = (bits >> 16) & 0x8000u;
  if (magnitude > 0x7f800000u)
    return (unsigned short)(sign | 0x7e00u | ((magnitude >> 13) & 0x03ffu));
  if (magnitude >= 0x477ff000u) return (unsigned short)(sign | 0x7c00u);
  if (magnitude < 0x38800000u)
    return (unsigned short)(
        sign | (__float_as_uint(__uint_as_float(magnitude) + 0.5f) - 0x3f000000u));
  const unsigned rounded = magnitude + 0x0fffu + ((magnitude >> 13) & 1u);
  return (unsigned short)(sign | ((rounded - ((127u - 15u) << 23)) >> 13));
}
#endif

struct F32 {
  __device__ static float load(const void* x, long long i) { return ((const float*)x)[i]; }
  __device__ static void load4(const void* x, long long i, float* to) {
    const FourFloats four = ((const FourFloats*)x)[i];
    for (int e = 0; e < 4; ++e) to[e] = four.at[e];
  }
  __device__ static void store(void* y, long long i, float value) { ((float*)y)[i] = value; }
  __device__ static void store4(void* y, long long i, const float* values) {
    FourFloats four;
    for (int e = 0; e < 4; ++e) four.at[e] = values[e];
    ((FourFloats*)y)[i] = four;
  }
};
#define STRATA_HALVES(name)                                                                   \
  struct name {                                                                               \
    __device__ static float load(const void* x, long long i) {                                \
      return from##name(((const unsigned short*)x)[i]);                                       \
    }                                                                                         \
    __device__ static void load4(const void* x, long long i, float* to) {                     \
      const FourHalves four = ((const FourHalves*)x)[i];                                      \
      for (int e = 0; e < 4; ++e) to[e] = from##name(four.at[e]);                             \
    }                                                                                         \
    __device__ static void store(void* y, long long i, float value) {                         \
      ((unsigned short*)y)[i] = to##name(value);                                              \
    }                                                                                         \
    __device__ static void store4(void* y, long long i, const float* values) {                \
      FourHalves four;                                                                        \
      for (int e = 0; e < 4; ++e) four.at[e] = to##name(values[e]);                           \
      ((FourHalves*)y)[i] = four;                                                             \
    }                                                                                         \
  };
STRATA_HALVES(Bf16)
STRATA_HALVES(F16)
)";

}  // namespace strata::cuda
