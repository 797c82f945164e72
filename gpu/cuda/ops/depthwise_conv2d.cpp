// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions by own kernels.
#include "gpu/cuda/kernels/columns.h"
#include "gpu/cuda/ops/makers.h"
#include "gpu/cuda/ops/window.h"

namespace strata::cuda {

std::unique_ptr<CudaKernel> makeDepthwise(const CudaSetup& setup) {
  const Function& function = setup.typed("depthwise_conv2d", setup.inputType());
  const Shape& weights = setup.inputShape(1);
  const Window window =
      windowOf(setup, setup.inputShape(), setup.outputShape(), weights[0], weights[1]);
  const int64_t count = setup.outputShape().numElements();
  const auto multiplier = static_cast<int32_t>(weights[3]);
  const int32_t kind = activationNumber(setup, setup.text("activation"));
  const bool hasBias = setup.inputs.size() > 2;
  return makeKernel(
      "depthwise_conv2d", [=, &function, alpha = static_cast<float>(setup.real("alpha"))](
                              Encoder& encoder, const Operands& operands) {
        encoder.launchElements(function, count, operands.inputs[0], operands.inputs[1],
                               hasBias ? operands.inputs[2] : DeviceAddress(), operands.outputs[0],
                               window, multiplier, kind, alpha);
      });
}

std::unique_ptr<CudaKernel> makeDepthwiseBackwardData(const CudaSetup& setup) {
  const Function& function = setup.typed("depthwise_conv2d_backward_data", setup.inputType());
  const Shape& weights = setup.inputShape(1);
  const Window window =
      windowOf(setup, setup.outputShape(), setup.inputShape(), weights[0], weights[1]);
  const int64_t count = setup.outputShape().numElements();
  const auto multiplier = static_cast<int32_t>(weights[3]);
  return makeKernel(
      "depthwise_conv2d_backward_data", [=, &function](Encoder& encoder, const Operands& operands) {
        encoder.launchElements(function, count, operands.inputs[0], operands.inputs[1],
                               operands.outputs[0], window, multiplier);
      });
}

std::unique_ptr<CudaKernel> makeDepthwiseBackwardWeights(const CudaSetup& setup) {
  const DType dtype = setup.inputType();
  const Function& sums = setup.typed("depthwise_weight_sums", dtype);
  const Function& join = setup.typed("join_columns", dtype);
  const Shape& weights = setup.outputShape();
  const Window window =
      windowOf(setup, setup.inputShape(0), setup.inputShape(1), weights[0], weights[1]);
  const auto multiplier = static_cast<int32_t>(weights[3]);
  const int64_t elements = static_cast<int64_t>(window.windowH) * window.windowW;
  const ColumnParts parts = columnParts(window.outputPixels(), window.outputChannels);
  ColumnParts joined = columnParts(parts.parts, elements * window.outputChannels);
  joined.partRows = joined.rows;
  return makeKernel(
      "depthwise_conv2d_backward_weights",
      [=, &sums, &join](Encoder& encoder, const Operands& operands) {
        encoder.launch(sums, {parts.columnBlocks(), parts.parts, elements}, kColumnThreads,
                       operands.inputs[0], operands.inputs[1], operands.workspace, window,
                       multiplier, parts);
        encoder.launch(join, {joined.columnBlocks()}, kColumnThreads, operands.workspace,
                       operands.outputs[0], joined);
      },
      static_cast<size_t>(parts.parts * elements * parts.columns) * sizeof(float));
}

}  // namespace strata::cuda
