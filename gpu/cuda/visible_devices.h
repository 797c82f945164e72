// SPDX-License-Identifier: Apache-2.0
// Explains CUDA_VISIBLE_DEVICES, which hides GPUs from programs.
// Thread: any.
#pragma once

#include <string>

namespace strata::cuda {

/// Says what a value of CUDA_VISIBLE_DEVICES does on a machine with `cards` GPUs (-1: unknown)
/// where the driver finds none. `value` is null if it is not set. Returns "" if it hides nothing.
std::string explainVisibleDevices(const char* value, int cards);

}  // namespace strata::cuda
