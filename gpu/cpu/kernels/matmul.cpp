// SPDX-License-Identifier: Apache-2.0
// The kernel of matmul, with register tiles. The workers usually split the longer side of the
// output (isSharedByColumns()). makeMatmul() splits a product differently if each worker can then
// read data that its core's cache already contains. With a split by depth, a second stage adds the
// partial sums of the workers.
#include "gpu/cpu/cpu_kernel.h"

namespace strata::cpu {

/// The minimum number of weights, and the maximum number per worker, for which each core should
/// keep its part of weights, gradients and moments in its cache.
constexpr int64_t kFewWeights = 32768, kManyWeightsEach = 131072;
/// From this number of input elements on, reading them from another core's cache costs more than
/// adding two sums.
constexpr int64_t kManyInputs = 16384;

std::unique_ptr<HostKernel> makeMatmul(const KernelSetup& setup) {
  if (!allF32(setup)) return nullptr;
  const std::string& activation = setup.text("activation");
  const std::optional<ActivationKind> kind = activationKindOf(activation);
  if (!kind) return nullptr;
  // The tiles apply relu, so only other activations are applied afterwards
  const bool activateAfter = activation != "linear" && activation != "relu";
  const float alpha = static_cast<float>(setup.real("alpha"));
  const Shape &a = setup.inputShape(0), &b = setup.inputShape(1);
  GemmArguments g;
  g.transposeA = setup.flag("transpose_a");
  g.transposeB = setup.flag("transpose_b");
  g.m = a.dim(g.transposeA ? -1 : -2);
  g.k = a.dim(g.transposeA ? -2 : -1);
  g.n = b.dim(g.transposeB ? -2 : -1);
  g.lda = a.dim(-1);
  g.ldb = b.dim(-1);
  g.ldc = g.n;
  g.relu = activation == "relu";
  const bool hasBias = setup.inputs.size() == 3;
  const int64_t batch = a.rank() == 3 ? a[0] : 1;
  const int workers = setup.numWorkers;
  const Loops* const l = setup.loops;
  const size_t scratch = alignedFloats(l->gemmScratchFloats(g.m, g.n, g.k));

  enum class Split { Alone, Batch, Rows, Columns, Depth };
  const int64_t panel = productPanel(*l);
  const auto choose = [&] {
    if (g.m * g.n * g.k * batch <= kFewMultiplyAdds) return Split::Alone;
    if (batch >= workers) return Split::Batch;
    const bool fitsRows = g.m >= 4 * workers;
    const auto areCached = [&](int64_t weights) {
      return weights >= kFewWeights && weights <= kManyWeightsEach * workers;
    };
    // This is the gradient of few weights over many rows. With a split by depth, each worker reads
    // the rows that it computed, and each row is packed only once.
    if (g.transposeA && !g.transposeB && a.rank() == 2 && g.m * g.n < 2 * kFewWeights &&
        g.k >= 4 * std::max(g.m, g.n))
      return Split::Depth;
    if (g.transposeA && fitsRows && areCached(g.m * g.n)) return Split::Rows;
    if (!g.transposeA && !g.transposeB && a.rank() == 2) {
      if (areCached(g.k * g.n) && g.m * 2 <= g.k) return Split::Depth;
      // If there are few output columns and many inputs, each worker sums over the inputs that it
      // computed.
      if (g.n <= panel && g.m * g.k >= kManyInputs && isSharedByColumns(g.m, g.k, panel, workers))
        return Split::Depth;
    }
    return isSharedByColumns(g.m, g.n, panel, workers) ? Split::Columns : Split::Rows;
  };
  const Split split = choose();
  const size_t sums = split == Split::Depth ? alignedFloats(static_cast<size_t>(g.m * g.n)) : 0;
  const OwnRuns own(setup, setup.outputShape(), 1024, 16);
  const auto body = [=](const KernelArguments& arguments, int stage, int worker) {
    float* const workspace = reinterpret_cast<float*>(arguments.workspace);
    float* const mine = workspace + (scratch + sums) * static_cast<size_t>(worker);
    WorkRange matrices{0, batch}, rows{0, g.m}, columns{0, g.n};
    GemmArguments part = g;
    part.bias = hasBias ? inputOf<float>(arguments, 2) : nullptr;
    part.a = inputOf<float>(arguments, 0);
    part.b = inputOf<float>(arguments, 1);
    part.c = outputOf<float>(arguments);
    // Split by depth: adds the partial sums in the order of the workers
    if (stage == 1) {
      own.each(worker, [&](int64_t begin, int64_t end) {
        for (int other = 1; other < workers; ++other)
          l->accumulate(part.c + begin,
                        workspace + (scratch + sums) * static_cast<size_t>(other) + begin,
                        end - begin);
        if (*kind != ActivationKind::Linear)
          l->activateRows(*kind, part.c + begin, 1, end - begin, g.n, alpha);
      });
      return;
    }
    switch (split) {
      case Split::Alone:
        if (worker != 0) return;
        break;
      case Split::Batch: matrices = shareOf(batch, worker, workers); break;
      case Split::Rows: rows = shareOf(g.m, worker, workers); break;
      case Split::Columns: columns = shareOf(g.n, worker, workers, panel); break;
      case Split::Depth: {
        const WorkRange depth = shareOf(g.k, worker, workers);
        part.a += g.transposeA ? depth.begin * g.lda : depth.begin;
        part.b += depth.begin * g.ldb;
        part.k = depth.end - depth.begin;
        part.relu = false;
        if (worker > 0) {
          part.c = mine;
          part.bias = nullptr;
        }
        l->gemm(part, 0, g.m, 0, g.n, mine + sums);
        return;
      }
    }
    part.a += matrices.begin * g.m * g.k;
    part.b += matrices.begin * g.k * g.n;
    part.c += matrices.begin * g.m * g.n;
    for (int64_t i = matrices.begin; i < matrices.end;
         ++i, part.a += g.m * g.k, part.b += g.k * g.n, part.c += g.m * g.n) {
      l->gemm(part, rows.begin, rows.end, columns.begin, columns.end, mine);
      if (activateAfter)
        l->activateRows(*kind, part.c + rows.begin * g.ldc + columns.begin, rows.end - rows.begin,
                        columns.end - columns.begin, g.ldc, alpha);
    }
  };
  static constexpr const char* kHow[] = {"gemm alone", "gemm by batch", "gemm by rows",
                                         "gemm by columns", "gemm by depth"};
  return makeKernel(setup, kHow[static_cast<size_t>(split)], body, split == Split::Depth ? 2 : 1,
                    (scratch + sums) * sizeof(float) * static_cast<size_t>(workers),
                    split == Split::Alone);
}

}  // namespace strata::cpu
