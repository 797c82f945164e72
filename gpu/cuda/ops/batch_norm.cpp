// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/kernels/columns.h"
#include "gpu/cuda/ops/makers.h"

namespace strata::cuda {
namespace {

/// Returns the input as a matrix [rows, channels].
ColumnParts channelParts(const Shape& x) {
  const int64_t channels = x.dim(-1);
  return columnParts(channels == 0 ? 0 : x.numElements() / channels, channels);
}

/// Returns the size of two sums for each part and channel.
size_t partialBytes(const ColumnParts& parts) {
  return static_cast<size_t>(2 * parts.parts * parts.columns) * sizeof(float);
}

}  // namespace

std::unique_ptr<CudaKernel> makeBatchNorm(const CudaSetup& setup) {
  const DType dtype = setup.inputType();
  const Function& moments = setup.typed("batch_moments", dtype);
  const Function& statistics = setup.typed("batch_statistics", dtype);
  const Function& normalize = setup.typed("batch_normalize", dtype);
  const ColumnParts parts = channelParts(setup.inputShape()), join = joinOf(parts);
  const bool hasAddend = setup.inputs.size() > 3;
  const auto isRelu = static_cast<int32_t>(setup.text("activation") == "relu");
  const auto epsilon = static_cast<float>(setup.real("epsilon"));
  return makeKernel(
      "batch_norm",
      [=, &moments, &statistics, &normalize](Encoder& encoder, const Operands& operands) {
        const DeviceAddress x = operands.inputs[0], partial = operands.workspace,
                            centre = partial + partialBytes(parts);
        const Grid grid{parts.columnBlocks(), parts.parts};
        encoder.launch(moments, grid, kColumnThreads, x, partial, parts);
        encoder.launch(statistics, {parts.columnBlocks()}, kColumnThreads, x, partial,
                       operands.outputs[1], operands.outputs[2], centre, parts, join, epsilon);
        encoder.launch(normalize, grid, kColumnThreads, x, operands.inputs[1], operands.inputs[2],
                       hasAddend ? operands.inputs[3] : DeviceAddress(), operands.outputs[2],
                       centre, operands.outputs[0], parts, isRelu);
      },
      partialBytes(parts) + static_cast<size_t>(parts.columns) * sizeof(float));
}

std::unique_ptr<CudaKernel> makeBatchNormBackward(const CudaSetup& setup) {
  const DType dtype = setup.inputType();
  const Function& sums = setup.typed("batch_gradient_sums", dtype);
  const Function& join = setup.function("join_column_pairs");
  const Function& backward = setup.typed("batch_norm_backward", dtype);
  const ColumnParts parts = channelParts(setup.inputShape(1)), joined = joinOf(parts);
  // Gate in batch_norm.cu: 1 reads y, 2 reads beta
  const bool hasGate = setup.inputs.size() > 5;
  int32_t gate = 0;
  if (hasGate) gate = setup.inputShape(5).rank() == 1 ? 2 : 1;
  return makeKernel(
      "batch_norm_backward",
      [=, &sums, &join, &backward](Encoder& encoder, const Operands& operands) {
        const Grid grid{parts.columnBlocks(), parts.parts};
        const DeviceAddress gateOperand = hasGate ? operands.inputs[5] : DeviceAddress();
        encoder.launch(sums, grid, kColumnThreads, operands.inputs[0], operands.inputs[1],
                       operands.inputs[2], operands.inputs[3], operands.inputs[4], gateOperand,
                       operands.workspace, parts, gate);
        encoder.launch(join, {parts.columnBlocks(), 2}, kColumnThreads, operands.workspace,
                       operands.outputs[1], operands.outputs[2], joined);
        encoder.launch(backward, grid, kColumnThreads, operands.inputs[0], operands.inputs[1],
                       operands.inputs[2], operands.inputs[3], operands.inputs[4], gateOperand,
                       operands.outputs[0], operands.outputs[1], operands.outputs[2], parts, gate);
      },
      partialBytes(parts));
}

}  // namespace strata::cuda
