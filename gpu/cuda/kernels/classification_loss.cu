// SPDX-License-Identifier: Apache-2.0
// The loss of a classifier, the number of its correct answers, the gradient of the logits and the
// probabilities, from one pass over the rows. A thread, a warp or a block computes a row, and goes
// on with other rows. A grid of one block writes the results. Otherwise each block writes its sums,
// which join_losses adds. The order of the sums depends only on the sizes.
#include "gpu/cuda/kernels/classification_loss.h"
#include "gpu/cuda/kernels/numbers.cuh"

namespace strata::cuda {

/// The threads that compute a row. `reduce` gives all of them the result, and orders their memory
/// accesses before it and after it.
struct LossThread {
  __device__ static int64_t first() { return 0; }
  __device__ static int64_t step() { return 1; }
  __device__ static int64_t firstRow() { return globalThread(); }
  __device__ static int64_t rowStep() { return numThreads(); }
  template <class Op>
  __device__ static float reduce(float value) {
    return value;
  }
};
struct LossWarp {
  __device__ static int64_t first() { return threadIdx.x % kWarp; }
  __device__ static int64_t step() { return kWarp; }
  __device__ static int64_t firstRow() { return globalThread() / kWarp; }
  __device__ static int64_t rowStep() { return numThreads() / kWarp; }
  template <class Op>
  __device__ static float reduce(float value) {
    value = reduceWarp<Op>(value);
    // dlogits may overwrite the logits that other lanes read before
    __syncwarp();
    return value;
  }
};
struct LossBlock {
  __device__ static int64_t first() { return threadIdx.x; }
  __device__ static int64_t step() { return blockDim.x; }
  __device__ static int64_t firstRow() { return blockIdx.x; }
  __device__ static int64_t rowStep() { return gridDim.x; }
  template <class Op>
  __device__ static float reduce(float value) {
    return reduceBlock<Op>(value);
  }
};

/// Intermediate results of a row, the same in all its threads.
struct FoundRow {
  float largest = 0, sum = 1;
  float loss = 0, mass = 1;
  // The class of the target, or -1 if the label is not a class
  int64_t wanted = -1;
  // How the wanted class ranks among the classes
  float rank = 0;
  bool isIgnored = false;
};

/// NaN ranks last, except as the first element, where it ranks first.
__device__ inline float rankOfClass(float value, int64_t index) {
  if (value == value) return value;
  return index == 0 ? INFINITY : -INFINITY;
}

/// Returns the first of the largest elements. Indices are compared in two halves, which floats hold
/// exactly.
template <class Team>
__device__ inline int64_t largestIndex(const float* x, int64_t count) {
  constexpr int64_t kHalf = int64_t{1} << 24;
  float best = -INFINITY;
  for (int64_t i = Team::first(); i < count; i += Team::step())
    best = fmaxf(best, rankOfClass(x[i], i));
  best = Team::template reduce<Maximum>(best);
  int64_t own = kHalf * kHalf - 1;
  for (int64_t i = Team::first(); i < count; i += Team::step()) {
    if (rankOfClass(x[i], i) != best) continue;
    own = i;
    break;
  }
  const float high = -Team::template reduce<Maximum>(-static_cast<float>(own / kHalf));
  const bool isCandidate = static_cast<float>(own / kHalf) == high;
  const float low = -Team::template reduce<Maximum>(isCandidate ? -static_cast<float>(own % kHalf)
                                                                : -static_cast<float>(kHalf));
  return static_cast<int64_t>(high) * kHalf + static_cast<int64_t>(low);
}

/// Computes the loss of a row, and what its probabilities need.
template <class Team, class T>
__device__ inline FoundRow lossOf(const T* x, const void* target, int64_t row,
                                  const ClassificationLoss& of) {
  FoundRow result;
  float largest = -INFINITY;
  for (int64_t i = Team::first(); i < of.classes; i += Team::step())
    largest = Maximum::join(largest, toFloat(x[i]));
  result.largest = Team::template reduce<Maximum>(largest);
  const float* dense =
      of.labelBytes > 0 ? nullptr : static_cast<const float*>(target) + row * of.classes;
  if (dense) {
    if (of.ranks != kRanksNone) result.wanted = largestIndex<Team>(dense, of.classes);
  }
  else {
    const int64_t label = integerAt(target, of.labelBytes, row);
    result.isIgnored = of.ignored >= 0 && label == of.ignored;
    if (label >= 0 && label < of.classes) result.wanted = label;
  }
  // The gradient may overwrite the logits, but only after the next reduction
  const float wantedLogit = result.wanted >= 0 ? toFloat(x[result.wanted]) : 0;
  float sum = 0;
  for (int64_t i = Team::first(); i < of.classes; i += Team::step())
    sum += expf(toFloat(x[i]) - result.largest);
  result.sum = Team::template reduce<Sum>(sum);
  const float logSum = logf(result.sum) + result.largest;
  const float wantedValue = of.ranks == kRanksProbabilities
                                ? expf(wantedLogit - result.largest) / result.sum
                                : wantedLogit;
  result.rank = rankOfClass(wantedValue, result.wanted);
  if (!dense) {
    if (!result.isIgnored) result.loss = result.wanted >= 0 ? logSum - wantedLogit : NAN;
    return result;
  }
  float loss = 0, mass = 0;
  for (int64_t i = Team::first(); i < of.classes; i += Team::step()) {
    loss += dense[i] * (logSum - toFloat(x[i]));
    mass += dense[i];
  }
  result.loss = Team::template reduce<Sum>(loss);
  result.mass = Team::template reduce<Sum>(mass);
  return result;
}

/// Writes the gradient and the probabilities of a row, unless they are null. Returns 1 if the
/// wanted class is the largest one.
template <class Team, class T>
__device__ inline float finishRow(const FoundRow& found, const T* x, const void* target,
                                  int64_t row, T* gradient, float* probabilities, float dy,
                                  const ClassificationLoss& of) {
  const float* dense =
      of.labelBytes > 0 ? nullptr : static_cast<const float*>(target) + row * of.classes;
  float isBeaten = found.wanted < 0 ? 1.0f : 0.0f;
  for (int64_t i = Team::first(); i < of.classes; i += Team::step()) {
    const float logit = toFloat(x[i]), p = expf(logit - found.largest) / found.sum;
    const float rank = rankOfClass(of.ranks == kRanksProbabilities ? p : logit, i);
    if (rank > found.rank || (rank == found.rank && i < found.wanted)) isBeaten = 1;
    if (probabilities) probabilities[i] = p;
    if (!gradient) continue;
    const float wanted = dense ? dense[i] : (i == found.wanted ? 1.0f : 0.0f);
    gradient[i] = fromFloat<T>(found.isIgnored ? 0.0f : (p * found.mass - wanted) * dy);
  }
  if (of.ranks == kRanksNone) return 0;
  return 1 - Team::template reduce<Maximum>(isBeaten);
}

/// `sums` is [blocks, 2], or null for a grid of one block. `gradientFactor`, `gradient` and
/// `probabilities` may be null.
template <class Team, class T>
__device__ void classificationLoss(const T* x, const void* target, const float* gradientFactor,
                                   float* loss, float* correct, T* gradient, float* probabilities,
                                   float* sums, const ClassificationLoss& of) {
  const float dy =
      gradientFactor ? scaleAndOffset(*gradientFactor, of.gradientScale, 0) : of.gradientScale;
  float lossSum = 0, correctSum = 0;
  for (int64_t row = Team::firstRow(); row < of.rows; row += Team::rowStep()) {
    const int64_t begin = row * of.classes;
    const FoundRow found = lossOf<Team>(x + begin, target, row, of);
    lossSum += found.loss;
    if (gradient || probabilities || of.ranks != kRanksNone)
      correctSum +=
          finishRow<Team>(found, x + begin, target, row, gradient ? gradient + begin : nullptr,
                          probabilities ? probabilities + begin : nullptr, dy, of);
  }
  // All threads of a row have its sums
  const bool counts = Team::first() == 0;
  lossSum = reduceBlock<Sum>(counts ? lossSum : 0);
  correctSum = reduceBlock<Sum>(counts ? correctSum : 0);
  if (threadIdx.x > 0) return;
  if (sums) {
    sums[2 * static_cast<int64_t>(blockIdx.x)] = lossSum;
    sums[2 * static_cast<int64_t>(blockIdx.x) + 1] = correctSum;
    return;
  }
  *loss = scaleAndOffset(lossSum, of.lossScale, 0);
  *correct = scaleAndOffset(correctSum, of.correctScale, 0);
}

}  // namespace strata::cuda

#define STRATA_KERNEL_OF(name, Team, T)                                                            \
  STRATA_GLOBAL name(const T* x, const void* target, const float* gradientFactor, float* loss,     \
                     float* correct, T* gradient, float* probabilities, float* sums,               \
                     strata::cuda::ClassificationLoss of) {                                        \
    strata::cuda::classificationLoss<strata::cuda::Team>(x, target, gradientFactor, loss, correct, \
                                                         gradient, probabilities, sums, of);       \
  }                                                                                                \
  STRATA_COOPERATIVE_KERNEL(name)
#define STRATA_KERNELS(suffix, T)                                       \
  STRATA_KERNEL_OF(classification_loss_threads_##suffix, LossThread, T) \
  STRATA_KERNEL_OF(classification_loss_warps_##suffix, LossWarp, T)     \
  STRATA_KERNEL_OF(classification_loss_blocks_##suffix, LossBlock, T)
STRATA_FOR_FLOATING(STRATA_KERNELS)
#undef STRATA_KERNELS
#undef STRATA_KERNEL_OF

/// Adds the sums of `blocks` blocks. One block.
STRATA_GLOBAL join_losses(const float* sums, float* loss, float* correct, int64_t blocks,
                          float lossScale, float correctScale) {
  using namespace strata::cuda;
  float lossSum = 0, correctSum = 0;
  for (int64_t i = threadIdx.x; i < blocks; i += blockDim.x) {
    lossSum += sums[2 * i];
    correctSum += sums[2 * i + 1];
  }
  lossSum = reduceBlock<Sum>(lossSum);
  correctSum = reduceBlock<Sum>(correctSum);
  if (threadIdx.x > 0) return;
  *loss = scaleAndOffset(lossSum, lossScale, 0);
  *correct = scaleAndOffset(correctSum, correctScale, 0);
}
STRATA_COOPERATIVE_KERNEL(join_losses)
