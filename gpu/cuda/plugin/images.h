// SPDX-License-Identifier: Apache-2.0
// The compiled kernels, one fatbin for each file of gpu/cuda/kernels. The build generates
// images.cpp (plugin.cmake).
// Thread: constants.
#pragma once

#include <cstddef>

namespace strata::plugin {

// Such as "75 80 90"
extern const char* const kernelArchitectures;
extern const void* const kernelImages[];
extern const size_t numKernelImages;

}  // namespace strata::plugin
