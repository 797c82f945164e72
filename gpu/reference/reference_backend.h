// SPDX-License-Identifier: Apache-2.0
// The plain C++ backend: no libraries, no intrinsics, every op for f32 and f64, sums in double. It
// can train every project, and tests compare the kernels of other backends with it. Other backends
// use its kernels for ops that they do not implement. It is not fast.
// Thread: as Backend.
#pragma once

#include <memory>

#include "gpu/exec/backend.h"

namespace strata {

std::unique_ptr<Backend> makeReferenceBackend(const DeviceOptions& options);

/// Creates the reference kernel of one node, with its work split over `numWorkers`.
/// Fails: UnsupportedOp with the layer as subject, naming op and element type.
std::unique_ptr<Kernel> createReferenceKernel(const Graph& graph, NodeId node, int numWorkers);

}  // namespace strata
