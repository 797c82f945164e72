// SPDX-License-Identifier: Apache-2.0
// The gradients of recurrent cells. Steps run from the last to the first: a kernel computes the
// gradients of the products of the step, and a product with the kernel gives `back`, the gradient
// of h'. The gradients of the states are f32 in all element types.
#include "gpu/cuda/kernels/recurrent.cuh"

namespace strata::cuda {

/// The operands of all steps. Optional ones may be null.
template <class T>
struct RecurrentGradient {
  const T* gates;
  const T* sequence;
  const T* inner;
  const T* state;
  const T* cellState;
  const T* factors;

  __device__ float held(const RecurrentStep& r, const UnitPlace& at) const {
    if (r.earlier < 0) return elementOr(state, at.state, 0);
    return toFloat(sequence[(at.sample * r.steps + r.earlier) * r.units + at.unit]);
  }
  __device__ float factor(const UnitPlace& at) const { return elementOr(factors, at.state, 1); }
  __device__ float saved(const RecurrentStep& r, const UnitPlace& at, int64_t gate) const {
    return toFloat(gates[at.gates + gate * r.units]);
  }
  __device__ static float value(const CellFunction& f, float saved) {
    return f.savesOutput ? saved : activationValue(f.kind, saved, f.alpha);
  }
  __device__ static float slope(const CellFunction& f, float saved) {
    return activationSlope(f.kind, saved, f.alpha);
  }
};

/// `back` is null in the last step. `own` [samples, width] gets the gradient of h' K; for
/// gru_reset_before it is [samples, 2 units], and `candidate` [samples, units] the gradient of the
/// product of the reset state. dp may be the gates, and `previous` the sequence.
template <class T>
__device__ void recurrentChange(const RecurrentGradient<T>& of, const T* mask, const T* dsequence,
                                const float* back, float* dh, float* dc, T* dp, T* previous,
                                T* drecurrent, T* own, T* candidate, const RecurrentStep& r) {
  const UnitPlace at(r);
  if (!at.isInside) return;
  const int64_t units = r.units;
  const bool isResetBefore = r.cell == kGruResetBeforeCell;
  float gradient = dh[at.state];
  if (back) gradient += back[at.state] * of.factor(at);
  gradient += elementOr(dsequence, at.sequence, 0);
  const float held = of.held(r, at);
  // The gradients of the operands of the functions, and of h' K
  float change[4] = {}, ownChange[4] = {};
  const int gates = static_cast<int>(r.width / units);
  float state = gradient;
  if (!isMasked(mask, r, at.sample)) {
    float saved[4] = {};
    for (int gate = 0; gate < gates; ++gate)
      saved[gate] = of.saved(r, at, gate);
    if (r.cell == kSimpleCell) {
      change[0] = gradient * of.slope(r.act, saved[0]);
      state = 0;
    }
    else if (r.cell == kLstmCell) {
      const float c = toFloat(of.inner[at.sequence]),
                  wide = activationValue(r.act.kind, c, r.act.alpha);
      const float earlier =
          r.earlier < 0 ? elementOr(of.cellState, at.state, 0)
                        : toFloat(of.inner[(at.sample * r.steps + r.earlier) * units + at.unit]);
      const float input = of.value(r.gate, saved[0]), forget = of.value(r.gate, saved[1]),
                  cell = of.value(r.act, saved[2]), output = of.value(r.gate, saved[3]);
      const float d =
          dc[at.state] + gradient * output * of.slope(r.act, r.act.savesOutput ? wide : c);
      change[0] = d * cell * of.slope(r.gate, saved[0]);
      change[1] = d * earlier * of.slope(r.gate, saved[1]);
      change[2] = d * input * of.slope(r.act, saved[2]);
      change[3] = gradient * wide * of.slope(r.gate, saved[3]);
      dc[at.state] = d * forget;
      state = 0;
    }
    else {
      const float update = of.value(r.gate, saved[0]), next = of.value(r.act, saved[2]);
      change[0] = gradient * (held - next) * of.slope(r.gate, saved[0]);
      change[2] = gradient * (1 - update) * of.slope(r.act, saved[2]);
      if (!isResetBefore)
        change[1] = change[2] * toFloat(of.inner[at.sequence]) * of.slope(r.gate, saved[1]);
      state = gradient * update;
    }
    for (int gate = 0; gate < gates; ++gate)
      ownChange[gate] = change[gate];
    if (r.cell == kGruCell) ownChange[2] *= of.value(r.gate, saved[1]);
  }
  dh[at.state] = state;
  previous[at.sequence] = fromFloat<T>(held * of.factor(at));
  if (isResetBefore) {
    dp[at.gates] = fromFloat<T>(change[0]);
    dp[at.gates + 2 * units] = fromFloat<T>(change[2]);
    own[at.sample * 2 * units + at.unit] = fromFloat<T>(change[0]);
    candidate[at.state] = fromFloat<T>(change[2]);
    return;
  }
  for (int gate = 0; gate < gates; ++gate) {
    const int64_t place = gate * units;
    dp[at.gates + place] = fromFloat<T>(change[gate]);
    own[at.sample * r.width + at.unit + place] = fromFloat<T>(ownChange[gate]);
    if (drecurrent) drecurrent[at.gates + place] = fromFloat<T>(ownChange[gate]);
  }
}

/// The second part of a step of gru_reset_before. `product` is the gradient of the reset state.
template <class T>
__device__ void recurrentResetChange(const RecurrentGradient<T>& of, const T* mask,
                                     const float* product, float* dh, T* dp, T* own,
                                     const RecurrentStep& r) {
  const UnitPlace at(r);
  if (!at.isInside) return;
  float change = 0;
  if (!isMasked(mask, r, at.sample)) {
    const float saved = of.saved(r, at, 1), factor = of.factor(at), inner = product[at.state];
    change = inner * of.held(r, at) * factor * of.slope(r.gate, saved);
    dh[at.state] += inner * of.value(r.gate, saved) * factor;
  }
  dp[at.gates + r.units] = fromFloat<T>(change);
  own[at.sample * 2 * r.units + r.units + at.unit] = fromFloat<T>(change);
}

}  // namespace strata::cuda

#define STRATA_KERNELS(suffix, T)                                                                \
  STRATA_GLOBAL recurrent_backward_begin_##suffix(const T* dlast, const T* dlastCell, float* dh, \
                                                  float* dc, int64_t count) {                    \
    const int64_t i = strata::cuda::globalThread();                                              \
    if (i >= count) return;                                                                      \
    dh[i] = strata::cuda::elementOr(dlast, i, 0);                                                \
    dc[i] = strata::cuda::elementOr(dlastCell, i, 0);                                            \
  }                                                                                              \
  STRATA_KERNEL(recurrent_backward_begin_##suffix)                                               \
  STRATA_GLOBAL recurrent_change_##suffix(                                                       \
      const T* gates, const T* sequence, const T* inner, const T* state, const T* cellState,     \
      const T* factors, const T* mask, const T* dsequence, const float* back, float* dh,         \
      float* dc, T* dp, T* previous, T* drecurrent, T* own, T* candidate,                        \
      strata::cuda::RecurrentStep step) {                                                        \
    strata::cuda::recurrentChange<T>({gates, sequence, inner, state, cellState, factors}, mask,  \
                                     dsequence, back, dh, dc, dp, previous, drecurrent, own,     \
                                     candidate, step);                                           \
  }                                                                                              \
  STRATA_KERNEL(recurrent_change_##suffix)                                                       \
  STRATA_GLOBAL recurrent_reset_change_##suffix(                                                 \
      const T* gates, const T* sequence, const T* state, const T* factors, const T* mask,        \
      const float* product, float* dh, T* dp, T* own, strata::cuda::RecurrentStep step) {        \
    strata::cuda::recurrentResetChange<T>({gates, sequence, nullptr, state, nullptr, factors},   \
                                          mask, product, dh, dp, own, step);                     \
  }                                                                                              \
  STRATA_KERNEL(recurrent_reset_change_##suffix)                                                 \
  STRATA_GLOBAL recurrent_backward_end_##suffix(const float* dh, const float* dc,                \
                                                const float* back, const T* factors, T* dstate,  \
                                                T* dcellState, int64_t count) {                  \
    const int64_t i = strata::cuda::globalThread();                                              \
    if (i >= count) return;                                                                      \
    if (dstate)                                                                                  \
      dstate[i] =                                                                                \
          strata::cuda::fromFloat<T>(dh[i] + back[i] * strata::cuda::elementOr(factors, i, 1));  \
    if (dcellState) dcellState[i] = strata::cuda::fromFloat<T>(dc[i]);                           \
  }                                                                                              \
  STRATA_KERNEL(recurrent_backward_end_##suffix)
STRATA_FOR_FLOATING(STRATA_KERNELS)
#undef STRATA_KERNELS
