// SPDX-License-Identifier: Apache-2.0
// Maps op names to the makers of kernels for cards.
#include <unordered_map>

#include "gpu/cuda/ops/makers.h"

namespace strata::cuda {

KernelMaker findKernelMaker(std::string_view op) {
  static const std::unordered_map<std::string_view, KernelMaker> kMakers = {
      {"activation", makeActivation},
      {"activation_backward", makeActivationBackward},
      {"adam_update", makeAdamUpdate},
      {"add", makeBinary},
      {"affine", makeAffine},
      {"all_finite", makeAllFinite},
      {"argmax", makeArgmax},
      {"assign", makeAssign},
      {"attention", makeAttention},
      {"attention_backward", makeAttentionBackward},
      {"avg_pool2d", makeAvgPool},
      {"avg_pool2d_backward", makeAvgPoolBackward},
      {"batch_norm", makeBatchNorm},
      {"batch_norm_backward", makeBatchNormBackward},
      {"cast", makeCast},
      {"conv2d", makeConv2d},
      {"conv2d_backward_data", makeConv2dBackwardData},
      {"conv2d_backward_weights", makeConv2dBackwardWeights},
      {"depthwise_conv2d", makeDepthwise},
      {"depthwise_conv2d_backward_data", makeDepthwiseBackwardData},
      {"depthwise_conv2d_backward_weights", makeDepthwiseBackwardWeights},
      {"divide", makeBinary},
      {"equal", makeBinary},
      {"greater", makeBinary},
      {"greater_equal", makeBinary},
      {"layer_norm", makeLayerNorm},
      {"layer_norm_backward", makeLayerNormBackward},
      {"less", makeBinary},
      {"less_equal", makeBinary},
      {"matmul", makeMatmul},
      {"max_pool2d", makeMaxPool},
      {"max_pool2d_backward", makeMaxPoolBackward},
      {"maximum", makeBinary},
      {"minimum", makeBinary},
      {"multiply", makeBinary},
      {"not_equal", makeBinary},
      {"power", makeBinary},
      {"recurrent", makeRecurrent},
      {"recurrent_backward", makeRecurrentBackward},
      {"reduce_max", makeReduce},
      {"reduce_sum", makeReduce},
      {"sgd_update", makeSgdUpdate},
      {"softmax_cross_entropy", makeSoftmaxCrossEntropy},
      {"softmax_cross_entropy_backward", makeSoftmaxCrossEntropyBackward},
      {"subtract", makeBinary},
  };
  const auto found = kMakers.find(op);
  return found == kMakers.end() ? nullptr : found->second;
}

std::string_view refusalOf(std::string_view op) {
  if (op == "matmul_siblings" || op == "matmul_sgd_update" || op == "matmul_adam_update")
    return "only the CPU computes it in one kernel";
  return {};
}

}  // namespace strata::cuda
