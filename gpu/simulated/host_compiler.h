// SPDX-License-Identifier: Apache-2.0
// Compiles generated kernels (gpu/cuda/generate) with the C++ compiler of this machine, for
// simulated cards. An image is a shared library with a short header.
// Thread: any.
#pragma once

#include <string>
#include <vector>

#include "gpu/cuda/emulation/emulation.h"

namespace strata::simulated {

/// Returns $CXX, c++, g++ or clang++ with the first line of its --version, or "" if none of them
/// can be run.
const std::string& hostCompiler();

/// Compiles a text that defines the kernel `name` with the parameters kGeneratedParameters
/// (gpu/cuda/generate/pointwise_text.h). Returns an image, or an empty one and a problem with the
/// compiler's text.
std::vector<char> compileOnHost(const std::string& text, const std::string& name,
                                std::string& problem);

bool isHostImage(const void* image);
/// Loads an image. It stays loaded until the program ends. Returns null and a problem if it cannot
/// be loaded. Requires: isHostImage().
const emulated::Kernel* loadHostImage(const void* image, std::string& problem);

}  // namespace strata::simulated
