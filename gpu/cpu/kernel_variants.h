// SPDX-License-Identifier: Apache-2.0
// Alternative kernels of a node, in addition to the kernel that its maker chooses by rule. Timing
// chooses among these variants (gpu/exec/kernel_choices.h):
//   "product"  a convolution with 1x1 windows as a matrix product
//   "direct"   a convolution with 1x1 windows by the convolution loops
//   "onednn"   a 3x3 convolution by oneDNN's direct kernel, if the rule chooses Winograd tiles
//   "alone"    all work on one worker
// A variant requests the same workspace as the rule's kernel, so that the choice never changes a
// memory plan.
// Not here: the kernels and the rules of their makers.
// Thread: all functions are pure.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "gpu/cpu/cpu_kernel.h"

namespace strata::cpu {

/// Creates the kernel of a convolution with 1x1 windows, or returns null for all other ops. With
/// many channels it is a matrix product, except for the gradient of the weights.
std::unique_ptr<Kernel> createPixelwise(const KernelSetup& setup);
/// Lists the variants of a node's kernel, without the kernel that the rule chooses.
std::vector<OtherVariant> otherVariants(const KernelSetup& setup);
/// Creates a variant. Returns null if the variant does not exist or needs more workspace than the
/// rule's kernel.
std::unique_ptr<Kernel> createKernelVariant(const KernelSetup& setup, std::string_view variant);

}  // namespace strata::cpu
