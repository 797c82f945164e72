// SPDX-License-Identifier: Apache-2.0
// Writes a fused_pointwise node as CUDA C++: one kernel with the steps of the program, the casts
// and the broadcasting of this node inside. The text needs no header, so NVRTC compiles it without
// files, and the host compiler compiles it for simulated cards.
// The results have the bits of kernels/fused_pointwise.cu, which interprets programs.
// Thread: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpu/tensor/tensor.h"

namespace strata::cuda {

/// The parameters of all generated kernels: eight operands, of which a kernel uses the first ones,
/// the result, and its number of elements.
constexpr const char* kGeneratedParameters = "pppppppppl";

struct GeneratedKernel {
  // The name of the function, which depends on the text
  std::string name;
  std::string text;
  // Each thread loads and stores kPerThread neighbouring elements at once, so that all addresses
  // must be multiples of kVectorBytes. Otherwise the threads of a block take turns.
  bool isVector = false;
};
constexpr size_t kVectorBytes = 16;

/// Requires: the types are f32, bf16 or f16, and fused_pointwise accepts them with the program.
GeneratedKernel generatePointwise(std::string_view program, const std::vector<TensorType>& inputs,
                                  const TensorType& output);

}  // namespace strata::cuda
