// SPDX-License-Identifier: Apache-2.0
// CTC loss and its gradient. Both recursions over the steps run at once, a block each per sample,
// with the places of the extended label sequence in parallel. Logarithms are in double.
#include "gpu/cuda/kernels/numbers.cuh"

namespace strata::cuda {

__device__ inline double logOfSum(double a, double b) {
  const double most = a > b ? a : b, least = a > b ? b : a;
  return most == -INFINITY ? most : most + log1p(exp(least - most));
}

/// The extended label sequence of a sample. Place 2k is the blank after k labels, and place 2k - 1
/// is the k-th label.
struct CtcPlaces {
  const int32_t* labels;
  int64_t count, blank;
  __device__ int64_t size() const { return 2 * count + 1; }
  __device__ int64_t classOf(int64_t place) const {
    return place % 2 == 0 ? blank : labels[place / 2];
  }
  /// Returns whether the label at this place can follow the previous label without a blank.
  __device__ bool mayFollow(int64_t place) const {
    return place % 2 == 1 && place > 2 && labels[place / 2] != labels[place / 2 - 1];
  }
};

/// The sizes of an op, and its operands in the workspace: the logarithms of the sums of exp(logits)
/// [samples, steps], and both recursions [samples, steps, places].
struct CtcSizes {
  int64_t steps, classes, maxLabels, blank;
  __device__ int64_t maxPlaces() const { return 2 * maxLabels + 1; }
};

__device__ inline CtcPlaces ctcPlaces(const int32_t* labels, const CtcSizes& sizes,
                                      int64_t sample) {
  CtcPlaces places{labels + sample * sizes.maxLabels, sizes.maxLabels, sizes.blank};
  for (int64_t i = 0; i < sizes.maxLabels; ++i)
    if (places.labels[i] == sizes.blank) --places.count;
  return places;
}

__device__ inline bool areValid(const CtcPlaces& places, int64_t classes) {
  for (int64_t i = 0; i < places.count; ++i)
    if (places.labels[i] < 0 || places.labels[i] >= classes) return false;
  return true;
}

/// One warp per step of a sample: the logarithm of the sum of exp(logits).
template <class T>
__device__ void ctcLogSums(const T* STRATA_RESTRICT x, double* logSums, int64_t rows,
                           int64_t classes) {
  const int64_t row = globalThread() / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  if (row >= rows) return;
  x += row * classes;
  float largest = -INFINITY, sum = 0;
  for (int64_t c = lane; c < classes; c += kWarp)
    largest = fmaxf(largest, toFloat(x[c]));
  largest = reduceWarp<Maximum>(largest);
  for (int64_t c = lane; c < classes; c += kWarp)
    sum += expf(toFloat(x[c]) - largest);
  sum = reduceWarp<Sum>(sum);
  if (lane == 0) logSums[row] = static_cast<double>(largest) + log(static_cast<double>(sum));
}

/// The recursion of a block: blockIdx.y is 0 for the forward one. It gives the logarithm of the
/// probability of all steps up to t that end at a place, without the last step's for the backward
/// one.
template <class T>
__device__ void ctcRecursion(const T* STRATA_RESTRICT x, const int32_t* labels,
                             const double* logSums, double* recursions, int64_t samples,
                             const CtcSizes& sizes) {
  const int64_t sample = blockIdx.x, steps = sizes.steps;
  const bool isForward = blockIdx.y == 0;
  const CtcPlaces places = ctcPlaces(labels, sizes, sample);
  if (!areValid(places, sizes.classes)) return;
  const int64_t size = places.size(), stride = sizes.maxPlaces();
  x += sample * steps * sizes.classes;
  logSums += sample * steps;
  double* all = recursions + ((isForward ? 0 : samples) + sample) * steps * stride;
  const auto logOf = [&](int64_t t, int64_t place) {
    return static_cast<double>(toFloat(x[t * sizes.classes + places.classOf(place)])) - logSums[t];
  };
  for (int64_t n = 0; n < steps; ++n) {
    const int64_t t = isForward ? n : steps - 1 - n;
    const double* before = all + (isForward ? t - 1 : t + 1) * stride;
    for (int64_t s = threadIdx.x; s < size; s += blockDim.x) {
      double sum = -INFINITY;
      if (isForward) {
        if (n == 0 && s < 2) sum = 0;
        if (n > 0) {
          sum = before[s];
          if (s > 0) sum = logOfSum(sum, before[s - 1]);
          if (places.mayFollow(s)) sum = logOfSum(sum, before[s - 2]);
        }
        sum += logOf(t, s);
      }
      else if (n == 0) {
        // The weight that TensorFlow gives to places at which a label sequence cannot end, 1e-307
        sum = s + 2 >= size ? 0 : -706.893623549172;
      }
      else {
        sum = before[s] + logOf(t + 1, s);
        if (s + 1 < size) sum = logOfSum(sum, before[s + 1] + logOf(t + 1, s + 1));
        if (s + 2 < size && places.mayFollow(s + 2))
          sum = logOfSum(sum, before[s + 2] + logOf(t + 1, s + 2));
      }
      all[t * stride + s] = sum;
    }
    __syncthreads();
  }
}

/// One thread per sample: the loss, and the logarithm of the probability of its labels, which is
/// infinite for invalid labels.
template <class T>
__device__ void ctcLoss(const int32_t* labels, const double* recursions, T* loss,
                        double* likelihoods, int64_t samples, const CtcSizes& sizes) {
  const int64_t sample = globalThread();
  if (sample >= samples) return;
  const CtcPlaces places = ctcPlaces(labels, sizes, sample);
  double result = INFINITY;
  const bool isValid = areValid(places, sizes.classes);
  if (isValid) {
    const int64_t stride = sizes.maxPlaces(), last = (sample + 1) * sizes.steps - 1;
    const double* forward = recursions + last * stride;
    const double* backward = recursions + (samples * sizes.steps + last) * stride;
    result = -INFINITY;
    for (int64_t s = 0; s < places.size(); ++s)
      result = logOfSum(result, forward[s] + backward[s]);
  }
  likelihoods[sample] = result;
  loss[sample] = fromFloat<T>(isValid ? static_cast<float>(-result) : NAN);
}

/// One thread per logit: the gradient without the labels, which is the probability of the class.
template <class T>
__device__ void ctcProbabilities(const T* STRATA_RESTRICT x, const double* logSums,
                                 const double* likelihoods, T* gradient, int64_t count,
                                 const CtcSizes& sizes) {
  const int64_t i = globalThread();
  if (i >= count) return;
  const int64_t row = i / sizes.classes;
  const auto shifted = static_cast<float>(static_cast<double>(toFloat(x[i])) - logSums[row]);
  gradient[i] = fromFloat<T>(likelihoods[row / sizes.steps] == INFINITY ? 0.0f : expf(shifted));
}

/// One thread per step and label, and one for the blank: the gradient of the class of the label.
/// The first of equal labels adds all of them.
template <class T>
__device__ void ctcGradient(const T* STRATA_RESTRICT x, const int32_t* labels,
                            const double* logSums, const double* recursions,
                            const double* likelihoods, T* gradient, int64_t samples,
                            const CtcSizes& sizes) {
  const int64_t i = globalThread(), each = sizes.maxLabels + 1;
  if (i >= samples * sizes.steps * each) return;
  const int64_t row = i / each, sample = row / sizes.steps, number = i % each;
  const CtcPlaces places = ctcPlaces(labels, sizes, sample);
  if (number > places.count || !areValid(places, sizes.classes)) return;
  const int64_t place = number == 0 ? 0 : 2 * number - 1, ofClass = places.classOf(place);
  for (int64_t k = 0; k + 1 < number; ++k)
    if (places.labels[k] == ofClass) return;
  const int64_t stride = sizes.maxPlaces();
  const double* forward = recursions + row * stride;
  const double* backward = recursions + (samples * sizes.steps + row) * stride;
  const int64_t at = row * sizes.classes + ofClass;
  double result = exp(static_cast<double>(toFloat(x[at])) - logSums[row]);
  for (int64_t s = place; s < places.size(); s += 2)
    if (places.classOf(s) == ofClass) result -= exp(forward[s] + backward[s] - likelihoods[sample]);
  gradient[at] = fromFloat<T>(static_cast<float>(result));
}

}  // namespace strata::cuda

#define STRATA_KERNELS(suffix, T)                                                                 \
  STRATA_GLOBAL ctc_log_sums_##suffix(const T* x, double* logSums, int64_t rows,                  \
                                      int64_t classes) {                                          \
    strata::cuda::ctcLogSums(x, logSums, rows, classes);                                          \
  }                                                                                               \
  STRATA_COOPERATIVE_KERNEL(ctc_log_sums_##suffix)                                                \
  STRATA_GLOBAL ctc_recursion_##suffix(const T* x, const int32_t* labels, const double* logSums,  \
                                       double* recursions, int64_t samples, int64_t steps,        \
                                       int64_t classes, int64_t maxLabels, int64_t blank) {       \
    strata::cuda::ctcRecursion(x, labels, logSums, recursions, samples,                           \
                               {steps, classes, maxLabels, blank});                               \
  }                                                                                               \
  STRATA_COOPERATIVE_KERNEL(ctc_recursion_##suffix)                                               \
  STRATA_GLOBAL ctc_loss_##suffix(const int32_t* labels, const double* recursions, T* loss,       \
                                  double* likelihoods, int64_t samples, int64_t steps,            \
                                  int64_t classes, int64_t maxLabels, int64_t blank) {            \
    strata::cuda::ctcLoss(labels, recursions, loss, likelihoods, samples,                         \
                          {steps, classes, maxLabels, blank});                                    \
  }                                                                                               \
  STRATA_KERNEL(ctc_loss_##suffix)                                                                \
  STRATA_GLOBAL ctc_probabilities_##suffix(const T* x, const double* logSums,                     \
                                           const double* likelihoods, T* gradient, int64_t count, \
                                           int64_t steps, int64_t classes) {                      \
    strata::cuda::ctcProbabilities(x, logSums, likelihoods, gradient, count,                      \
                                   {steps, classes, 0, 0});                                       \
  }                                                                                               \
  STRATA_KERNEL(ctc_probabilities_##suffix)                                                       \
  STRATA_GLOBAL ctc_gradient_##suffix(const T* x, const int32_t* labels, const double* logSums,   \
                                      const double* recursions, const double* likelihoods,        \
                                      T* gradient, int64_t samples, int64_t steps,                \
                                      int64_t classes, int64_t maxLabels, int64_t blank) {        \
    strata::cuda::ctcGradient(x, labels, logSums, recursions, likelihoods, gradient, samples,     \
                              {steps, classes, maxLabels, blank});                                \
  }                                                                                               \
  STRATA_KERNEL(ctc_gradient_##suffix)
STRATA_FOR_FLOATING(STRATA_KERNELS)
#undef STRATA_KERNELS
