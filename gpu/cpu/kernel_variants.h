// SPDX-License-Identifier: Apache-2.0
// The variants of a node's kernel. createKernel() chooses the default kernel by rule. Timing can
// choose another variant (gpu/exec/kernel_choices.h):
//   "product"  a convolution with 1x1 windows as a matrix product
//   "direct"   a convolution with 1x1 windows with the convolution loops
//   "onednn"   a 3x3 convolution with oneDNN's direct kernel, if the default has Winograd tiles
//   "alone"    all work on one worker
// A variant requests the same workspace as the default kernel, so that the choice never changes a
// memory plan.
// Not here: the kernels and the rules of their makers.
// Thread: all functions are pure.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "gpu/cpu/cpu_kernel.h"

namespace strata::cpu {

/// Creates the default kernel of a convolution with 1x1 windows, stride 1 and no padding, or of one
/// of its gradients. With many channels it is a matrix product, except for the gradient of the
/// weights. Returns null for all other nodes.
std::unique_ptr<HostKernel> createPixelwise(const KernelSetup& setup);
/// Lists the variants of a node's kernel, without the default kernel.
std::vector<OtherVariant> otherVariants(const KernelSetup& setup);
/// Creates a variant. Returns null if the variant does not apply to this node or needs more
/// workspace than the default kernel.
std::unique_ptr<HostKernel> createKernelVariant(const KernelSetup& setup, std::string_view variant);

}  // namespace strata::cpu
