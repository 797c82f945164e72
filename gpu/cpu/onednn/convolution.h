// SPDX-License-Identifier: Apache-2.0
// Convolutions with oneDNN. By default they are used with AVX-512 for 3x3 windows with stride 1, at
// least 192 input and output channels, and feature maps that fill Winograd tiles poorly. Each
// worker runs a single-threaded primitive on its share of the batch. Activations are reordered to
// oneDNN's blocked layout and back in the workspace. This folder is compiled if STRATA_HAS_ONEDNN
// is defined. Only this folder and gpu/devices include oneDNN's headers.
// Thread: see Kernel.
#pragma once

#include <memory>

#include "gpu/cpu/cpu_kernel.h"

namespace strata::cpu {

/// Makes the kernel of conv2d, conv2d_backward_data or conv2d_backward_weights. Returns null if
/// another kernel is likely to be faster, or if oneDNN has no direct kernel for these sizes.
/// Fails: never, but running the kernel may fail with DeviceFailure.
std::unique_ptr<HostKernel> makeOnednnConvolution(const KernelSetup& setup);

}  // namespace strata::cpu
