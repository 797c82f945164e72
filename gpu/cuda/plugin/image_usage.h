// SPDX-License-Identifier: Apache-2.0
// Reads from the embedded kernels how many registers and how much shared memory each one takes, so
// that simulated cards can report it.
// Thread: any.
#pragma once

#include <cstddef>
#include <string>

namespace strata::plugin {

struct KernelUsage {
  // Per thread; 0 if unknown
  int registers = 0;
  size_t sharedBytes = 0;
};

/// Returns what the kernel takes on the newest embedded architecture that is not newer than
/// `architecture` (such as 90), or if there is none, on the oldest one.
KernelUsage usageOf(const std::string& kernel, int architecture);

}  // namespace strata::plugin
