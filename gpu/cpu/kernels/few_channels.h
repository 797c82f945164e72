// SPDX-License-Identifier: Apache-2.0
// Makers of kernels for convolutions with few channels. Each maker returns null if the loops with
// vectors of channels are likely to be as fast.
// Thread: all functions are pure.
#pragma once

#include "gpu/cpu/kernels/border.h"

#include "gpu/cpu/cpu_kernel.h"

namespace strata::cpu {

std::unique_ptr<HostKernel> makeFewChannelsConv2d(const KernelSetup& setup,
                                                  const WindowGeometry& g);
std::unique_ptr<HostKernel> makeFewChannelsBackwardData(const KernelSetup& setup,
                                                        const WindowGeometry& g);
std::unique_ptr<HostKernel> makeFewChannelsBackwardWeights(const KernelSetup& setup,
                                                           const WindowGeometry& g);

}  // namespace strata::cpu
