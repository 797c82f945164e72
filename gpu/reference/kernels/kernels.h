// SPDX-License-Identifier: Apache-2.0
// The makers of the reference kernels. kernel_list.cpp maps ops to them. Also AxisSplit, a view of
// a shape.
// Thread: all functions are pure.
#pragma once

#include "gpu/reference/reference_kernel.h"

namespace strata::reference {

std::unique_ptr<HostKernel> makeUnary(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeCast(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeAffine(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeBinary(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeSelect(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeFusedPointwise(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeActivation(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeActivationBackward(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeSoftmax(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeReshape(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeTranspose(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeBroadcastTo(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeConcatenate(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeSlice(const KernelSetup& setup);
std::unique_ptr<HostKernel> makePad(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeOneHot(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeGatherRows(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeGatherRowsBackward(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeReduce(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeArgmax(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeMatmul(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeMatmulAdd(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeMatmulBiasGradient(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeMatmulSiblings(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeConv2d(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeConv2dBackwardData(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeConv2dBackwardWeights(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeDepthwise(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeDepthwiseBackwardData(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeDepthwiseBackwardWeights(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeMaxPool(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeMaxPoolBackward(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeAvgPool(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeAvgPoolBackward(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeBatchNorm(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeBatchNormBackward(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeLayerNorm(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeLayerNormBackward(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeRecurrent(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeRecurrentBackward(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeAttention(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeAttentionBackward(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeDropout(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeRandomUniform(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeClassificationLoss(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeSoftmaxCrossEntropy(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeSoftmaxCrossEntropyBackward(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeSigmoidCrossEntropy(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeCtcLoss(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeAllFinite(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeAllFiniteAndNorm(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeGradientNorm(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeAllReduce(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeAllReduceStart(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeAllReduceDone(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeSyncSum(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeAllGather(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeSend(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeReceive(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeSent(const KernelSetup& setup);
/// Returns whether the product a^T b of a [K,M] and b [K,N] is finite (gpu/ops/all_finite.cpp).
/// `largestOfA` and `largestOfB` are the largest magnitudes of their elements.
bool isPairFinite(const TensorType& a, const TensorType& b, const std::byte* dataOfA,
                  const std::byte* dataOfB, double largestOfA, double largestOfB);
std::unique_ptr<HostKernel> makeAssign(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeJoinedUpdates(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeSgdUpdate(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeAdamUpdate(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeRmspropUpdate(const KernelSetup& setup);
std::unique_ptr<HostKernel> makeAdagradUpdate(const KernelSetup& setup);

/// A shape viewed as [outer, length, inner], where `length` is the size of one axis.
struct AxisSplit {
  int64_t outer = 1, length = 1, inner = 1;
};
inline AxisSplit splitAtAxis(const Shape& shape, int axis) {
  const int at = shape.normalizeAxis(axis);
  AxisSplit split;
  for (int i = 0; i < at; ++i)
    split.outer *= shape[i];
  split.length = shape[at];
  for (int i = at + 1; i < shape.rank(); ++i)
    split.inner *= shape[i];
  return split;
}

}  // namespace strata::reference
