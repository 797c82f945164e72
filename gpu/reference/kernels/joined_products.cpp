// SPDX-License-Identifier: Apache-2.0
// Matrix products with an addend, or with the gradient of the bias. Sums are in double.
#include "gpu/reference/kernels/kernels.h"

namespace strata::reference {

std::unique_ptr<HostKernel> makeMatmulAdd(const KernelSetup& setup) {
  const bool transposeA = setup.flag("transpose_a"), transposeB = setup.flag("transpose_b");
  const Shape &a = setup.inputShape(0), &out = setup.outputShape();
  const int64_t m = out.dim(-2), n = out.dim(-1), k = transposeA ? a.dim(-2) : a.dim(-1);
  const bool hasBias = setup.inputs.size() > 3;
  return forFloating(setup, setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel([=, count = out.numElements(), workers = setup.numWorkers](
                          const KernelArguments& arguments, int, int worker) {
      const WorkRange range = shareOf(count, worker, workers);
      for (int64_t at = range.begin; at < range.end; ++at) {
        const int64_t batch = at / (m * n), i = at / n % m, j = at % n;
        const T* left = inputOf<T>(arguments, 0) + batch * m * k;
        const T* right = inputOf<T>(arguments, 1) + batch * k * n;
        double sum = static_cast<double>(inputOf<T>(arguments, 2)[at]);
        if (hasBias) sum += static_cast<double>(inputOf<T>(arguments, 3)[j]);
        for (int64_t l = 0; l < k; ++l)
          sum += static_cast<double>(transposeA ? left[l * m + i] : left[i * k + l]) *
                 static_cast<double>(transposeB ? right[j * k + l] : right[l * n + j]);
        outputOf<T>(arguments)[at] = static_cast<T>(sum);
      }
    });
  });
}

std::unique_ptr<HostKernel> makeMatmulBiasGradient(const KernelSetup& setup) {
  const int64_t rows = setup.inputShape(0)[0], m = setup.outputShape()[0],
                n = setup.outputShape()[1];
  return forFloating(setup, setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel(
        [=, workers = setup.numWorkers](const KernelArguments& arguments, int, int worker) {
          const T *x = inputOf<T>(arguments, 0), *dy = inputOf<T>(arguments, 1);
          // Row m of the sums stands for the bias, whose operand is 1
          const WorkRange range = shareOf((m + 1) * n, worker, workers);
          for (int64_t at = range.begin; at < range.end; ++at) {
            const int64_t i = at / n, j = at % n;
            double sum = 0;
            for (int64_t row = 0; row < rows; ++row)
              sum += (i < m ? static_cast<double>(x[row * m + i]) : 1.0) *
                     static_cast<double>(dy[row * n + j]);
            if (i < m)
              outputOf<T>(arguments)[at] = static_cast<T>(sum);
            else
              outputOf<T>(arguments, 1)[j] = static_cast<T>(sum);
          }
        });
  });
}

}  // namespace strata::reference
