// SPDX-License-Identifier: Apache-2.0
// Tells how many processors and how much memory this process may use. Devices are listed and opened
// in gpu/devices. Thread: any.
#pragma once

#include <cstddef>
#include <string>

namespace strata {

/// Returns the processor's name from the system, or "processor" if the system does not report one.
std::string processorTitle();
/// Returns the name of this machine in its network, or "unknown host".
std::string hostName();
/// Returns the number of processors in this process's affinity mask, limited by the control group's
/// quota (rounded up). The result is at least 1 and is computed only once.
int usableProcessors();
/// Returns the machine's memory in bytes, or the lowest limit of this process's control groups (v1
/// or v2) if that is less.
size_t usableMemoryBytes();
/// Returns how many bytes this process can still allocate now without exceeding the machine's
/// memory or its control groups' limit.
size_t availableMemoryBytes();

}  // namespace strata
