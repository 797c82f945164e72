// SPDX-License-Identifier: Apache-2.0
// Writes the kernels of a run for other programs: a trace that Perfetto and chrome://tracing open,
// and a table.
// Not here: the profile itself (kernel_profile.h, profile_file.h).
// Thread: the functions only access the file system.
#pragma once

#include <string>

#include "core/runs/kernel_profile.h"

namespace strata {

/// Returns the traced steps in Chrome's JSON format. The device is a process, its streams are
/// threads. A step contains slices of layers, which contain slices of kernels; records that overlap
/// on one stream go to another thread. The memory by category is a counter.
std::string printTrace(const KernelProfile& kernels);
/// Returns a CSV table with one line for each kernel of each node.
std::string printKernelTable(const KernelProfile& kernels);

}  // namespace strata
