// SPDX-License-Identifier: Apache-2.0
// The kernels that an NVIDIA GPU compiles for the fused chains of a graph. They can be compiled for
// any compute capability without a GPU, to check them.
// Thread: any.
#pragma once

#include <string>
#include <vector>

#include "gpu/graph/graph.h"

namespace strata {

/// CUDA C++ that defines the kernel `name`.
struct KernelText {
  std::string name, text;
};
/// Returns the kernels of all fused_pointwise nodes of a graph, each only once.
std::vector<KernelText> generatedKernels(const Graph& graph);
/// Compiles a kernel for a compute capability, such as 90. Returns why that is not possible, or "".
std::string problemOfKernel(const KernelText& kernel, int architecture);

}  // namespace strata
