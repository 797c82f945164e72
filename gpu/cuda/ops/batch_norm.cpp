// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/kernels/columns.h"
#include "gpu/cuda/kernels/moving_statistics.h"
#include "gpu/cuda/ops/makers.h"
#include "gpu/ops/layout.h"

namespace strata::cuda {
namespace {

/// Returns the input as a matrix [rows, channels].
ColumnParts channelParts(const CudaSetup& setup, const Shape& x) {
  const bool isFirst = isChannelsFirst(setup.attributes);
  const int64_t channels = isFirst ? x[1] : x.dim(-1);
  return columnParts(channels == 0 ? 0 : x.numElements() / channels, channels,
                     isFirst ? x[2] * x[3] : 1);
}

/// Returns the size of two sums for each part and channel.
size_t partialBytes(const ColumnParts& parts) {
  return static_cast<size_t>(2 * parts.parts * parts.columns) * sizeof(float);
}

}  // namespace

std::unique_ptr<CudaKernel> makeBatchNorm(const CudaSetup& setup) {
  const DType dtype = setup.inputType();
  const Function& statistics = setup.typed("batch_statistics", dtype);
  const Function& normalize = setup.typed("batch_normalize", dtype);
  const ColumnParts parts = channelParts(setup, setup.inputShape());
  const bool hasAddend = setup.inputs.size() % 2 == 0, isMoving = setup.outputs.size() > 3;
  const size_t movingInput = setup.inputs.size() - 2;
  MovingStatistics numbers;
  numbers.momentum = static_cast<float>(setup.real("momentum"));
  numbers.share = static_cast<float>(setup.real("share"));
  const auto isRelu = static_cast<int32_t>(setup.text("activation") == "relu");
  const auto epsilon = static_cast<float>(setup.real("epsilon"));
  return makeKernel(
      "batch_norm",
      [=, &statistics, &normalize](Encoder& encoder, const Operands& operands) {
        const DeviceAddress x = operands.inputs[0], partial = operands.workspace,
                            centre = partial + partialBytes(parts);
        const Grid grid{parts.columnBlocks(), parts.parts};
        MovingStatistics moving = numbers;
        if (isMoving) {
          moving.mean.bits = operands.inputs[movingInput].bits();
          moving.variance.bits = operands.inputs[movingInput + 1].bits();
          moving.nextMean.bits = operands.outputs[3].bits();
          moving.nextVariance.bits = operands.outputs[4].bits();
        }
        encoder.launch(statistics, grid, kColumnThreads, x, partial, operands.outputs[1],
                       operands.outputs[2], centre, operands.counters, parts, epsilon, moving);
        encoder.launch(normalize, grid, kColumnThreads, x, operands.inputs[1], operands.inputs[2],
                       hasAddend ? operands.inputs[3] : DeviceAddress(), operands.outputs[2],
                       centre, operands.outputs[0], parts, isRelu);
      },
      partialBytes(parts) + static_cast<size_t>(parts.columns) * sizeof(float));
}

std::unique_ptr<CudaKernel> makeBatchNormBackward(const CudaSetup& setup) {
  const DType dtype = setup.inputType();
  const Function& sums = setup.typed("batch_gradient_sums", dtype);
  const Function& backward = setup.typed("batch_norm_backward", dtype);
  const ColumnParts parts = channelParts(setup, setup.inputShape(1));
  // Gate in batch_norm.cu: 1 reads y, 2 reads beta
  const bool hasGate = setup.inputs.size() > 5;
  int32_t gate = 0;
  if (hasGate) gate = setup.inputShape(5).rank() == 1 ? 2 : 1;
  return makeKernel(
      "batch_norm_backward",
      [=, &sums, &backward](Encoder& encoder, const Operands& operands) {
        const Grid grid{parts.columnBlocks(), parts.parts};
        const DeviceAddress gateOperand = hasGate ? operands.inputs[5] : DeviceAddress();
        encoder.launch(sums, grid, kColumnThreads, operands.inputs[0], operands.inputs[1],
                       operands.inputs[2], operands.inputs[3], operands.inputs[4], gateOperand,
                       operands.workspace, operands.counters, operands.outputs[1],
                       operands.outputs[2], parts, gate);
        encoder.launch(backward, grid, kColumnThreads, operands.inputs[0], operands.inputs[1],
                       operands.inputs[2], operands.inputs[3], operands.inputs[4], gateOperand,
                       operands.outputs[0], operands.outputs[1], operands.outputs[2], parts, gate);
      },
      partialBytes(parts));
}

}  // namespace strata::cuda
