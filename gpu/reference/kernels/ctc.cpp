// SPDX-License-Identifier: Apache-2.0
// CTC loss and its gradient, one sample at a time. A forward and a backward recursion go over the
// positions of the extended label sequence, in logarithms.
#include <algorithm>
#include <cmath>
#include <limits>

#include "gpu/reference/kernels/kernels.h"

namespace strata::reference {

namespace {

constexpr double kLogOfZero = -std::numeric_limits<double>::infinity();
// The logarithm of the weight that TensorFlow gives to positions at which a label sequence cannot
// end
const double kNoEnd = std::log(1e-307);

double logOfSum(double a, double b) {
  const double most = std::max(a, b);
  return most == kLogOfZero ? kLogOfZero : most + std::log1p(std::exp(std::min(a, b) - most));
}

/// The extended label sequence. Position 2k is the blank after k labels, and position 2k - 1 is the
/// k-th label.
struct CtcPlaces {
  const int32_t* labels;
  int64_t count, blank;
  int64_t size() const { return 2 * count + 1; }
  int64_t classOf(int64_t place) const { return place % 2 == 0 ? blank : labels[place / 2]; }
  /// Returns whether the label at this position can follow the previous label without a blank in
  /// between.
  bool mayFollow(int64_t place) const {
    return place % 2 == 1 && place > 2 && labels[place / 2] != labels[place / 2 - 1];
  }
};

}  // namespace

std::unique_ptr<HostKernel> makeCtcLoss(const KernelSetup& setup) {
  const Shape& shape = setup.inputShape(0);
  const int64_t samples = shape[0], steps = shape[1], classes = shape[2],
                maxLabels = setup.inputShape(1)[1];
  const int64_t blank = setup.integer("blank"), maxPlaces = 2 * maxLabels + 1;
  const int64_t scratch = steps * (classes + maxPlaces) + 2 * maxPlaces;
  const size_t workspace = static_cast<size_t>(scratch * setup.numWorkers) * sizeof(double);
  return forFloating(setup, setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel(
        [=, workers = setup.numWorkers](const KernelArguments& arguments, int, int worker) {
          // Log probabilities of the classes at each step, [steps, classes]
          double* const logs = reinterpret_cast<double*>(arguments.workspace) + worker * scratch;
          // Results of the forward recursion, [steps, places]
          double* const forward = logs + steps * classes;
          double *next = forward + steps * maxPlaces, *back = next + maxPlaces;
          const WorkRange range = shareOf(samples, worker, workers);
          for (int64_t n = range.begin; n < range.end; ++n) {
            const T* x = inputOf<T>(arguments, 0) + n * steps * classes;
            const int32_t* labels = inputOf<int32_t>(arguments, 1) + n * maxLabels;
            T* gradient = outputOf<T>(arguments, 1) + n * steps * classes;
            T& loss = outputOf<T>(arguments, 0)[n];
            const CtcPlaces places{
                labels,
                maxLabels - std::count(labels, labels + maxLabels, static_cast<int32_t>(blank)),
                blank};
            const int64_t size = places.size();
            if (std::any_of(labels, labels + places.count,
                            [&](int32_t label) { return label < 0 || label >= classes; })) {
              loss = std::numeric_limits<T>::quiet_NaN();
              std::fill(gradient, gradient + steps * classes, T{0});
              continue;
            }
            for (int64_t t = 0; t < steps; ++t) {
              double most = kLogOfZero, sum = 0;
              for (int64_t c = 0; c < classes; ++c)
                most = std::fmax(most, static_cast<double>(x[t * classes + c]));
              for (int64_t c = 0; c < classes; ++c)
                sum += std::exp(static_cast<double>(x[t * classes + c]) - most);
              for (int64_t c = 0; c < classes; ++c)
                logs[t * classes + c] =
                    static_cast<double>(x[t * classes + c]) - most - std::log(sum);
            }
            for (int64_t t = 0; t < steps; ++t) {
              const double* before = forward + (t - 1) * size;
              for (int64_t s = 0; s < size; ++s) {
                double sum = kLogOfZero;
                if (t == 0) {
                  if (s < 2) sum = 0;
                }
                else {
                  sum = before[s];
                  if (s > 0) sum = logOfSum(sum, before[s - 1]);
                  if (places.mayFollow(s)) sum = logOfSum(sum, before[s - 2]);
                }
                forward[t * size + s] = sum + logs[t * classes + places.classOf(s)];
              }
            }
            double likelihood = kLogOfZero;
            for (int64_t s = 0; s < size; ++s) {
              next[s] = s + 2 >= size ? 0 : kNoEnd;
              likelihood = logOfSum(likelihood, forward[(steps - 1) * size + s] + next[s]);
            }
            loss = static_cast<T>(-likelihood);
            // For each position, `next` contains the log probability of everything after step t
            for (int64_t t = steps - 1; t >= 0; --t) {
              double* const row = logs + t * classes;
              // The gradient replaces the logs of this step only after the recursion has read them.
              for (int64_t s = 0; s < size; ++s) {
                double sum = next[s] + row[places.classOf(s)];
                if (s + 1 < size) sum = logOfSum(sum, next[s + 1] + row[places.classOf(s + 1)]);
                if (s + 2 < size && places.mayFollow(s + 2))
                  sum = logOfSum(sum, next[s + 2] + row[places.classOf(s + 2)]);
                back[s] = sum;
              }
              for (int64_t c = 0; c < classes; ++c)
                row[c] = std::exp(row[c]);
              for (int64_t s = 0; s < size; ++s)
                row[places.classOf(s)] -= std::exp(forward[t * size + s] + next[s] - likelihood);
              for (int64_t c = 0; c < classes; ++c)
                gradient[t * classes + c] = static_cast<T>(row[c]);
              std::swap(next, back);
            }
          }
        },
        1, workspace);
  });
}

}  // namespace strata::reference
