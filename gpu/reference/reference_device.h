// SPDX-License-Identifier: Apache-2.0
// The plain C++ device. It runs every op without libraries or intrinsics. Floating-point ops run
// for f32 and f64, and products and reductions sum in double. It can train every project but is not
// fast. Tests compare the kernels of other devices with it. Other devices use its kernels for ops
// that they do not implement.
// Thread: see Device.
#pragma once

#include <memory>

#include "gpu/host/host_device.h"

namespace strata {

std::unique_ptr<Device> makeReferenceDevice(const DeviceOptions& options);

/// Creates the reference kernel of one node, which splits its work over `numWorkers` workers.
/// Fails: UnsupportedOp, with the layer as subject, if there is no kernel for the op or its element
/// type.
std::unique_ptr<HostKernel> createReferenceKernel(const Graph& graph, NodeId node, int numWorkers);

}  // namespace strata
