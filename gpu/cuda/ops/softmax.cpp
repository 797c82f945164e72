// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/ops/makers.h"
#include "gpu/reference/kernels/kernels.h"

namespace strata::cuda {

std::unique_ptr<CudaKernel> makeSigmoidCrossEntropy(const CudaSetup& setup) {
  const Function& function = setup.typed("sigmoid_cross_entropy", setup.inputType());
  const int64_t count = setup.outputShape().numElements();
  return makeKernel("sigmoid_cross_entropy",
                    [=, &function](Encoder& encoder, const Operands& operands) {
                      encoder.launchElements(function, count, operands.inputs[0],
                                             operands.inputs[1], operands.outputs[0], count);
                    });
}

std::unique_ptr<CudaKernel> makeSoftmax(const CudaSetup& setup) {
  // Longer rows get a block each
  constexpr int64_t kMaxOfWarp = 1024;
  const reference::AxisSplit split =
      reference::splitAtAxis(setup.inputShape(), static_cast<int>(setup.integer("axis")));
  const int32_t isLog = setup.op == "log_softmax" ? 1 : 0;
  const int64_t rows = split.outer * split.inner, length = split.length, inner = split.inner;
  if (inner > 1) {
    const Function& function = setup.typed("softmax_threads", setup.inputType());
    return makeKernel(setup.op + " of columns",
                      [=, &function](Encoder& encoder, const Operands& operands) {
                        encoder.launchElements(function, rows, operands.inputs[0],
                                               operands.outputs[0], rows, length, inner, isLog);
                      });
  }
  if (length <= kMaxOfWarp) {
    const Function& function = setup.typed("softmax_warps", setup.inputType());
    return makeKernel(setup.op, [=, &function](Encoder& encoder, const Operands& operands) {
      encoder.launchElements(function, rows * kWarpThreads, operands.inputs[0], operands.outputs[0],
                             rows, length, isLog);
    });
  }
  const Function& function = setup.typed("softmax_blocks", setup.inputType());
  return makeKernel(setup.op + " of long rows",
                    [=, &function](Encoder& encoder, const Operands& operands) {
                      encoder.launch(function, {rows}, kBlock, operands.inputs[0],
                                     operands.outputs[0], length, isLog);
                    });
}

}  // namespace strata::cuda
