// SPDX-License-Identifier: Apache-2.0
// The fast CPU backend. It runs its own kernels, or oneDNN if this build includes it and it is
// faster. The reference kernels run element types other than f32 and rare ops.
// Thread: see Backend.
#pragma once

#include <memory>

#include "gpu/exec/backend.h"

namespace strata {

std::unique_ptr<Backend> makeCpuBackend(const DeviceOptions& options);
/// Returns the graph passes that only this backend runs.
std::vector<Pass> cpuPasses();

/// Creates the kernel of one node for `numWorkers` workers, as the backend does. Fails:
/// UnsupportedOp naming op and layer.
std::unique_ptr<Kernel> createCpuKernel(const Graph& graph, NodeId node, int numWorkers);

}  // namespace strata
