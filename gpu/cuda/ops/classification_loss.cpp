// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/kernels/classification_loss.h"
#include "gpu/cuda/ops/makers.h"

namespace strata::cuda {
namespace {

/// The threads of a kernel that computes the whole loss in one block
constexpr int kThreadsOfLoneBlock = 512;

/// How the threads of a grid share the rows.
struct LossLaunch {
  std::string stem;
  int64_t blocks = 1;
  int threads = kBlock;
};

/// A row of few classes is computed by a thread, a long one by a block, others by a warp. A small
/// problem fits in one block, which needs no second kernel for the sums.
LossLaunch lossLaunch(int64_t rows, int64_t classes) {
  // A thread of a lone block computes up to two rows, a lane up to 32 elements
  constexpr int64_t kMaxOfThread = 64, kMaxOfWarp = 1024, kMaxBlocks = 1024,
                    kMaxLoneRows = 2 * kThreadsOfLoneBlock,
                    kMaxLoneElements = 32 * kThreadsOfLoneBlock;
  LossLaunch launch;
  int64_t rowsPerBlock = 1;
  launch.stem = "classification_loss_blocks";
  if (classes <= kMaxOfThread) {
    launch.stem = "classification_loss_threads";
    rowsPerBlock = kBlock;
    if (rows <= kMaxLoneRows) launch.threads = kThreadsOfLoneBlock;
  }
  else if (classes <= kMaxOfWarp) {
    launch.stem = "classification_loss_warps";
    rowsPerBlock = kBlock / kWarpThreads;
    if (rows * classes <= kMaxLoneElements) launch.threads = kThreadsOfLoneBlock;
  }
  const bool isLone = launch.threads == kThreadsOfLoneBlock;
  launch.blocks =
      isLone ? 1 : std::clamp<int64_t>(Encoder::blocksFor(rows, rowsPerBlock), 1, kMaxBlocks);
  return launch;
}

}  // namespace

std::unique_ptr<CudaKernel> makeClassificationLoss(const CudaSetup& setup) {
  ClassificationLoss of;
  of.classes = setup.inputShape().dim(-1);
  of.rows = setup.inputShape().numElements() / of.classes;
  of.ignored = setup.integer("ignore_class");
  const DType target = setup.inputType(1);
  of.labelBytes = isFloating(target) ? 0 : static_cast<int32_t>(dtypeBytes(target));
  if (setup.text("ranks") == "logits") of.ranks = kRanksLogits;
  if (setup.text("ranks") == "probabilities") of.ranks = kRanksProbabilities;
  of.lossScale = static_cast<float>(setup.real("loss_scale"));
  of.correctScale = static_cast<float>(setup.real("correct_scale"));
  of.gradientScale = static_cast<float>(setup.real("gradient_scale"));
  const bool hasScale = setup.inputs.size() == 3, hasGradient = setup.flag("gradient"),
             hasProbabilities = setup.flag("probabilities");
  const LossLaunch launch = lossLaunch(of.rows, of.classes);
  const bool joins = launch.blocks > 1;
  const Function& rows = setup.typed(launch.stem, setup.inputType());
  const Function& join = setup.function("join_losses");
  return makeKernel(
      joins ? launch.stem + " in parts" : launch.stem,
      [=, &rows, &join](Encoder& encoder, const Operands& operands) {
        const DeviceAddress none, loss = operands.outputs[0], correct = operands.outputs[1];
        encoder.launch(rows, {launch.blocks}, launch.threads, operands.inputs[0],
                       operands.inputs[1], hasScale ? operands.inputs[2] : none, loss, correct,
                       hasGradient ? operands.outputs[2] : none,
                       hasProbabilities ? operands.outputs[hasGradient ? 3 : 2] : none,
                       joins ? operands.workspace : none, of);
        if (joins)
          encoder.launch(join, {1}, kBlock, operands.workspace, loss, correct, launch.blocks,
                         of.lossScale, of.correctScale);
      },
      joins ? static_cast<size_t>(2 * launch.blocks) * sizeof(float) : 0);
}

}  // namespace strata::cuda
