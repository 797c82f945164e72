// SPDX-License-Identifier: Apache-2.0
// The kernels of batch_norm and its gradient. Each worker takes a share of the rows. Sums over all
// rows are added in double, in the order of the workers.
#include <algorithm>
#include <cmath>

#include "gpu/cpu/cpu_kernel.h"

namespace strata::cpu {

namespace {

/// The layout of the workspace: two arrays of double totals per worker, then five arrays of floats
/// per worker.
struct Layout {
  int64_t rows = 0, channels = 0;
  int workers = 1;
  // Number of elements per array
  size_t each = 0;

  size_t bytes() const {
    return static_cast<size_t>(workers) * each * (2 * sizeof(double) + 5 * sizeof(float));
  }
  double* totals(const KernelArguments& arguments, int which, int worker) const {
    return reinterpret_cast<double*>(arguments.workspace) +
           static_cast<size_t>(which * workers + worker) * each;
  }
  float* factors(const KernelArguments& arguments, int which, int worker) const {
    return reinterpret_cast<float*>(totals(arguments, 2, 0)) +
           static_cast<size_t>(which * workers + worker) * each;
  }
  double total(const KernelArguments& arguments, int which, int64_t channel) const {
    double sum = 0;
    for (int worker = 0; worker < workers; ++worker)
      sum += totals(arguments, which, worker)[channel];
    return sum;
  }
};

std::optional<Layout> layoutFor(const KernelSetup& setup, const Shape& x) {
  if (!allF32(setup) || x.numElements() == 0) return std::nullopt;
  const int64_t channels = x.dim(-1);
  return Layout{x.numElements() / channels, channels, setup.numWorkers,
                alignedFloats(static_cast<size_t>(channels))};
}

/// Computes scale and offset of y = x * scale + offset from the stored statistics. Forward and
/// backward both use this function, so they agree exactly on which y are above 0.
void makeFactors(int64_t channels, const float* gamma, const float* beta, const float* mean,
                 const float* invStd, float* scale, float* offset) {
  for (int64_t c = 0; c < channels; ++c) {
    const double factor = static_cast<double>(invStd[c]) * static_cast<double>(gamma[c]);
    scale[c] = static_cast<float>(factor);
    offset[c] =
        static_cast<float>(static_cast<double>(beta[c]) - static_cast<double>(mean[c]) * factor);
  }
}

}  // namespace

std::unique_ptr<HostKernel> makeBatchNorm(const KernelSetup& setup) {
  const auto layout = layoutFor(setup, setup.inputShape());
  // Only cards compute moving statistics
  if (!layout || setup.outputs.size() > 3) return nullptr;
  const double epsilon = setup.real("epsilon");
  const bool isRelu = setup.text("activation") == "relu", hasAddend = setup.inputs.size() > 3;
  const auto body = [=, of = *layout, l = setup.loops](const KernelArguments& arguments, int stage,
                                                       int worker) {
    const WorkRange range = shareOf(of.rows, worker, of.workers);
    const int64_t own = range.end - range.begin, first = range.begin * of.channels;
    const float* const x = inputOf<float>(arguments, 0) + first;
    if (stage == 0) {
      double *const sums = of.totals(arguments, 0, worker), *const squares =
                                                                of.totals(arguments, 1, worker);
      std::fill_n(sums, of.channels, 0.0);
      std::fill_n(squares, of.channels, 0.0);
      return l->columnMoments(x, own, of.channels, sums, squares);
    }
    const float *const gamma = inputOf<float>(arguments, 1), *const beta =
                                                                 inputOf<float>(arguments, 2);
    float *const scale = of.factors(arguments, 0, worker), *const offset =
                                                               of.factors(arguments, 1, worker);
    const double count = static_cast<double>(of.rows);
    float* const invStd = of.factors(arguments, 2, worker);
    float* const mean = of.factors(arguments, 3, worker);
    for (int64_t c = 0; c < of.channels; ++c) {
      const double average = of.total(arguments, 0, c) / count;
      mean[c] = static_cast<float>(average);
      invStd[c] = static_cast<float>(
          1 / std::sqrt(std::max(0.0, of.total(arguments, 1, c) / count - average * average) +
                        epsilon));
    }
    makeFactors(of.channels, gamma, beta, mean, invStd, scale, offset);
    if (worker == 0) {
      std::copy_n(mean, of.channels, outputOf<float>(arguments, 1));
      std::copy_n(invStd, of.channels, outputOf<float>(arguments, 2));
    }
    l->normalizeColumns(x, scale, offset,
                        hasAddend ? inputOf<float>(arguments, 3) + first : nullptr, isRelu, own,
                        of.channels, outputOf<float>(arguments) + first);
  };
  return makeKernel(setup, "vector", body, 2, layout->bytes());
}

std::unique_ptr<HostKernel> makeBatchNormBackward(const KernelSetup& setup) {
  const auto layout = layoutFor(setup, setup.inputShape(1));
  if (!layout) return nullptr;
  const bool isRelu = setup.inputs.size() > 5, hasBeta = isRelu && setup.inputShape(5).rank() == 1;
  const auto body = [=, of = *layout, l = setup.loops](const KernelArguments& arguments, int stage,
                                                       int worker) {
    const WorkRange range = shareOf(of.rows, worker, of.workers);
    const int64_t own = range.end - range.begin, first = range.begin * of.channels;
    const float *const dy = inputOf<float>(arguments, 0) + first, *const x =
                                                                      inputOf<float>(arguments, 1) +
                                                                      first;
    const float *const gamma = inputOf<float>(arguments, 2),
                       *const mean = inputOf<float>(arguments, 3),
                       *const invStd = inputOf<float>(arguments, 4);
    OpenElements open;
    if (hasBeta) {
      float *const scale = of.factors(arguments, 3, worker), *const offset =
                                                                 of.factors(arguments, 4, worker);
      if (stage == 0)
        makeFactors(of.channels, gamma, inputOf<float>(arguments, 5), mean, invStd, scale, offset);
      open.scale = scale, open.offset = offset;
    }
    else if (isRelu) {
      open.y = inputOf<float>(arguments, 5) + first;
    }
    if (stage == 0) {
      double *const sums = of.totals(arguments, 0, worker), *const products =
                                                                of.totals(arguments, 1, worker);
      std::fill_n(sums, of.channels, 0.0);
      std::fill_n(products, of.channels, 0.0);
      return l->columnProducts(dy, x, open, mean, own, of.channels, sums, products);
    }
    float *const a = of.factors(arguments, 0, worker), *const b = of.factors(arguments, 1, worker),
                 *const d = of.factors(arguments, 2, worker);
    const double count = static_cast<double>(of.rows);
    for (int64_t c = 0; c < of.channels; ++c) {
      // Computes a, b and d of dx = dy * a + x * b + d from the formula
      // dx = gamma * invStd * (dy - sum / rows - (x - mean) * invStd * product / rows).
      const double s = static_cast<double>(invStd[c]), front = static_cast<double>(gamma[c]) * s,
                   sum = of.total(arguments, 0, c), product = of.total(arguments, 1, c) * s,
                   slope = front * s * product / count;
      a[c] = static_cast<float>(front);
      b[c] = static_cast<float>(-slope);
      d[c] = static_cast<float>(slope * static_cast<double>(mean[c]) - front * sum / count);
      if (worker == 0) {
        outputOf<float>(arguments, 1)[c] = static_cast<float>(product);
        outputOf<float>(arguments, 2)[c] = static_cast<float>(sum);
      }
    }
    l->combineColumns(dy, x, open, a, b, d, own, of.channels, outputOf<float>(arguments) + first);
  };
  return makeKernel(setup, "vector", body, 2, layout->bytes());
}

}  // namespace strata::cpu
