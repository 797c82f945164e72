// SPDX-License-Identifier: Apache-2.0
// The kernels of layer_norm and its gradient. Each worker takes a share of the rows. The gradients
// of gamma and beta are sums over all rows, which are added in double, in the order of the workers.
#include "gpu/cpu/cpu_kernel.h"

namespace strata::cpu {

namespace {

/// The input as a matrix [rows, size], and how workers share its rows.
struct NormalizedRows {
  int64_t rows = 1, size = 1;
  int workers = 1;
  bool isAlone = false;

  NormalizedRows(const KernelSetup& setup, const Shape& x) : workers(setup.numWorkers) {
    const int64_t outer = x.rank() - setup.integer("dimensions");
    for (int i = 0; i < x.rank(); ++i)
      (i < outer ? rows : size) *= x[i];
    // Below this number of elements, a second worker costs more than it saves
    constexpr int64_t kFewElements = 2048;
    isAlone = cpu::isAlone(std::max<int64_t>(1, kFewElements / size), rows);
    if (isAlone) workers = 1;
  }
  WorkRange shareOfRows(int worker) const {
    return worker < workers ? shareOf(rows, worker, workers) : WorkRange{0, 0};
  }
};

}  // namespace

std::unique_ptr<HostKernel> makeLayerNorm(const KernelSetup& setup) {
  if (!allF32(setup)) return nullptr;
  const NormalizedRows of(setup, setup.inputShape());
  const double epsilon = setup.real("epsilon");
  const bool hasScale = setup.flag("scale"), hasCenter = setup.flag("center");
  const auto body = [=, l = setup.loops](const KernelArguments& arguments, int, int worker) {
    const WorkRange range = of.shareOfRows(worker);
    if (range.begin == range.end) return;
    l->normalizeRows(
        inputOf<float>(arguments, 0) + range.begin * of.size,
        hasScale ? inputOf<float>(arguments, 1) : nullptr,
        hasCenter ? inputOf<float>(arguments, hasScale ? 2 : 1) : nullptr, epsilon,
        range.end - range.begin, of.size, outputOf<float>(arguments) + range.begin * of.size,
        outputOf<float>(arguments, 1) + range.begin, outputOf<float>(arguments, 2) + range.begin);
  };
  return makeKernel(setup, "vector rows", body, 1, 0, of.isAlone);
}

std::unique_ptr<HostKernel> makeLayerNormBackward(const KernelSetup& setup) {
  // Only cards add another gradient
  if (!allF32(setup) || setup.attributes.getOr("adds", false)) return nullptr;
  const NormalizedRows of(setup, setup.inputShape(1));
  const bool hasScale = setup.flag("scale");
  // Each worker has two arrays of double totals, and two arrays of floats for a block of rows
  const size_t each = alignedFloats(static_cast<size_t>(of.size));
  const size_t bytesEach = each * (2 * sizeof(double) + 2 * sizeof(float));
  const auto body = [=, l = setup.loops](const KernelArguments& arguments, int stage, int worker) {
    const auto totals = [&](int owner, int which) {
      return reinterpret_cast<double*>(arguments.workspace +
                                       bytesEach * static_cast<size_t>(owner)) +
             each * static_cast<size_t>(which);
    };
    if (stage == 0) {
      const WorkRange range = of.shareOfRows(worker);
      if (worker >= of.workers) return;
      const int64_t first = range.begin * of.size;
      l->normalizeRowsGradient(
          inputOf<float>(arguments, 0) + first, inputOf<float>(arguments, 1) + first,
          inputOf<float>(arguments, 2) + range.begin, inputOf<float>(arguments, 3) + range.begin,
          hasScale ? inputOf<float>(arguments, 4) : nullptr, range.end - range.begin, of.size,
          reinterpret_cast<float*>(totals(worker, 2)), totals(worker, 0), totals(worker, 1),
          outputOf<float>(arguments) + first);
      if (of.workers > 1) return;
    }
    else if (of.workers == 1) {
      return;
    }
    const WorkRange columns = shareOf(of.size, worker, of.workers);
    for (int which = 0; which < 2; ++which) {
      float* const to = outputOf<float>(arguments, static_cast<size_t>(which) + 1);
      for (int64_t i = columns.begin; i < columns.end; ++i) {
        double sum = 0;
        for (int other = 0; other < of.workers; ++other)
          sum += totals(other, which)[i];
        to[i] = static_cast<float>(sum);
      }
    }
  };
  return makeKernel(setup, "vector rows", body, of.workers > 1 ? 2 : 1,
                    bytesEach * static_cast<size_t>(of.workers), of.isAlone);
}

}  // namespace strata::cpu
