// SPDX-License-Identifier: Apache-2.0
// The one list of the CPU backend's own kernels by op name.
#include <unordered_map>

#include "gpu/cpu/cpu_kernel.h"

namespace strata::cpu {

KernelMaker findKernelMaker(std::string_view op) {
  static const std::unordered_map<std::string_view, KernelMaker> kMakers = {
      {"matmul", makeMatmul},
      {"conv2d", makeConv2d},
      {"conv2d_backward_data", makeConv2dBackwardData},
      {"conv2d_backward_weights", makeConv2dBackwardWeights},
  };
  const auto found = kMakers.find(op);
  return found == kMakers.end() ? nullptr : found->second;
}

}  // namespace strata::cpu
