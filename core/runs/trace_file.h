// SPDX-License-Identifier: Apache-2.0
// Makes a trace of the kernels of a run, and writes them for other programs: as a file that
// Perfetto and chrome://tracing open, and as a table.
// Not here: the profile itself (kernel_profile.h, profile_file.h).
// Thread: the functions only access the file system.
#pragma once

#include <stop_token>
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
/// Returns recorded steps in Chrome's JSON format. The text begins like that of the other function.
std::string printTrace(const Trace& trace, const KernelProfile& kernels);
/// Returns the file with the recorded steps of a run.
std::string runTracePath(const std::string& runDirectory);
/// Writes this file as a whole. Fails: IoFailure.
void writeRunTrace(const std::string& runDirectory, const Trace& trace);
/// Reads it. Returns null if there is none. Fails: InvalidFile; IoFailure; Stopped.
TracePointer readRunTrace(const std::string& runDirectory, const std::stop_token& stop = {});
/// Returns a CSV table with one line for each kernel of each node.
std::string printKernelTable(const KernelProfile& kernels);

}  // namespace strata
