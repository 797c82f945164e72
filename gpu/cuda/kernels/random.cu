// SPDX-License-Identifier: Apache-2.0
// Dropout and uniform random numbers, with the bits of gpu/base/rng.h and gpu/ops/dropout_mask.h.
// A thread computes the four random words of a block, and the elements that they belong to.
#include "gpu/cuda/kernels/numbers.cuh"
#include "gpu/cuda/kernels/philox.cuh"

namespace strata::cuda {

/// The scalar operands of an op with random numbers.
struct RandomPlace {
  const int64_t *seed, *step, *firstSample;
  uint64_t stream;
  // Elements of a sample
  int64_t perSample;
};

/// Calls f(i, number) for the elements of this thread, with a number in [0, 1).
template <class F>
__device__ inline void forRandom(const RandomPlace& place, int64_t count, F f) {
  const int64_t first = *place.firstSample * place.perSample;
  const int64_t block = first / 4 + globalThread(), begin = block * 4 - first;
  if (begin >= count) return;
  const PhiloxWords random =
      philoxWords(static_cast<uint64_t>(*place.seed), streamAtStep(place.stream, *place.step),
                  static_cast<uint64_t>(block));
  for (int k = 0; k < 4; ++k)
    if (begin + k >= 0 && begin + k < count)
      f(begin + k, static_cast<float>(random.words[k] >> 8) * (1.0f / 16777216.0f));
}

}  // namespace strata::cuda

#define STRATA_KERNELS(suffix, T)                                                                \
  STRATA_GLOBAL dropout_##suffix(const T* x, const int64_t* seed, const int64_t* step,           \
                                 const int64_t* firstSample, T* y, int64_t count,                \
                                 int64_t perSample, uint64_t stream, float rate, float scale) {  \
    strata::cuda::forRandom(                                                                     \
        {seed, step, firstSample, stream, perSample}, count, [&](int64_t i, float number) {      \
          y[i] = strata::cuda::fromFloat<T>(number >= rate ? strata::cuda::toFloat(x[i]) * scale \
                                                           : 0.0f);                              \
        });                                                                                      \
  }                                                                                              \
  STRATA_KERNEL(dropout_##suffix)
STRATA_FOR_FLOATING(STRATA_KERNELS)
#undef STRATA_KERNELS

STRATA_GLOBAL random_uniform(const int64_t* seed, const int64_t* step, const int64_t* firstSample,
                             float* y, int64_t count, int64_t perSample, uint64_t stream) {
  strata::cuda::forRandom({seed, step, firstSample, stream, perSample}, count,
                          [&](int64_t i, float number) { y[i] = number; });
}
STRATA_KERNEL(random_uniform)
