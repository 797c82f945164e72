// SPDX-License-Identifier: Apache-2.0
// The backend of plain C++: no library, no intrinsics, every op for f32 and f64, sums in double. It
// suffices to train everything, is what other backends' kernels are tested against, and lends its
// kernels to them for ops they have no own kernel for. It is not fast.
// Thread: as Backend.
#pragma once

#include <memory>

#include "gpu/exec/backend.h"

namespace strata {

std::unique_ptr<Backend> makeReferenceBackend(const DeviceOptions& options);

/// The reference kernel of one node, whose work is split over `numWorkers`.
/// Fails: UnsupportedOp with the layer as subject, naming op and element type.
std::unique_ptr<Kernel> createReferenceKernel(const Graph& graph, NodeId node, int numWorkers);

}  // namespace strata
