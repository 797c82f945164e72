// SPDX-License-Identifier: Apache-2.0
// Updates of variables with Keras's formulas (gpu/ops/update.cpp). Where `apply` is 0, they write
// nothing. Outputs may overwrite operands.
#include "gpu/cuda/kernels/update_rules.cuh"

namespace strata::cuda {

/// The places of the states of a variable: old and new values.
template <class T>
struct UpdateStates {
  const T* from[4];
  T* to[4];
};

/// Updates the element of this thread, unless `apply` is 0.
template <class T, class Rule>
__device__ void updateElement(const UpdateStates<T>& places, const T* g, int64_t count,
                              const UpdateScalars& scalars, Rule rule) {
  const int64_t i = globalThread();
  if (i >= count || !applies(pointerOf<const float>(scalars.apply))) return;
  rule.begin(scalarAt(pointerOf<const void>(scalars.rate), scalars.rateType));
  float states[Rule::kMaxStates] = {};
  for (int s = 0; s < Rule::kMaxStates; ++s)
    states[s] = places.from[s] ? toFloat(places.from[s][i]) : 0.0f;
  rule.update(states, toFloat(g[i]));
  for (int s = 0; s < Rule::kMaxStates; ++s)
    if (places.to[s]) places.to[s][i] = fromFloat<T>(states[s]);
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

#define STRATA_KERNELS(suffix, T)                                                                  \
  STRATA_GLOBAL sgd_update_##suffix(                                                               \
      const T* w, const T* g, const T* velocity, T* newW, T* newVelocity, int64_t count,           \
      strata::cuda::UpdateScalars scalars, strata::cuda::SgdNumbers numbers) {                     \
    strata::cuda::updateElement<T>(                                                                \
        {{w, velocity}, {newW, newVelocity}}, g, count, scalars,                                   \
        strata::cuda::SgdRule{numbers, scalars.weightDecay, velocity != nullptr});                 \
  }                                                                                                \
  STRATA_KERNEL(sgd_update_##suffix)                                                               \
  STRATA_GLOBAL adam_update_##suffix(                                                              \
      const T* w, const T* g, const T* m, const T* v, const int64_t* step, const T* largest,       \
      T* newW, T* newM, T* newV, T* newLargest, int64_t count,                                     \
      strata::cuda::UpdateScalars scalars, strata::cuda::AdamNumbers numbers) {                    \
    strata::cuda::updateElement<T>(                                                                \
        {{w, m, v, largest}, {newW, newM, newV, newLargest}}, g, count, scalars,                   \
        strata::cuda::AdamRule{numbers, scalars.weightDecay, largest != nullptr, step});           \
  }                                                                                                \
  STRATA_KERNEL(adam_update_##suffix)                                                              \
  STRATA_GLOBAL rmsprop_update_##suffix(                                                           \
      const T* w, const T* g, const T* v, const T* momentum, const T* average, T* newW, T* newV,   \
      T* newMomentum, T* newAverage, int64_t count, strata::cuda::UpdateScalars scalars,           \
      strata::cuda::RmspropNumbers numbers) {                                                      \
    const bool hasMomentum = momentum != nullptr;                                                  \
    /* The average is the third state if there is no momentum */                                   \
    strata::cuda::updateElement<T>(                                                                \
        {{w, v, hasMomentum ? momentum : average, average},                                        \
         {newW, newV, hasMomentum ? newMomentum : newAverage,                                      \
          hasMomentum ? newAverage : nullptr}},                                                    \
        g, count, scalars,                                                                         \
        strata::cuda::RmspropRule{numbers, scalars.weightDecay, hasMomentum, average != nullptr}); \
  }                                                                                                \
  STRATA_KERNEL(rmsprop_update_##suffix)                                                           \
  STRATA_GLOBAL adagrad_update_##suffix(const T* w, const T* g, const T* accumulator, T* newW,     \
                                        T* newAccumulator, int64_t count,                          \
                                        strata::cuda::UpdateScalars scalars, float epsilon) {      \
    strata::cuda::updateElement<T>({{w, accumulator}, {newW, newAccumulator}}, g, count, scalars,  \
                                   strata::cuda::AdagradRule{epsilon, scalars.weightDecay});       \
  }                                                                                                \
  STRATA_KERNEL(adagrad_update_##suffix)
STRATA_FOR_FLOATING(STRATA_KERNELS)
#undef STRATA_KERNELS
