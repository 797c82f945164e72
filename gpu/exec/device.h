// SPDX-License-Identifier: Apache-2.0
// What this machine offers a run; devices are opened through gpu/exec/backend.h. Thread: any.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace strata {

/// Name of the processor as the system gives it; "processor" where it does not.
std::string processorTitle();
/// Bytes a process here may use: the machine's memory or the tightest limit of its control groups (v1 or v2).
size_t usableMemoryBytes();
/// Of these, free now.
size_t availableMemoryBytes();
/// Every name that may be switched off: the standard passes and those of every backend, whichever device is used.
std::vector<std::string> passNames();

}  // namespace strata
