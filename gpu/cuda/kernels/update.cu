// SPDX-License-Identifier: Apache-2.0
// Updates of variables with Keras's formulas (gpu/ops/update.cpp). Where `apply` is 0, they write
// nothing. Outputs may overwrite operands.
#include "gpu/cuda/kernels/update.h"

#include "gpu/cuda/kernels/numbers.cuh"

namespace strata::cuda {

__device__ inline bool applies(const float* apply) { return !apply || *apply != 0; }

/// Calls f(i, rate) for the element of this thread, unless `apply` is 0.
template <class F>
__device__ inline void updateElement(const UpdateScalars& scalars, int64_t count, F f) {
  const int64_t i = globalThread();
  if (i >= count || !applies(pointerOf<const float>(scalars.apply))) return;
  f(i, scalarAt(pointerOf<const void>(scalars.rate), scalars.rateType));
}

/// Returns the weight after decoupled weight decay.
__device__ inline float decayed(float weight, const UpdateScalars& scalars, float rate) {
  return weight - weight * scalars.weightDecay * rate;
}

template <class T>
__device__ void sgd(const T* w, const T* g, const T* velocity, T* newW, T* newVelocity,
                    int64_t count, const UpdateScalars& scalars, const SgdNumbers& sgd) {
  updateElement(scalars, count, [&](int64_t i, float rate) {
    const float weight = decayed(toFloat(w[i]), scalars, rate), move = toFloat(g[i]) * rate;
    if (!velocity) {
      newW[i] = fromFloat<T>(weight - move);
      return;
    }
    const float v = sgd.momentum * toFloat(velocity[i]) - move;
    newW[i] = fromFloat<T>(weight + (sgd.isNesterov ? sgd.momentum * v - move : v));
    newVelocity[i] = fromFloat<T>(v);
  });
}

template <class T>
__device__ void adam(const T* w, const T* g, const T* m, const T* v, const int64_t* step,
                     const T* largest, T* newW, T* newM, T* newV, T* newLargest, int64_t count,
                     const UpdateScalars& scalars, const AdamNumbers& adam) {
  updateElement(scalars, count, [&](int64_t i, float rate) {
    const auto steps = static_cast<float>(*step);
    // 1 - beta^step without loss of digits
    const float alpha =
        rate * sqrtf(-expm1f(steps * adam.logBeta2)) / -expm1f(steps * adam.logBeta1);
    const float weight = decayed(toFloat(w[i]), scalars, rate), gradient = toFloat(g[i]);
    float mean = toFloat(m[i]), square = toFloat(v[i]);
    mean += (gradient - mean) * adam.meanShare;
    square += (gradient * gradient - square) * adam.squareShare;
    newM[i] = fromFloat<T>(mean);
    newV[i] = fromFloat<T>(square);
    if (largest) {
      square = fmaxf(toFloat(largest[i]), square);
      newLargest[i] = fromFloat<T>(square);
    }
    newW[i] = fromFloat<T>(weight - mean * alpha / (sqrtf(square) + adam.epsilon));
  });
}

template <class T>
__device__ void rmsprop(const T* w, const T* g, const T* v, const T* momentum, const T* average,
                        T* newW, T* newV, T* newMomentum, T* newAverage, int64_t count,
                        const UpdateScalars& scalars, const RmspropNumbers& rmsprop) {
  updateElement(scalars, count, [&](int64_t i, float rate) {
    const float weight = decayed(toFloat(w[i]), scalars, rate), gradient = toFloat(g[i]);
    // In double, because the difference of the centered variant has few digits
    const double share = 1 - rmsprop.rho;
    const double square = rmsprop.rho * static_cast<double>(toFloat(v[i])) +
                          share * static_cast<double>(gradient) * static_cast<double>(gradient);
    newV[i] = fromFloat<T>(static_cast<float>(square));
    double denominator = square + rmsprop.epsilon;
    if (average) {
      const double mean = rmsprop.rho * static_cast<double>(toFloat(average[i])) +
                          share * static_cast<double>(gradient);
      newAverage[i] = fromFloat<T>(static_cast<float>(mean));
      denominator -= mean * mean;
    }
    float move = rate * gradient / sqrtf(static_cast<float>(denominator));
    if (momentum) {
      move += rmsprop.momentum * toFloat(momentum[i]);
      newMomentum[i] = fromFloat<T>(move);
    }
    newW[i] = fromFloat<T>(weight - move);
  });
}

template <class T>
__device__ void adagrad(const T* w, const T* g, const T* accumulator, T* newW, T* newAccumulator,
                        int64_t count, const UpdateScalars& scalars, float epsilon) {
  updateElement(scalars, count, [&](int64_t i, float rate) {
    const float weight = decayed(toFloat(w[i]), scalars, rate), gradient = toFloat(g[i]);
    const float sum = toFloat(accumulator[i]) + gradient * gradient;
    newAccumulator[i] = fromFloat<T>(sum);
    newW[i] = fromFloat<T>(weight - rate * gradient / sqrtf(sum + epsilon));
  });
}

}  // namespace strata::cuda

STRATA_GLOBAL assign_words(const uint32_t* from, uint32_t* to, int64_t count, const float* apply) {
  const int64_t i = strata::cuda::globalThread();
  if (i < count && strata::cuda::applies(apply)) to[i] = from[i];
}
STRATA_KERNEL(assign_words)

STRATA_GLOBAL assign_bytes(const uint8_t* from, uint8_t* to, int64_t count, const float* apply) {
  const int64_t i = strata::cuda::globalThread();
  if (i < count && strata::cuda::applies(apply)) to[i] = from[i];
}
STRATA_KERNEL(assign_bytes)

#define STRATA_KERNELS(suffix, T)                                                                 \
  STRATA_GLOBAL sgd_update_##suffix(                                                              \
      const T* w, const T* g, const T* velocity, T* newW, T* newVelocity, int64_t count,          \
      strata::cuda::UpdateScalars scalars, strata::cuda::SgdNumbers numbers) {                    \
    strata::cuda::sgd(w, g, velocity, newW, newVelocity, count, scalars, numbers);                \
  }                                                                                               \
  STRATA_KERNEL(sgd_update_##suffix)                                                              \
  STRATA_GLOBAL adam_update_##suffix(                                                             \
      const T* w, const T* g, const T* m, const T* v, const int64_t* step, const T* largest,      \
      T* newW, T* newM, T* newV, T* newLargest, int64_t count,                                    \
      strata::cuda::UpdateScalars scalars, strata::cuda::AdamNumbers numbers) {                   \
    strata::cuda::adam(w, g, m, v, step, largest, newW, newM, newV, newLargest, count, scalars,   \
                       numbers);                                                                  \
  }                                                                                               \
  STRATA_KERNEL(adam_update_##suffix)                                                             \
  STRATA_GLOBAL rmsprop_update_##suffix(                                                          \
      const T* w, const T* g, const T* v, const T* momentum, const T* average, T* newW, T* newV,  \
      T* newMomentum, T* newAverage, int64_t count, strata::cuda::UpdateScalars scalars,          \
      strata::cuda::RmspropNumbers numbers) {                                                     \
    strata::cuda::rmsprop(w, g, v, momentum, average, newW, newV, newMomentum, newAverage, count, \
                          scalars, numbers);                                                      \
  }                                                                                               \
  STRATA_KERNEL(rmsprop_update_##suffix)                                                          \
  STRATA_GLOBAL adagrad_update_##suffix(const T* w, const T* g, const T* accumulator, T* newW,    \
                                        T* newAccumulator, int64_t count,                         \
                                        strata::cuda::UpdateScalars scalars, float epsilon) {     \
    strata::cuda::adagrad(w, g, accumulator, newW, newAccumulator, count, scalars, epsilon);      \
  }                                                                                               \
  STRATA_KERNEL(adagrad_update_##suffix)
STRATA_FOR_FLOATING(STRATA_KERNELS)
#undef STRATA_KERNELS
