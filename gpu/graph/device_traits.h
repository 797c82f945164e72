// SPDX-License-Identifier: Apache-2.0
// What a device computes in one kernel, and from which size that pays. Passes get these traits from
// the device and never ask for the name of a device. A device that declines a fusion gets no such
// node. The default traits decline every fusion.
// Thread: plain values.
#pragma once

#include <cstddef>
#include <cstdint>

namespace strata {

/// The activations that a kernel applies to its results at no cost.
enum class FusedActivations : uint8_t {
  None,
  // Activations that need no exponential, such as relu
  PiecewiseLinear,
  All,
};

struct DeviceTraits {
  /// Memory of a step lies at multiples of this many bytes. Processors need 64, the width of their
  /// vectors, and libraries of cards 256.
  size_t alignment = 64;
  /// Matrix products and convolutions add a bias to their results.
  bool addsBias = false;
  /// The activations that matrix products and convolutions apply.
  FusedActivations productActivations = FusedActivations::None;
  /// A product that computes the gradient of weights also sums the gradient of the bias.
  bool sumsBiasGradients = false;
  /// Products add an operand of the type and shape of their result.
  bool addsToProducts = false;
  /// Batch normalization adds a shortcut and applies relu. Its gradient applies the gradient of
  /// relu.
  bool normalizesWithRelu = false;
  /// Batch normalization computes new moving statistics together with those of the batch.
  bool updatesMovingStatistics = false;
  /// The activations that max pooling applies.
  FusedActivations poolingActivations = FusedActivations::None;
  /// The mean loss of a classifier, the number of correct answers and the gradient of the logits
  /// are computed by one op.
  bool fusesLossAndMetrics = false;
  /// The gradient of layer normalization adds another gradient of its input.
  bool addsToNormGradients = false;
  /// Products of one input with several weights are joined if each has at most this many
  /// multiply-adds. 0 means that they are not joined.
  int64_t maxSiblingMultiplyAdds = 0;
  /// Weights are updated while their gradient is computed (OpDef::updateWithProduct).
  bool updatesWithProducts = false;
  /// Weights of convolutions are stored as [K,R,S,C] instead of [R,S,C,K].
  bool storesFiltersAsKrsc = false;
  /// Lookups of rows of f32 give results of 16 bits.
  bool roundsLookups = false;
  /// Sums of the gradients of lookups also sum squares.
  bool sumsSquaresOfLookups = false;
  /// Products of 16-bit operands give f32 results.
  bool widensProducts = false;
  /// The 16-bit versions of weights are variables of their own, which updates write.
  bool keepsLowWeights = false;
  /// Query, key and value of self-attention are computed by one product, from one 16-bit copy.
  bool joinsProjections = false;
  /// Several variables are updated by one op (gpu/ops/joined_updates.cpp).
  bool joinsUpdates = false;
  /// The check whether gradients are finite also computes their norm.
  bool joinsGradientNorm = false;
  /// Sums over replicas pack all operands in one buffer (PackedSums), also in one process.
  bool packsSums = false;
  /// The operands of a fused product and update live until the update. They may need as many bytes
  /// as the gradient, or this many.
  size_t maxBytesUntilUpdate = 0;
  /// The limits of a fused chain of elementwise ops. Fewer than 2 steps mean that no chain is
  /// fused.
  int maxPointwiseSteps = 0, maxPointwiseInputs = 0;
  /// A chain is fused if its result has at least minPointwiseElements elements, or if an operand is
  /// repeated at least minPointwiseRepeats times.
  int64_t minPointwiseElements = 0, minPointwiseRepeats = 0;
};

/// Returns the traits of a device that has a kernel for every fused op. The sizes suit a few cores
/// of a recent processor.
inline DeviceTraits processorTraits() {
  DeviceTraits traits;
  traits.addsBias = true;
  traits.productActivations = FusedActivations::All;
  traits.normalizesWithRelu = true;
  traits.poolingActivations = FusedActivations::PiecewiseLinear;
  traits.maxSiblingMultiplyAdds = 65536;
  traits.updatesWithProducts = true;
  traits.maxBytesUntilUpdate = 32 * 1024;
  traits.maxPointwiseSteps = 16;
  traits.maxPointwiseInputs = 8;
  traits.minPointwiseElements = 8192;
  traits.minPointwiseRepeats = 16;
  return traits;
}

}  // namespace strata
