// SPDX-License-Identifier: Apache-2.0
// The fast backend of processors: own kernels on the loops of gpu/cpu/kernels/loops.h, oneDNN where
// it was measured better (and built in), and the reference backend's kernels for the rest (element
// types other than f32, rare ops). Thread: as Backend.
#pragma once

#include <memory>

#include "gpu/exec/backend.h"

namespace strata {

std::unique_ptr<Backend> makeCpuBackend(const DeviceOptions& options);
/// Its own passes.
std::vector<Pass> cpuPasses();

/// The kernel of one node for `numWorkers` workers, as the backend makes it. Fails: UnsupportedOp
/// naming op and layer.
std::unique_ptr<Kernel> createCpuKernel(const Graph& graph, NodeId node, int numWorkers);

}  // namespace strata
