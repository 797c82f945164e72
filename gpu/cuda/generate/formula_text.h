// SPDX-License-Identifier: Apache-2.0
// The formulas of activations as CUDA C++ text, taken from gpu/ops/activation_kinds.h, so that
// generated kernels have the formulas of all other kernels.
// Thread: any.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace strata::cuda {

/// Returns the name of an activation's struct, which has the functions forward(x, alpha) and
/// derivative(saved, alpha). Requires: the kind is known.
std::string activationName(std::string_view kind);
/// Returns the structs of these activations in the namespace activations, with all that they use.
std::string activationText(const std::set<std::string>& kinds);

}  // namespace strata::cuda
