// SPDX-License-Identifier: Apache-2.0
#include "gpu/tensor/low_precision.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace strata {
namespace {

template <class Low>
void widenEach(const Low* from, float* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = toFloat(from[i]);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void widenAvx2(const BFloat16* from, float* to, int64_t count) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
    _mm256_storeu_ps(to + i,
                     _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16)));
  }
  for (; i < count; ++i)
    to[i] = toFloat(from[i]);
}

/// Does the same as toBFloat16() for eight floats. The results are in the lower halves of lanes.
[[gnu::target("avx2")]] inline __m256i roundedLanes(const float* from) {
  const __m256i bits = _mm256_castps_si256(_mm256_loadu_ps(from));
  const __m256i upper = _mm256_srli_epi32(bits, 16);
  const __m256i isNan = _mm256_cmpgt_epi32(_mm256_and_si256(bits, _mm256_set1_epi32(0x7fffffff)),
                                           _mm256_set1_epi32(0x7f800000));
  const __m256i bias =
      _mm256_add_epi32(_mm256_and_si256(upper, _mm256_set1_epi32(1)), _mm256_set1_epi32(0x7fff));
  const __m256i rounded = _mm256_srli_epi32(_mm256_add_epi32(bits, bias), 16);
  return _mm256_blendv_epi8(rounded, _mm256_or_si256(upper, _mm256_set1_epi32(0x40)), isNan);
}

[[gnu::target("avx2")]] void roundAvx2(const float* from, BFloat16* to, int64_t count) {
  int64_t i = 0;
  for (; i + 16 <= count; i += 16) {
    // Packing works on halves of 128 bits, so the quarters must be reordered
    const __m256i packed = _mm256_packus_epi32(roundedLanes(from + i), roundedLanes(from + i + 8));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), _mm256_permute4x64_epi64(packed, 0xd8));
  }
  for (; i < count; ++i)
    to[i] = toBFloat16(from[i]);
}

[[gnu::target("avx2,f16c")]] void widenF16c(const Float16* from, float* to, int64_t count) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8)
    _mm256_storeu_ps(to + i,
                     _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i))));
  for (; i < count; ++i)
    to[i] = toFloat(from[i]);
}

[[gnu::target("avx2,f16c")]] void roundF16c(const float* from, Float16* to, int64_t count) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8)
    _mm_storeu_si128(
        reinterpret_cast<__m128i*>(to + i),
        _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  for (; i < count; ++i)
    to[i] = toFloat16(from[i]);
}

bool hasAvx2() {
  static const bool has = __builtin_cpu_supports("avx2");
  return has;
}
bool hasF16c() {
  static const bool has = hasAvx2() && __builtin_cpu_supports("f16c");
  return has;
}
#endif

}  // namespace

void toFloats(const BFloat16* from, float* to, int64_t count) {
#if defined(__x86_64__)
  if (hasAvx2()) return widenAvx2(from, to, count);
#endif
  widenEach(from, to, count);
}

void toFloats(const Float16* from, float* to, int64_t count) {
#if defined(__x86_64__)
  if (hasF16c()) return widenF16c(from, to, count);
#endif
  widenEach(from, to, count);
}

void fromFloats(const float* from, BFloat16* to, int64_t count) {
#if defined(__x86_64__)
  if (hasAvx2()) return roundAvx2(from, to, count);
#endif
  for (int64_t i = 0; i < count; ++i)
    to[i] = toBFloat16(from[i]);
}

void fromFloats(const float* from, Float16* to, int64_t count) {
#if defined(__x86_64__)
  if (hasF16c()) return roundF16c(from, to, count);
#endif
  for (int64_t i = 0; i < count; ++i)
    to[i] = toFloat16(from[i]);
}

}  // namespace strata
