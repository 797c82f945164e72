// SPDX-License-Identifier: Apache-2.0
// The makers of the reference kernels. kernel_list.cpp maps ops to them. Also AxisSplit, a view of
// a shape.
// Thread: all functions are pure.
#pragma once

#include "gpu/reference/reference_kernel.h"

namespace strata::reference {

std::unique_ptr<Kernel> makeUnary(const KernelSetup& setup);
std::unique_ptr<Kernel> makeCast(const KernelSetup& setup);
std::unique_ptr<Kernel> makeAffine(const KernelSetup& setup);
std::unique_ptr<Kernel> makeBinary(const KernelSetup& setup);
std::unique_ptr<Kernel> makeSelect(const KernelSetup& setup);
std::unique_ptr<Kernel> makeFusedPointwise(const KernelSetup& setup);
std::unique_ptr<Kernel> makeActivation(const KernelSetup& setup);
std::unique_ptr<Kernel> makeActivationBackward(const KernelSetup& setup);
std::unique_ptr<Kernel> makeSoftmax(const KernelSetup& setup);
std::unique_ptr<Kernel> makeReshape(const KernelSetup& setup);
std::unique_ptr<Kernel> makeTranspose(const KernelSetup& setup);
std::unique_ptr<Kernel> makeBroadcastTo(const KernelSetup& setup);
std::unique_ptr<Kernel> makeConcatenate(const KernelSetup& setup);
std::unique_ptr<Kernel> makeSlice(const KernelSetup& setup);
std::unique_ptr<Kernel> makePad(const KernelSetup& setup);
std::unique_ptr<Kernel> makeOneHot(const KernelSetup& setup);
std::unique_ptr<Kernel> makeGatherRows(const KernelSetup& setup);
std::unique_ptr<Kernel> makeGatherRowsBackward(const KernelSetup& setup);
std::unique_ptr<Kernel> makeReduce(const KernelSetup& setup);
std::unique_ptr<Kernel> makeArgmax(const KernelSetup& setup);
std::unique_ptr<Kernel> makeMatmul(const KernelSetup& setup);
std::unique_ptr<Kernel> makeMatmulSiblings(const KernelSetup& setup);
std::unique_ptr<Kernel> makeConv2d(const KernelSetup& setup);
std::unique_ptr<Kernel> makeConv2dBackwardData(const KernelSetup& setup);
std::unique_ptr<Kernel> makeConv2dBackwardWeights(const KernelSetup& setup);
std::unique_ptr<Kernel> makeDepthwise(const KernelSetup& setup);
std::unique_ptr<Kernel> makeDepthwiseBackwardData(const KernelSetup& setup);
std::unique_ptr<Kernel> makeDepthwiseBackwardWeights(const KernelSetup& setup);
std::unique_ptr<Kernel> makeMaxPool(const KernelSetup& setup);
std::unique_ptr<Kernel> makeMaxPoolBackward(const KernelSetup& setup);
std::unique_ptr<Kernel> makeAvgPool(const KernelSetup& setup);
std::unique_ptr<Kernel> makeAvgPoolBackward(const KernelSetup& setup);
std::unique_ptr<Kernel> makeBatchNorm(const KernelSetup& setup);
std::unique_ptr<Kernel> makeBatchNormBackward(const KernelSetup& setup);
std::unique_ptr<Kernel> makeLayerNorm(const KernelSetup& setup);
std::unique_ptr<Kernel> makeLayerNormBackward(const KernelSetup& setup);
std::unique_ptr<Kernel> makeRecurrent(const KernelSetup& setup);
std::unique_ptr<Kernel> makeRecurrentBackward(const KernelSetup& setup);
std::unique_ptr<Kernel> makeAttention(const KernelSetup& setup);
std::unique_ptr<Kernel> makeAttentionBackward(const KernelSetup& setup);
std::unique_ptr<Kernel> makeDropout(const KernelSetup& setup);
std::unique_ptr<Kernel> makeRandomUniform(const KernelSetup& setup);
std::unique_ptr<Kernel> makeSoftmaxCrossEntropy(const KernelSetup& setup);
std::unique_ptr<Kernel> makeSoftmaxCrossEntropyBackward(const KernelSetup& setup);
std::unique_ptr<Kernel> makeSigmoidCrossEntropy(const KernelSetup& setup);
std::unique_ptr<Kernel> makeCtcLoss(const KernelSetup& setup);
std::unique_ptr<Kernel> makeAllFinite(const KernelSetup& setup);
/// Returns whether the product a^T b of a [K,M] and b [K,N] is finite (gpu/ops/all_finite.cpp).
/// `largestOfA` and `largestOfB` are the largest magnitudes of their elements.
bool isPairFinite(const TensorType& a, const TensorType& b, const std::byte* dataOfA,
                  const std::byte* dataOfB, double largestOfA, double largestOfB);
std::unique_ptr<Kernel> makeAssign(const KernelSetup& setup);
std::unique_ptr<Kernel> makeSgdUpdate(const KernelSetup& setup);
std::unique_ptr<Kernel> makeAdamUpdate(const KernelSetup& setup);
std::unique_ptr<Kernel> makeRmspropUpdate(const KernelSetup& setup);
std::unique_ptr<Kernel> makeAdagradUpdate(const KernelSetup& setup);

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
