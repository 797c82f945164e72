// SPDX-License-Identifier: Apache-2.0
// Sums and maxima. The order of a sum depends only on the shapes. Elements of floating types are
// reduced in float, those of integer types in int64_t. A reduction with few results and many
// elements has two stages: the first one writes partial results, the second one reduces them.
#include "gpu/cuda/kernels/numbers.cuh"

namespace strata::cuda {

template <class Number>
struct SumOf {
  __device__ static Number identity() { return 0; }
  __device__ static Number join(Number a, Number b) { return a + b; }
};
template <class Number>
struct MaximumOf {
  __device__ static Number identity() {
    if constexpr (std::is_integral_v<Number>)
      return kLowestOf<Number>;
    else
      return -INFINITY;
  }
  // NaN wins, as in the reference
  __device__ static Number join(Number a, Number b) { return (a > b || a != a) ? a : b; }
};

/// One thread per result and part. Part p of a result reduces its elements p, p + parts, .. and
/// writes partial[p, outputs].
template <class Op, class Number, class From, class To>
__device__ void reduceThreads(const From* STRATA_RESTRICT x, To* partial, const Walk& kept,
                              const Walk& reduced, int64_t outputs, int64_t perOutput,
                              int64_t parts) {
  const int64_t i = globalThread();
  if (i >= outputs * parts) return;
  const int64_t output = i % outputs;
  const From* from = x + kept.offset(output, 0);
  Number result = Op::identity();
  for (int64_t k = i / outputs; k < perOutput; k += parts)
    result = Op::join(result, static_cast<Number>(toNumber(from[reduced.offset(k, 0)])));
  partial[i] = fromNumber<To>(result);
}

template <class Op, class Number>
__device__ inline Number joinLanes(Number value) {
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    value = Op::join(value, shuffleXor(value, distance));
  return value;
}

/// One warp per result.
template <class Op, class Number, class From, class To>
__device__ void reduceWarps(const From* STRATA_RESTRICT x, To* y, const Walk& kept,
                            const Walk& reduced, int64_t outputs, int64_t perOutput) {
  const int64_t output = globalThread() / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  if (output >= outputs) return;
  const From* from = x + kept.offset(output, 0);
  Number result = Op::identity();
  for (int64_t k = lane; k < perOutput; k += kWarp)
    result = Op::join(result, static_cast<Number>(toNumber(from[reduced.offset(k, 0)])));
  result = joinLanes<Op>(result);
  if (lane == 0) y[output] = fromNumber<To>(result);
}

/// One block per result and part. Part p of a result reduces its elements from p * perPart on and
/// writes partial[outputs, p].
template <class Op, class Number, class From, class To>
__device__ void reduceBlocks(const From* STRATA_RESTRICT x, To* partial, const Walk& kept,
                             const Walk& reduced, int64_t perOutput, int64_t parts,
                             int64_t perPart) {
  STRATA_SHARED(Number, ofWarp, kWarp);
  const int64_t part = blockIdx.x % parts, output = blockIdx.x / parts;
  const int lane = static_cast<int>(threadIdx.x) % kWarp,
            warp = static_cast<int>(threadIdx.x) / kWarp,
            warps = static_cast<int>(blockDim.x) / kWarp;
  const From* from = x + kept.offset(output, 0);
  const int64_t end = part * perPart + perPart < perOutput ? part * perPart + perPart : perOutput;
  Number result = Op::identity();
  for (int64_t k = part * perPart + threadIdx.x; k < end; k += blockDim.x)
    result = Op::join(result, static_cast<Number>(toNumber(from[reduced.offset(k, 0)])));
  result = joinLanes<Op>(result);
  if (lane == 0) ofWarp[warp] = result;
  __syncthreads();
  if (warp > 0) return;
  result = lane < warps ? static_cast<Number>(ofWarp[lane]) : Op::identity();
  result = joinLanes<Op>(result);
  if (lane == 0) partial[blockIdx.x] = fromNumber<To>(result);
}

}  // namespace strata::cuda

#define STRATA_KERNELS_OF(name, Op, Number, From, To)                                          \
  STRATA_GLOBAL name##_threads(const From* x, To* partial, strata::cuda::Walk kept,            \
                               strata::cuda::Walk reduced, int64_t outputs, int64_t perOutput, \
                               int64_t parts) {                                                \
    strata::cuda::reduceThreads<strata::cuda::Op<Number>, Number>(x, partial, kept, reduced,   \
                                                                  outputs, perOutput, parts);  \
  }                                                                                            \
  STRATA_KERNEL(name##_threads)                                                                \
  STRATA_GLOBAL name##_warps(const From* x, To* y, strata::cuda::Walk kept,                    \
                             strata::cuda::Walk reduced, int64_t outputs, int64_t perOutput) { \
    strata::cuda::reduceWarps<strata::cuda::Op<Number>, Number>(x, y, kept, reduced, outputs,  \
                                                                perOutput);                    \
  }                                                                                            \
  STRATA_COOPERATIVE_KERNEL(name##_warps)                                                      \
  STRATA_GLOBAL name##_blocks(const From* x, To* partial, strata::cuda::Walk kept,             \
                              strata::cuda::Walk reduced, int64_t perOutput, int64_t parts,    \
                              int64_t perPart) {                                               \
    strata::cuda::reduceBlocks<strata::cuda::Op<Number>, Number>(x, partial, kept, reduced,    \
                                                                 perOutput, parts, perPart);   \
  }                                                                                            \
  STRATA_COOPERATIVE_KERNEL(name##_blocks)

// Sums of 16-bit numbers are float. Partial results have the type of the result.
#define STRATA_KERNELS(suffix, T)                                \
  STRATA_KERNELS_OF(reduce_sum_##suffix, SumOf, float, T, float) \
  STRATA_KERNELS_OF(reduce_max_##suffix, MaximumOf, float, T, T)
STRATA_FOR_FLOATING(STRATA_KERNELS)
#undef STRATA_KERNELS
#define STRATA_KERNELS(suffix, T)                              \
  STRATA_KERNELS_OF(reduce_sum_##suffix, SumOf, int64_t, T, T) \
  STRATA_KERNELS_OF(reduce_max_##suffix, MaximumOf, int64_t, T, T)
STRATA_FOR_INTEGERS(STRATA_KERNELS)
#undef STRATA_KERNELS
#undef STRATA_KERNELS_OF
