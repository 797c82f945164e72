// SPDX-License-Identifier: Apache-2.0
// Convolutions with oneDNN, if they are faster than our own loops and tiles: 3x3 with stride 1, 192
// or more input and output channels, on feature maps that fill less than half of the Winograd
// tiles, with AVX-512. Each worker runs a single-threaded primitive on its share of the batch.
// Activations are reordered to oneDNN's blocks and back in the workspace. Compiled if
// STRATA_HAS_ONEDNN is defined. Only this folder and gpu/devices include oneDNN's headers.
// Thread: as Kernel.
#pragma once

#include <memory>

#include "gpu/cpu/cpu_kernel.h"

namespace strata::cpu {

/// For conv2d, conv2d_backward_data and conv2d_backward_weights. Null if our own kernel is better
/// or oneDNN has only a reference implementation.
/// Fails: creation never fails; running may fail with DeviceFailure.
std::unique_ptr<Kernel> makeOnednnConvolution(const KernelSetup& setup);

}  // namespace strata::cpu
