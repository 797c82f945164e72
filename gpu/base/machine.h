// SPDX-License-Identifier: Apache-2.0
// Facts of this machine that decide how much a process may use. Not here: devices and how they are
// opened (gpu/devices). Thread: any.
#pragma once

#include <cstddef>
#include <string>

namespace strata {

/// Name of the processor as the system gives it; "processor" where it does not.
std::string processorTitle();
/// Processors this process may use: its affinity mask, cut to the control group's quota (rounded
/// up), at least 1.
int usableProcessors();
/// Bytes a process here may use: the machine's memory or the tightest limit of its control groups
/// (v1 or v2).
size_t usableMemoryBytes();
/// Of these, free now.
size_t availableMemoryBytes();

}  // namespace strata
