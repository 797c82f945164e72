// SPDX-License-Identifier: Apache-2.0
// The fast CPU device. It runs its own kernels. If this build includes oneDNN, it also uses oneDNN
// for the convolutions that are faster with it. The reference kernels run rare ops and most element
// types other than f32.
// Thread: see Device.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gpu/host/host_device.h"

namespace strata {

std::unique_ptr<Device> makeCpuDevice(const DeviceOptions& options);
/// Returns the graph passes that only this device runs.
std::vector<Pass> cpuPasses();

/// Creates the kernel of one node for `numWorkers` workers, as the device does. Fails:
/// UnsupportedOp, which names op and layer.
std::unique_ptr<HostKernel> createCpuKernel(const Graph& graph, NodeId node, int numWorkers);
/// Creates a variant of the kernel, or returns null if there is no variant of this name.
std::unique_ptr<HostKernel> createCpuVariant(const Graph& graph, NodeId node, int numWorkers,
                                             std::string_view variant);
/// Returns the variants of the kernel that createCpuVariant() can create.
std::vector<OtherVariant> cpuVariants(const Graph& graph, NodeId node, int numWorkers);
DeviceTraits cpuTraits();
/// Returns Device::identity() of the device: processor, instruction set, threads and libraries.
std::string cpuIdentity(int numWorkers);
/// Returns the names and versions of the libraries that kernels use, such as {"oneDNN", "2.6.3"}.
std::vector<std::pair<std::string, std::string>> cpuLibraries();

}  // namespace strata
