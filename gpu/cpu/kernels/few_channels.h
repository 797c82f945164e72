// SPDX-License-Identifier: Apache-2.0
// Kernels of convolutions with few channels. Each maker returns null if vectors of channels are as
// good. Thread: pure functions.
#pragma once

#include "gpu/cpu/kernels/border.h"

#include "gpu/cpu/cpu_kernel.h"

namespace strata::cpu {

std::unique_ptr<Kernel> makeFewChannelsConv2d(const KernelSetup& setup, const WindowGeometry& g);
std::unique_ptr<Kernel> makeFewChannelsBackwardData(const KernelSetup& setup,
                                                    const WindowGeometry& g);
std::unique_ptr<Kernel> makeFewChannelsBackwardWeights(const KernelSetup& setup,
                                                       const WindowGeometry& g);

}  // namespace strata::cpu
