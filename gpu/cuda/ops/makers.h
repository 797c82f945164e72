// SPDX-License-Identifier: Apache-2.0
// The makers of the kernels of all ops; kernel_list.cpp lists them by name.
#pragma once

#include "gpu/cuda/cuda_kernel.h"

namespace strata::cuda {

std::unique_ptr<CudaKernel> makeActivation(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeActivationBackward(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeAdagradUpdate(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeAdamUpdate(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeAffine(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeAllFinite(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeAllFiniteAndNorm(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeGradientNorm(const CudaSetup& setup);
/// A card has no replicas yet, so its results are the operands.
std::unique_ptr<CudaKernel> makeAllReduce(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeSyncSum(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeAllGather(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeSend(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeReceive(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeArgmax(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeAssign(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeAttention(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeAttentionBackward(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeAvgPool(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeAvgPoolBackward(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeBatchNorm(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeBatchNormBackward(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeBinary(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeBroadcastTo(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeCast(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeConcatenate(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeClassificationLoss(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeConv2d(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeConv2dBackwardData(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeConv2dBackwardWeights(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeCtcLoss(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeDepthwise(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeDepthwiseBackwardData(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeDepthwiseBackwardWeights(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeDropout(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeFusedPointwise(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeGather(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeGatherBackward(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeJoinedUpdates(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeLayerNorm(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeLayerNormBackward(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeMatmul(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeMatmulAdd(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeMatmulBiasGradient(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeMaxPool(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeMaxPoolBackward(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeOneHot(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makePad(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeRandomUniform(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeRecurrent(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeRecurrentBackward(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeReduce(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeReshape(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeRmspropUpdate(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeSelect(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeSgdUpdate(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeSigmoidCrossEntropy(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeSlice(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeSoftmax(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeSoftmaxCrossEntropy(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeSoftmaxCrossEntropyBackward(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeTranspose(const CudaSetup& setup);
std::unique_ptr<CudaKernel> makeUnary(const CudaSetup& setup);

}  // namespace strata::cuda
