// SPDX-License-Identifier: Apache-2.0
// The kernel of matmul_siblings: several small products with the same left operand. Each worker
// computes whole products. The largest products are assigned first, each to the worker with the
// least work.
#include <algorithm>
#include <numeric>

#include "gpu/cpu/cpu_kernel.h"
#include "gpu/ops/build.h"

namespace strata::cpu {

namespace {

/// Worker 0 computes all products if they have at most this many multiply-adds in total. Splitting
/// them would save at most two microseconds, and worker 0 would have to wait for the other workers.
constexpr int64_t kAloneInAll = 4 * kFewMultiplyAdds;

struct Product {
  GemmArguments gemm;
  // Indices of the right operand among the inputs, and of the result among the outputs
  size_t b = 0, output = 0;
  ActivationKind kind = ActivationKind::Linear;
  bool activatesAfter = false;
  int worker = 0;
};

}  // namespace

std::unique_ptr<HostKernel> makeMatmulSiblings(const KernelSetup& setup) {
  if (!allF32(setup)) return nullptr;
  const bool hasBias = setup.flag("has_bias"), transposeB = setup.flag("transpose_b");
  const std::vector<std::string> activations = siblingActivations(setup.attributes);
  const Loops* const l = setup.loops;
  std::vector<Product> products;
  int64_t all = 0;
  size_t scratch = 0;
  for (size_t i = 0; i < activations.size(); ++i) {
    const std::optional<ActivationKind> kind = activationKindOf(activations[i]);
    if (!kind) return nullptr;
    Product p;
    p.b = 1 + i * (hasBias ? 2 : 1);
    p.output = i;
    p.kind = *kind;
    GemmArguments& g = p.gemm;
    g.m = setup.inputShape()[0];
    g.k = g.lda = setup.inputShape()[1];
    g.n = g.ldc = setup.outputShape(i)[1];
    g.ldb = setup.inputShape(p.b)[1];
    g.transposeB = transposeB;
    g.relu = activations[i] == "relu";
    p.activatesAfter = !g.relu && activations[i] != "linear";
    all += g.m * g.n * g.k;
    scratch = std::max(scratch, alignedFloats(l->gemmScratchFloats(g.m, g.n, g.k)));
    products.push_back(p);
  }
  const bool isSolo = setup.numWorkers == 1 || all <= kAloneInAll;
  if (!isSolo) {
    std::stable_sort(products.begin(), products.end(),
                     [](const Product& a, const Product& b) { return a.gemm.n > b.gemm.n; });
    std::vector<int64_t> load(static_cast<size_t>(setup.numWorkers));
    for (Product& p : products) {
      const auto least = std::min_element(load.begin(), load.end());
      p.worker = static_cast<int>(least - load.begin());
      *least += p.gemm.n;
    }
  }
  const auto body = [=](const KernelArguments& arguments, int, int worker) {
    for (const Product& p : products) {
      if (p.worker != worker) continue;
      GemmArguments g = p.gemm;
      g.a = inputOf<float>(arguments, 0);
      g.b = inputOf<float>(arguments, p.b);
      if (hasBias) g.bias = inputOf<float>(arguments, p.b + 1);
      g.c = outputOf<float>(arguments, p.output);
      l->gemm(
          g, 0, g.m, 0, g.n,
          reinterpret_cast<float*>(arguments.workspace) + scratch * static_cast<size_t>(worker));
      if (p.activatesAfter) l->activateRows(p.kind, g.c, g.m, g.n, g.n, 0);
    }
  };
  return makeKernel(setup, isSolo ? "gemms alone" : "gemms side by side", body, 1,
                    scratch * sizeof(float) * static_cast<size_t>(isSolo ? 1 : setup.numWorkers),
                    isSolo);
}

}  // namespace strata::cpu
