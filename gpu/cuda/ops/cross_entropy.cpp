// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/ops/makers.h"

namespace strata::cuda {
namespace {

// Rows that a block computes, one per warp
constexpr int64_t kRowsPerBlock = kBlock / 32;

/// Returns the size of an integer label, or 0 if the target is a row of probabilities.
int32_t labelBytes(DType target) {
  return isFloating(target) ? 0 : static_cast<int32_t>(dtypeBytes(target));
}

}  // namespace

std::unique_ptr<CudaKernel> makeSoftmaxCrossEntropy(const CudaSetup& setup) {
  const Function& function = setup.typed("softmax_cross_entropy", setup.inputType());
  const int64_t classes = setup.inputShape().dim(-1), rows = setup.outputShape(0).numElements();
  const int32_t bytes = labelBytes(setup.inputType(1));
  return makeKernel("softmax_cross_entropy",
                    [=, &function, ignored = setup.integer("ignore_class")](
                        Encoder& encoder, const Operands& operands) {
                      encoder.launch(function, {Encoder::blocksFor(rows, kRowsPerBlock)}, kBlock,
                                     operands.inputs[0], operands.inputs[1], operands.outputs[0],
                                     operands.outputs[1], rows, classes, bytes, ignored);
                    });
}

std::unique_ptr<CudaKernel> makeSoftmaxCrossEntropyBackward(const CudaSetup& setup) {
  const Function& function = setup.typed("softmax_cross_entropy_backward", setup.inputType());
  const int64_t classes = setup.inputShape(1).dim(-1), rows = setup.inputShape(0).numElements();
  const int32_t bytes = labelBytes(setup.inputType(2));
  return makeKernel("softmax_cross_entropy_backward",
                    [=, &function, ignored = setup.attributes.getOr<int64_t>("ignore_class", -1)](
                        Encoder& encoder, const Operands& operands) {
                      encoder.launch(function, {Encoder::blocksFor(rows, kRowsPerBlock)}, kBlock,
                                     operands.inputs[0], operands.inputs[1], operands.inputs[2],
                                     operands.outputs[0], rows, classes, bytes, ignored);
                    });
}

}  // namespace strata::cuda
