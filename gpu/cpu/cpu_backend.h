// SPDX-License-Identifier: Apache-2.0
// The fast CPU backend. It runs its own kernels. If this build includes oneDNN, it also uses oneDNN
// for the convolutions that are faster with it. The reference kernels run rare ops and most element
// types other than f32.
// Thread: see Backend.
#pragma once

#include <memory>

#include "gpu/exec/backend.h"

namespace strata {

std::unique_ptr<Backend> makeCpuBackend(const DeviceOptions& options);
/// Returns the graph passes that only this backend runs.
std::vector<Pass> cpuPasses();

/// Creates the kernel of one node for `numWorkers` workers, as the backend does. Fails:
/// UnsupportedOp, which names op and layer.
std::unique_ptr<Kernel> createCpuKernel(const Graph& graph, NodeId node, int numWorkers);

}  // namespace strata
