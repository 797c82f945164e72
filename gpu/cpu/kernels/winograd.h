// SPDX-License-Identifier: Apache-2.0
// Kernels of 3x3 convolutions with Winograd tiles. Each maker returns null if the direct loops are
// as good. Thread: pure functions.
#pragma once

#include "gpu/cpu/kernels/border.h"

#include "gpu/cpu/cpu_kernel.h"

namespace strata::cpu {

std::unique_ptr<Kernel> makeWinogradConv2d(const KernelSetup& setup, const WindowGeometry& g);
std::unique_ptr<Kernel> makeWinogradBackwardData(const KernelSetup& setup, const WindowGeometry& g);
std::unique_ptr<Kernel> makeWinogradBackwardWeights(const KernelSetup& setup,
                                                    const WindowGeometry& g);

}  // namespace strata::cpu
