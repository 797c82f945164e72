// SPDX-License-Identifier: Apache-2.0
// Maps op names to the kernel makers of the CPU device.
#include <unordered_map>

#include "gpu/cpu/cpu_kernel.h"

namespace strata::cpu {

KernelMaker findKernelMaker(std::string_view op) {
  static const std::unordered_map<std::string_view, KernelMaker> kMakers = {
      {"matmul", makeMatmul},
      {"matmul_siblings", makeMatmulSiblings},
      {"conv2d", makeConv2d},
      {"conv2d_backward_data", makeConv2dBackwardData},
      {"conv2d_backward_weights", makeConv2dBackwardWeights},
      {"depthwise_conv2d", makeDepthwise},
      {"depthwise_conv2d_backward_data", makeDepthwiseBackwardData},
      {"depthwise_conv2d_backward_weights", makeDepthwiseBackwardWeights},
      {"dropout", makeDropout},
      {"transpose", makeTranspose},
      {"broadcast_to", makeBroadcastTo},
      {"slice", makeSlice},
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
      {"erf", makeUnary},
      {"floor", makeUnary},
      {"is_finite", makeUnary},
      {"add", makeBinary},
      {"subtract", makeBinary},
      {"multiply", makeBinary},
      {"divide", makeBinary},
      {"maximum", makeBinary},
      {"minimum", makeBinary},
      {"less", makeBinary},
      {"less_equal", makeBinary},
      {"greater", makeBinary},
      {"greater_equal", makeBinary},
      {"equal", makeBinary},
      {"not_equal", makeBinary},
      {"affine", makeAffine},
      {"cast", makeAffine},
      {"activation", makeActivation},
      {"activation_backward", makeActivationBackward},
      {"fused_pointwise", makeFusedPointwise},
      {"reduce_sum", makeReduce},
      {"reduce_max", makeReduce},
      {"softmax", makeSoftmax},
      {"log_softmax", makeSoftmax},
      {"softmax_cross_entropy", makeSoftmaxCrossEntropy},
      {"softmax_cross_entropy_backward", makeSoftmaxCrossEntropyBackward},
      {"batch_norm", makeBatchNorm},
      {"batch_norm_backward", makeBatchNormBackward},
      {"layer_norm", makeLayerNorm},
      {"layer_norm_backward", makeLayerNormBackward},
      {"attention", makeAttention},
      {"attention_backward", makeAttentionBackward},
      {"recurrent", makeRecurrent},
      {"recurrent_backward", makeRecurrentBackward},
      {"max_pool2d", makeMaxPool},
      {"max_pool2d_backward", makeMaxPoolBackward},
      {"avg_pool2d", makeAvgPool},
      {"avg_pool2d_backward", makeAvgPoolBackward},
      {"all_finite", makeAllFinite},
      {"sgd_update", makeSgdUpdate},
      {"adam_update", makeAdamUpdate},
      {"matmul_sgd_update", makeMatmulSgdUpdate},
      {"matmul_adam_update", makeMatmulAdamUpdate},
      {"rmsprop_update", makeRmspropUpdate},
      {"adagrad_update", makeAdagradUpdate},
  };
  const auto found = kMakers.find(op);
  return found == kMakers.end() ? nullptr : found->second;
}

}  // namespace strata::cpu
