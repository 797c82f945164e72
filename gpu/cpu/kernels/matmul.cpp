// SPDX-License-Identifier: Apache-2.0
// matmul: own register-tile product. The workers share the longer side of the output, so that packing the shorter operand twice costs little and
// wide layers keep the same columns of weights on the same core in every op of the step.
#include "gpu/cpu/cpu_kernel.h"

namespace strata::cpu {

/// Multiply-adds below which one worker does them all: about a microsecond, and its neighbours are then often small too and need no barrier.
constexpr int64_t kAlone = 65536;

std::unique_ptr<Kernel> makeMatmul(const KernelSetup& setup) {
  if (!allF32(setup)) return nullptr;
  const std::string& activation = setup.text("activation");
  const std::optional<ActivationKind> kind = activationKindOf(activation);
  if (!kind) return nullptr;
  const bool activateAfter = activation != "linear" && activation != "relu";  // relu is part of the tile
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

  enum class Split { Alone, Batch, Rows, Columns };
  const int64_t panel = 2 * l->width;
  const Split split = g.m * g.n * g.k * batch <= kAlone             ? Split::Alone
                      : batch >= workers                            ? Split::Batch
                      : g.n > g.m && g.n >= panel * workers         ? Split::Columns
                      : g.m >= 4 * workers || g.n < panel * workers ? Split::Rows
                                                                    : Split::Columns;
  const auto body = [=](const KernelArguments& arguments, int, int worker) {
    float* const own = reinterpret_cast<float*>(arguments.workspace) + scratch * static_cast<size_t>(worker);
    WorkRange matrices{0, batch}, rows{0, g.m}, columns{0, g.n};
    switch (split) {
      case Split::Alone:
        if (worker != 0) return;
        break;
      case Split::Batch: matrices = shareOf(batch, worker, workers); break;
      case Split::Rows: rows = shareOf(g.m, worker, workers); break;
      case Split::Columns: columns = shareOf(g.n, worker, workers, panel); break;
    }
    GemmArguments part = g;
    part.bias = hasBias ? inputOf<float>(arguments, 2) : nullptr;
    for (int64_t i = matrices.begin; i < matrices.end; ++i) {
      part.a = inputOf<float>(arguments, 0) + i * g.m * g.k;
      part.b = inputOf<float>(arguments, 1) + i * g.k * g.n;
      part.c = outputOf<float>(arguments) + i * g.m * g.n;
      l->gemm(part, rows.begin, rows.end, columns.begin, columns.end, own);
      if (activateAfter)
        l->activateRows(*kind, part.c + rows.begin * g.ldc + columns.begin, rows.end - rows.begin, columns.end - columns.begin, g.ldc,
                        alpha);
    }
  };
  const char* const how = split == Split::Alone   ? "gemm alone"
                          : split == Split::Batch ? "gemm by batch"
                          : split == Split::Rows  ? "gemm by rows"
                                                  : "gemm by columns";
  return makeKernel(setup, how, body, 1, scratch * sizeof(float) * static_cast<size_t>(workers), split == Split::Alone);
}

}  // namespace strata::cpu
