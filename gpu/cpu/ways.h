// SPDX-License-Identifier: Apache-2.0
// Other ways to run a node than the one that the rules of its kernel's maker pick: for choosing
// among them by timing (gpu/exec/kernel_choices.h).
//   "product"  a convolution with windows of one pixel as a matrix product; "direct": by the loops of convolutions
//   "onednn"   a 3x3 convolution by oneDNN's direct kernel where the rule takes Winograd's tiles
//   "alone"    all of it on one worker
// A way needs no more workspace than the rule's kernel, and asks for as much: which way is taken
// never changes a plan.
// Not here: kernels, rules. Thread: pure functions.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "gpu/cpu/cpu_kernel.h"

namespace strata::cpu {

/// A convolution whose windows are one pixel, by its rule: a product of many channels but for the
/// gradient of its weights. Null for others.
std::unique_ptr<Kernel> createPixelwise(const KernelSetup& setup);
/// Without the rule's own. Cheap: no kernel is made.
std::vector<OtherWay> otherWays(const KernelSetup& setup);
/// Null where there is no such way, or it needs more workspace than the rule's.
std::unique_ptr<Kernel> createKernelBy(const KernelSetup& setup, std::string_view way);

}  // namespace strata::cpu
