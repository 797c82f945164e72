// SPDX-License-Identifier: Apache-2.0
// Checks launches of kernels and library calls, and adds them to a stream.
// Thread: the caller of addLaunch() holds the lock of the driver; addCall() takes it.
#pragma once

#include <memory>

#include "gpu/simulated/card.h"

namespace strata::simulated {

// Threads of a block
inline constexpr int kMaxThreads = 1024;

/// Adds a kernel with these arguments to the stream. Returns a result of the driver.
int addLaunch(CUstream stream, const emulated::Kernel& kernel, const emulated::Index& grid,
              const emulated::Index& block, size_t sharedBytes, void** arguments);

/// Adds a library call of a kind (STRATA_CALL_...) to the stream; a negative one is of no library
/// that takes memory. `name` is its name in records, and is never freed.
int addCall(CUstream stream, std::shared_ptr<const HostCall> call, int32_t kind,
            const CallSpeed& speed, const CUdeviceptr* addresses, size_t numAddresses,
            CUdeviceptr workspace, const char* name);

}  // namespace strata::simulated
