// SPDX-License-Identifier: Apache-2.0
// Matrix products with optional bias and activation, one output row at a time, with sums in double.
#include "gpu/ops/build.h"
#include "gpu/reference/kernels/activation.h"
#include "gpu/reference/kernels/kernels.h"

namespace strata::reference {

std::unique_ptr<HostKernel> makeMatmul(const KernelSetup& setup) {
  const bool transposeA = setup.flag("transpose_a"), transposeB = setup.flag("transpose_b");
  const Shape& a = setup.inputShape(0);
  const Shape& out = setup.outputShape();
  const int64_t m = out.dim(-2), n = out.dim(-1), k = transposeA ? a.dim(-2) : a.dim(-1);
  const int64_t rows = out.numElements() / std::max<int64_t>(n, 1);
  const double alpha = setup.real("alpha");
  const auto activate = activationFormula(setup, setup.text("activation")).value;
  const bool isLinear = setup.text("activation") == "linear", hasBias = setup.inputs.size() > 2;
  return forFloating(setup, setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel(
        [=, workers = setup.numWorkers](const KernelArguments& arguments, int, int worker) {
          double* sums = reinterpret_cast<double*>(arguments.workspace) + worker * n;
          const WorkRange range = shareOf(n == 0 ? 0 : rows, worker, workers);
          for (int64_t row = range.begin; row < range.end; ++row) {
            const int64_t batch = row / m, i = row % m;
            const T* left = inputOf<T>(arguments, 0) + batch * m * k + (transposeA ? i : i * k);
            const T* right = inputOf<T>(arguments, 1) + batch * k * n;
            const int64_t leftStride = transposeA ? m : 1;
            if (transposeB) {
              for (int64_t j = 0; j < n; ++j) {
                double sum = 0;
                for (int64_t l = 0; l < k; ++l)
                  sum += static_cast<double>(left[l * leftStride]) *
                         static_cast<double>(right[j * k + l]);
                sums[j] = sum;
              }
            }
            else {
              std::fill(sums, sums + n, 0.0);
              for (int64_t l = 0; l < k; ++l) {
                const double factor = static_cast<double>(left[l * leftStride]);
                for (int64_t j = 0; j < n; ++j)
                  sums[j] += factor * static_cast<double>(right[l * n + j]);
              }
            }
            if (hasBias)
              for (int64_t j = 0; j < n; ++j)
                sums[j] += static_cast<double>(inputOf<T>(arguments, 2)[j]);
            T* y = outputOf<T>(arguments) + row * n;
            for (int64_t j = 0; j < n; ++j)
              y[j] = static_cast<T>(isLinear ? sums[j] : activate(sums[j], alpha));
          }
        },
        1, static_cast<size_t>(setup.numWorkers * n) * sizeof(double));
  });
}

/// Makes a kernel that computes the products one after the other. Each product is split by rows.
std::unique_ptr<HostKernel> makeMatmulSiblings(const KernelSetup& setup) {
  struct Product {
    int64_t m, n, k;
    // Index of the right operand
    size_t b;
    bool isLinear;
    double (*activate)(double, double);
  };
  const bool transposeB = setup.flag("transpose_b"), hasBias = setup.flag("has_bias");
  const std::vector<std::string> activations = siblingActivations(setup.attributes);
  std::vector<Product> products;
  for (size_t i = 0; i < activations.size(); ++i)
    products.push_back({setup.outputShape(i)[0], setup.outputShape(i)[1], setup.inputShape()[1],
                        1 + i * (hasBias ? 2 : 1), activations[i] == "linear",
                        activationFormula(setup, activations[i]).value});
  return forFloating(setup, setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel(
        [=, workers = setup.numWorkers](const KernelArguments& arguments, int, int worker) {
          for (size_t i = 0; i < products.size(); ++i) {
            const Product& p = products[i];
            const T *x = inputOf<T>(arguments, 0), *w = inputOf<T>(arguments, p.b);
            const WorkRange range = shareOf(p.m, worker, workers);
            for (int64_t row = range.begin; row < range.end; ++row)
              for (int64_t j = 0; j < p.n; ++j) {
                double sum = 0;
                for (int64_t l = 0; l < p.k; ++l)
                  sum += static_cast<double>(x[row * p.k + l]) *
                         static_cast<double>(transposeB ? w[j * p.k + l] : w[l * p.n + j]);
                if (hasBias) sum += static_cast<double>(inputOf<T>(arguments, p.b + 1)[j]);
                outputOf<T>(arguments, i)[row * p.n + j] =
                    static_cast<T>(p.isLinear ? sum : p.activate(sum, 0));
              }
          }
        });
  });
}

}  // namespace strata::reference
