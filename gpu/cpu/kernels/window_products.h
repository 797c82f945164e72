// SPDX-License-Identifier: Apache-2.0
// Makers of convolution kernels that compute matrix products over windows.
// Not here: Winograd tiles (winograd.h), direct sums (conv2d.cpp).
// Thread: all functions are pure.
#pragma once

#include "gpu/cpu/cpu_kernel.h"
#include "gpu/reference/kernels/window.h"

namespace strata::cpu {

// The makers return null if a product does not support the convolution or is unlikely to be faster
// than the direct loops.
std::unique_ptr<HostKernel> makeWindowConv2d(const KernelSetup& setup,
                                             const reference::WindowGeometry& g);
std::unique_ptr<HostKernel> makeWindowBackwardData(const KernelSetup& setup,
                                                   const reference::WindowGeometry& g);
std::unique_ptr<HostKernel> makeWindowBackwardWeights(const KernelSetup& setup,
                                                      const reference::WindowGeometry& g);

}  // namespace strata::cpu
