// SPDX-License-Identifier: Apache-2.0
// Variants ("ways") of a node's kernel besides the one that the rule of its maker chooses, to be
// chosen by timing (gpu/exec/kernel_choices.h):
//   "product"  a convolution with 1x1 windows as a matrix product
//   "direct"   a convolution with 1x1 windows by the convolution loops
//   "onednn"   a 3x3 convolution by oneDNN's direct kernel, if the rule chooses Winograd tiles
//   "alone"    all work on one worker
// A variant needs at most the workspace of the rule's kernel and requests the same, so the choice
// never changes a plan.
// Not here: kernels, rules. Thread: pure functions.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "gpu/cpu/cpu_kernel.h"

namespace strata::cpu {

/// The kernel of a convolution with 1x1 windows, by the rule: a matrix product if it has many
/// channels, except for the gradient of the weights. Null for other convolutions.
std::unique_ptr<Kernel> createPixelwise(const KernelSetup& setup);
/// The variants besides the rule's kernel. Cheap: no kernel is created.
std::vector<OtherVariant> otherVariants(const KernelSetup& setup);
/// Null if there is no such variant, or if it needs more workspace than the rule's kernel.
std::unique_ptr<Kernel> createKernelVariant(const KernelSetup& setup, std::string_view variant);

}  // namespace strata::cpu
