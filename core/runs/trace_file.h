// SPDX-License-Identifier: Apache-2.0
// Makes a trace of the kernels of a run, and writes them for other programs: as a file that
// Perfetto and chrome://tracing open, and as a table.
// Not here: the profile itself (kernel_profile.h, profile_file.h).
// Thread: the functions only access the file system.
#pragma once

#include <string>

#include "core/runs/kernel_profile.h"
#include "core/trace/trace.h"

namespace strata {

/// Returns the traced steps. The device is a process, its streams are lanes. A step contains slices
/// of layers, which contain slices of kernels; records that overlap on one stream go to another
/// lane. The memory by category is a counter.
TracePointer traceOf(const KernelProfile& kernels);
/// Returns the same in Chrome's JSON format.
std::string printTrace(const KernelProfile& kernels);
/// Returns a CSV table with one line for each kernel of each node.
std::string printKernelTable(const KernelProfile& kernels);

}  // namespace strata
