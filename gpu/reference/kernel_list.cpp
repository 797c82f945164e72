// SPDX-License-Identifier: Apache-2.0
// The one list of reference kernels by op name.
#include <unordered_map>

#include "gpu/reference/kernels/kernels.h"

namespace strata::reference {

KernelMaker findKernelMaker(std::string_view op) {
  static const std::unordered_map<std::string_view, KernelMaker> kMakers = {
      {"negate", makeUnary},
      {"abs", makeUnary},
      {"sign", makeUnary},
      {"exp", makeUnary},
      {"expm1", makeUnary},
      {"log", makeUnary},
      {"log1p", makeUnary},
      {"sqrt", makeUnary},
      {"rsqrt", makeUnary},
      {"square", makeUnary},
      {"reciprocal", makeUnary},
      {"sin", makeUnary},
      {"cos", makeUnary},
      {"erf", makeUnary},
      {"floor", makeUnary},
      {"is_finite", makeUnary},
      {"add", makeBinary},
      {"subtract", makeBinary},
      {"multiply", makeBinary},
      {"divide", makeBinary},
      {"maximum", makeBinary},
      {"minimum", makeBinary},
      {"power", makeBinary},
      {"less", makeBinary},
      {"less_equal", makeBinary},
      {"greater", makeBinary},
      {"greater_equal", makeBinary},
      {"equal", makeBinary},
      {"not_equal", makeBinary},
      {"select", makeSelect},
      {"cast", makeCast},
      {"affine", makeAffine},
      {"activation", makeActivation},
      {"activation_backward", makeActivationBackward},
      {"softmax", makeSoftmax},
      {"log_softmax", makeSoftmax},
      {"reshape", makeReshape},
      {"transpose", makeTranspose},
      {"broadcast_to", makeBroadcastTo},
      {"concatenate", makeConcatenate},
      {"slice", makeSlice},
      {"pad", makePad},
      {"one_hot", makeOneHot},
      {"reduce_sum", makeReduce},
      {"reduce_max", makeReduce},
      {"argmax", makeArgmax},
      {"matmul", makeMatmul},
      {"conv2d", makeConv2d},
      {"conv2d_backward_data", makeConv2dBackwardData},
      {"conv2d_backward_weights", makeConv2dBackwardWeights},
      {"depthwise_conv2d", makeDepthwise},
      {"depthwise_conv2d_backward_data", makeDepthwiseBackwardData},
      {"depthwise_conv2d_backward_weights", makeDepthwiseBackwardWeights},
      {"max_pool2d", makeMaxPool},
      {"max_pool2d_backward", makeMaxPoolBackward},
      {"avg_pool2d", makeAvgPool},
      {"avg_pool2d_backward", makeAvgPoolBackward},
      {"batch_norm", makeBatchNorm},
      {"batch_norm_backward", makeBatchNormBackward},
      {"dropout", makeDropout},
      {"softmax_cross_entropy", makeSoftmaxCrossEntropy},
      {"softmax_cross_entropy_backward", makeSoftmaxCrossEntropyBackward},
      {"sigmoid_cross_entropy", makeSigmoidCrossEntropy},
      {"assign", makeAssign},
      {"sgd_update", makeSgdUpdate},
      {"adam_update", makeAdamUpdate},
      {"rmsprop_update", makeRmspropUpdate},
      {"adagrad_update", makeAdagradUpdate},
  };
  const auto found = kMakers.find(op);
  return found == kMakers.end() ? nullptr : found->second;
}

}  // namespace strata::reference
