// SPDX-License-Identifier: Apache-2.0
// Convolutions by oneDNN where they were measured faster than our own loops and tiles: 3x3, stride
// 1, 192 or more channels in and out, on maps that fill less than half of Winograd's tiles, on
// AVX-512. The only folder that includes oneDNN's headers. Compiled where STRATA_HAS_ONEDNN is
// defined. Each worker runs a primitive of one thread on its share of the batch; activations are
// reordered to oneDNN's blocks and back in the workspace.
// Thread: as Kernel.
#pragma once

#include <memory>

#include "gpu/cpu/cpu_kernel.h"

namespace strata::cpu {

/// For conv2d, conv2d_backward_data and conv2d_backward_weights. Null where our own kernel is
/// better or oneDNN has only a reference implementation.
/// Fails: never at creation (null); running fails with DeviceFailure.
std::unique_ptr<Kernel> makeOnednnConvolution(const KernelSetup& setup);

}  // namespace strata::cpu
