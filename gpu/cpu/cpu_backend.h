// SPDX-License-Identifier: Apache-2.0
// The fast CPU backend: its own kernels on the loops of gpu/cpu/kernels/loops.h, oneDNN if it is
// built in and faster, and the reference kernels for the rest (element types other than f32, rare
// ops). Thread: as Backend.
#pragma once

#include <memory>

#include "gpu/exec/backend.h"

namespace strata {

std::unique_ptr<Backend> makeCpuBackend(const DeviceOptions& options);
/// The passes of this backend.
std::vector<Pass> cpuPasses();

/// Creates the kernel of one node for `numWorkers` workers, like the backend. Fails: UnsupportedOp
/// naming op and layer.
std::unique_ptr<Kernel> createCpuKernel(const Graph& graph, NodeId node, int numWorkers);

}  // namespace strata
