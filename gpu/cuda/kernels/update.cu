// SPDX-License-Identifier: Apache-2.0
// Updates of variables with Keras's formulas (gpu/ops/update.cpp). Where `apply` is 0, they write
// nothing.
#include "gpu/cuda/kernels/device.cuh"

namespace strata::cuda {

/// A scalar operand of a step, f32 or i64.
__device__ inline double scalarAt(const void* address, int32_t isInteger) {
  return isInteger ? static_cast<double>(*static_cast<const int64_t*>(address))
                   : static_cast<double>(*static_cast<const float*>(address));
}

}  // namespace strata::cuda

STRATA_GLOBAL assign_words(const uint32_t* from, uint32_t* to, int64_t count, const float* apply) {
  const int64_t i = strata::cuda::globalThread();
  if (i < count && (!apply || *apply != 0)) to[i] = from[i];
}
STRATA_KERNEL(assign_words)

STRATA_GLOBAL assign_bytes(const uint8_t* from, uint8_t* to, int64_t count, const float* apply) {
  const int64_t i = strata::cuda::globalThread();
  if (i < count && (!apply || *apply != 0)) to[i] = from[i];
}
STRATA_KERNEL(assign_bytes)

STRATA_GLOBAL sgd_update(const float* w, const float* g, const float* rate, const float* velocity,
                         float* newW, float* newVelocity, int64_t count, float momentum,
                         float decay, int32_t isNesterov, const float* apply) {
  const int64_t i = strata::cuda::globalThread();
  if (i >= count || (apply && *apply == 0)) return;
  const float lr = *rate;
  const float weight = w[i] - w[i] * decay * lr;
  const float move = g[i] * lr;
  if (!velocity) {
    newW[i] = weight - move;
    return;
  }
  const float v = momentum * velocity[i] - move;
  newW[i] = weight + (isNesterov ? momentum * v - move : v);
  newVelocity[i] = v;
}
STRATA_KERNEL(sgd_update)

STRATA_GLOBAL adam_update(const float* w, const float* g, const float* m, const float* v,
                          const float* rate, const void* step, const float* largest, float* newW,
                          float* newM, float* newV, float* newLargest, int64_t count, float beta1,
                          float beta2, float epsilon, float decay, int32_t isStepInteger,
                          const float* apply) {
  const int64_t i = strata::cuda::globalThread();
  if (i >= count || (apply && *apply == 0)) return;
  const double steps = strata::cuda::scalarAt(step, isStepInteger);
  const float lr = *rate;
  const auto alpha = static_cast<float>(static_cast<double>(lr) *
                                        sqrt(1 - pow(static_cast<double>(beta2), steps)) /
                                        (1 - pow(static_cast<double>(beta1), steps)));
  const float weight = w[i] - w[i] * decay * lr;
  const float gradient = g[i];
  const float mean = m[i] + (gradient - m[i]) * (1 - beta1);
  float square = v[i] + (gradient * gradient - v[i]) * (1 - beta2);
  newM[i] = mean;
  newV[i] = square;
  if (largest) {
    square = fmaxf(largest[i], square);
    newLargest[i] = square;
  }
  newW[i] = weight - mean * alpha / (sqrtf(square) + epsilon);
}
STRATA_KERNEL(adam_update)
