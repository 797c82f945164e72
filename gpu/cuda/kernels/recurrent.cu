// SPDX-License-Identifier: Apache-2.0
// Recurrent cells. Each step is a product of all samples with the kernel, and one of these kernels.
// The states are f32 in all element types; products read them in the type of the operands.
#include "gpu/cuda/kernels/recurrent.cuh"

namespace strata::cuda {

/// The state of all samples: h and c [samples, units], and h times its factors for the product.
template <class T>
struct RecurrentState {
  float* h;
  float* c;
  T* previous;

  __device__ void set(int64_t i, float value, const T* factors) const {
    h[i] = value;
    previous[i] = fromFloat<T>(value * elementOr(factors, i, 1));
  }
};

/// Applies a function and saves what its derivative reads.
template <class T>
__device__ inline float applyCell(const CellFunction& f, float x, T* saved) {
  const float y = activationValue(f.kind, x, f.alpha);
  *saved = fromFloat<T>(f.savesOutput ? y : x);
  return y;
}

/// `sums` is the product [samples, width] of h' and the kernel. For gru_reset_before, its rows have
/// 2 units elements and begin with the update gate, and `products` is the product of the reset
/// state. `p` may be `gates`.
template <class T>
__device__ void recurrentStep(const T* p, const T* bias, const T* factors, const T* mask,
                              const float* sums, const float* products,
                              const RecurrentState<T>& state, T* gates, T* inner, T* sequence,
                              T* last, T* lastCell, const RecurrentStep& r) {
  const UnitPlace at(r);
  if (!at.isInside) return;
  const int64_t u = at.unit, units = r.units;
  const bool isKept = isMasked(mask, r, at.sample);
  const float* own = sums + at.sample * r.width;
  const auto sumOf = [&](int64_t gate) {
    return own[gate * units + u] + elementOr(bias, gate * units + u, 0);
  };
  const auto projection = [&](int64_t gate) {
    return toFloat(p[at.gates + gate * units]);
  };
  const float h = state.h[at.state];
  float next = 0;
  if (r.cell == kSimpleCell) {
    next = applyCell(r.act, projection(0) + sumOf(0), gates + at.gates);
  }
  else if (r.cell == kLstmCell) {
    float values[4];
    for (int gate = 0; gate < 4; ++gate)
      values[gate] = applyCell(gate == 2 ? r.act : r.gate, projection(gate) + sumOf(gate),
                               gates + at.gates + gate * units);
    float c = state.c[at.state];
    if (!isKept) c = values[1] * c + values[0] * values[2];
    state.c[at.state] = c;
    inner[at.sequence] = fromFloat<T>(c);
    if (r.isLast) lastCell[at.state] = fromFloat<T>(c);
    next = values[3] * activationValue(r.act.kind, c, r.act.alpha);
  }
  else {
    float update = 0, x = 0;
    if (r.cell == kGruCell) {
      update = applyCell(r.gate, projection(0) + sumOf(0), gates + at.gates);
      const float reset = applyCell(r.gate, projection(1) + sumOf(1), gates + at.gates + units);
      inner[at.sequence] = fromFloat<T>(sumOf(2));
      x = reset * sumOf(2);
    }
    else {
      update = sums[at.sample * 2 * units + u];
      x = products[at.state];
    }
    const float candidate = applyCell(r.act, projection(2) + x, gates + at.gates + 2 * units);
    next = update * h + (1 - update) * candidate;
  }
  if (isKept) next = h;
  state.set(at.state, next, factors);
  sequence[at.sequence] = fromFloat<T>(next);
  if (r.isLast) last[at.state] = fromFloat<T>(next);
}

/// The first part of a step of gru_reset_before. `sums` [samples, 2 units] gets the update gate in
/// the place of its product.
template <class T>
__device__ void recurrentReset(const T* p, const T* factors, float* sums, const float* h, T* gates,
                               T* inner, T* resets, const RecurrentStep& r) {
  const UnitPlace at(r);
  if (!at.isInside) return;
  float* own = sums + at.sample * 2 * r.units + at.unit;
  const float update = toFloat(p[at.gates]) + own[0],
              reset = toFloat(p[at.gates + r.units]) + own[r.units];
  own[0] = applyCell(r.gate, update, gates + at.gates);
  const float value = applyCell(r.gate, reset, gates + at.gates + r.units) * h[at.state] *
                      elementOr(factors, at.state, 1);
  resets[at.state] = fromFloat<T>(value);
  inner[at.sequence] = fromFloat<T>(value);
}

}  // namespace strata::cuda

#define STRATA_KERNELS(suffix, T)                                                                \
  STRATA_GLOBAL recurrent_begin_##suffix(const T* state, const T* cellState, const T* factors,   \
                                         float* h, float* c, T* previous, int64_t count) {       \
    const int64_t i = strata::cuda::globalThread();                                              \
    if (i >= count) return;                                                                      \
    strata::cuda::RecurrentState<T>{h, c, previous}.set(i, strata::cuda::elementOr(state, i, 0), \
                                                        factors);                                \
    c[i] = strata::cuda::elementOr(cellState, i, 0);                                             \
  }                                                                                              \
  STRATA_KERNEL(recurrent_begin_##suffix)                                                        \
  STRATA_GLOBAL recurrent_step_##suffix(                                                         \
      const T* p, const T* bias, const T* factors, const T* mask, const float* sums,             \
      const float* products, float* h, float* c, T* previous, T* gates, T* inner, T* sequence,   \
      T* last, T* lastCell, strata::cuda::RecurrentStep step) {                                  \
    strata::cuda::recurrentStep<T>(p, bias, factors, mask, sums, products, {h, c, previous},     \
                                   gates, inner, sequence, last, lastCell, step);                \
  }                                                                                              \
  STRATA_KERNEL(recurrent_step_##suffix)                                                         \
  STRATA_GLOBAL recurrent_reset_##suffix(const T* p, const T* factors, float* sums,              \
                                         const float* h, T* gates, T* inner, T* resets,          \
                                         strata::cuda::RecurrentStep step) {                     \
    strata::cuda::recurrentReset(p, factors, sums, h, gates, inner, resets, step);               \
  }                                                                                              \
  STRATA_KERNEL(recurrent_reset_##suffix)                                                        \
  STRATA_GLOBAL copy_columns_##suffix(const T* from, T* to, int64_t rows, int64_t pitch,         \
                                      int64_t first, int64_t columns) {                          \
    const int64_t i = strata::cuda::globalThread();                                              \
    if (i < rows * columns) to[i] = from[i / columns * pitch + first + i % columns];             \
  }                                                                                              \
  STRATA_KERNEL(copy_columns_##suffix)
STRATA_FOR_FLOATING(STRATA_KERNELS)
#undef STRATA_KERNELS
