// SPDX-License-Identifier: Apache-2.0
// Kernels for images [N,C,H,W] (gpu/ops/layout.h). Only cards compute with this order. Elsewhere,
// such a kernel copies images to [N,H,W,C] in its workspace, runs the kernel for that order, and
// copies the results back.
// Thread: all functions are pure.
#pragma once

#include <memory>

#include "gpu/reference/reference_kernel.h"

namespace strata::reference {

/// Returns the kernel for a setup whose layout is "channels_first".
/// Fails: as createKernel() (low_precision_kernel.h).
std::unique_ptr<HostKernel> makeReordered(const KernelSetup& setup);

}  // namespace strata::reference
