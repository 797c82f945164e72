// SPDX-License-Identifier: Apache-2.0
// Makers of kernels for 3x3 convolutions with Winograd tiles. Each maker returns null if Winograd
// tiles do not support the convolution or are unlikely to be faster than the direct loops.
// Thread: all functions are pure.
#pragma once

#include "gpu/cpu/kernels/border.h"

#include "gpu/cpu/cpu_kernel.h"

namespace strata::cpu {

std::unique_ptr<HostKernel> makeWinogradConv2d(const KernelSetup& setup, const WindowGeometry& g);
std::unique_ptr<HostKernel> makeWinogradBackwardData(const KernelSetup& setup,
                                                     const WindowGeometry& g);
std::unique_ptr<HostKernel> makeWinogradBackwardWeights(const KernelSetup& setup,
                                                        const WindowGeometry& g);

}  // namespace strata::cpu
