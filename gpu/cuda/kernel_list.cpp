// SPDX-License-Identifier: Apache-2.0
// Maps op names to the makers of kernels for cards.
#include <unordered_map>

#include "gpu/cuda/ops/makers.h"

namespace strata::cuda {

KernelMaker findKernelMaker(std::string_view op) {
  static const std::unordered_map<std::string_view, KernelMaker> kMakers = {
      {"abs", makeUnary},
      {"activation", makeActivation},
      {"activation_backward", makeActivationBackward},
      {"adagrad_update", makeAdagradUpdate},
      {"adagrad_updates", makeJoinedUpdates},
      {"adam_update", makeAdamUpdate},
      {"adam_updates", makeJoinedUpdates},
      {"add", makeBinary},
      {"affine", makeAffine},
      {"all_finite", makeAllFinite},
      {"all_reduce", makeAllReduce},
      {"all_reduce_start", makeAllReduce},
      {"all_reduce_done", makeAllReduce},
      {"argmax", makeArgmax},
      {"assign", makeAssign},
      {"assigns", makeJoinedUpdates},
      {"attention", makeAttention},
      {"attention_backward", makeAttentionBackward},
      {"avg_pool2d", makeAvgPool},
      {"avg_pool2d_backward", makeAvgPoolBackward},
      {"batch_norm", makeBatchNorm},
      {"batch_norm_backward", makeBatchNormBackward},
      {"broadcast_to", makeBroadcastTo},
      {"cast", makeCast},
      {"classification_loss", makeClassificationLoss},
      {"concatenate", makeConcatenate},
      {"conv2d", makeConv2d},
      {"conv2d_backward_data", makeConv2dBackwardData},
      {"conv2d_backward_weights", makeConv2dBackwardWeights},
      {"cos", makeUnary},
      {"ctc_loss", makeCtcLoss},
      {"depthwise_conv2d", makeDepthwise},
      {"depthwise_conv2d_backward_data", makeDepthwiseBackwardData},
      {"depthwise_conv2d_backward_weights", makeDepthwiseBackwardWeights},
      {"divide", makeBinary},
      {"dropout", makeDropout},
      {"equal", makeBinary},
      {"erf", makeUnary},
      {"exp", makeUnary},
      {"expm1", makeUnary},
      {"floor", makeUnary},
      {"fused_pointwise", makeFusedPointwise},
      {"gather", makeGather},
      {"gather_backward", makeGatherBackward},
      {"greater", makeBinary},
      {"greater_equal", makeBinary},
      {"is_finite", makeUnary},
      {"layer_norm", makeLayerNorm},
      {"layer_norm_backward", makeLayerNormBackward},
      {"less", makeBinary},
      {"less_equal", makeBinary},
      {"log", makeUnary},
      {"log1p", makeUnary},
      {"log_softmax", makeSoftmax},
      {"matmul", makeMatmul},
      {"matmul_add", makeMatmulAdd},
      {"matmul_bias_gradient", makeMatmulBiasGradient},
      {"max_pool2d", makeMaxPool},
      {"max_pool2d_backward", makeMaxPoolBackward},
      {"maximum", makeBinary},
      {"minimum", makeBinary},
      {"multiply", makeBinary},
      {"negate", makeUnary},
      {"not_equal", makeBinary},
      {"one_hot", makeOneHot},
      {"pad", makePad},
      {"power", makeBinary},
      {"random_uniform", makeRandomUniform},
      {"reciprocal", makeUnary},
      {"recurrent", makeRecurrent},
      {"recurrent_backward", makeRecurrentBackward},
      {"reduce_max", makeReduce},
      {"reduce_sum", makeReduce},
      {"reshape", makeReshape},
      {"rmsprop_update", makeRmspropUpdate},
      {"rmsprop_updates", makeJoinedUpdates},
      {"rsqrt", makeUnary},
      {"select", makeSelect},
      {"sgd_update", makeSgdUpdate},
      {"sgd_updates", makeJoinedUpdates},
      {"sigmoid_cross_entropy", makeSigmoidCrossEntropy},
      {"sign", makeUnary},
      {"sin", makeUnary},
      {"slice", makeSlice},
      {"softmax", makeSoftmax},
      {"softmax_cross_entropy", makeSoftmaxCrossEntropy},
      {"softmax_cross_entropy_backward", makeSoftmaxCrossEntropyBackward},
      {"sqrt", makeUnary},
      {"square", makeUnary},
      {"subtract", makeBinary},
      {"transpose", makeTranspose},
  };
  const auto found = kMakers.find(op);
  return found == kMakers.end() ? nullptr : found->second;
}

std::string_view refusalOf(std::string_view op) {
  if (op == "matmul_siblings" || op == "matmul_sgd_update" || op == "matmul_adam_update")
    return "only the CPU computes it in one kernel";
  for (const std::string_view exchanged : {"send", "receive", "sent", "all_gather", "sync_sum"})
    if (op == exchanged) return "only processors exchange these values in this version";
  return {};
}

}  // namespace strata::cuda
