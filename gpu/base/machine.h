// SPDX-License-Identifier: Apache-2.0
// How many processors and how much memory this process may use. Not here: devices and how they are
// opened (gpu/devices). Thread: any.
#pragma once

#include <cstddef>
#include <string>

namespace strata {

/// The processor's name as the system reports it, or "processor".
std::string processorTitle();
/// The number of processors this process may use: its affinity mask, limited by the control group's
/// quota (rounded up), at least 1.
int usableProcessors();
/// The bytes this process may use: the machine's memory or the lowest limit of its control groups
/// (v1 or v2).
size_t usableMemoryBytes();
/// The part of usableMemoryBytes() that is free now.
size_t availableMemoryBytes();

}  // namespace strata
