// SPDX-License-Identifier: Apache-2.0
// Strata's own trace files, which are small and read fast (`trace.bin`).
// Not here: other formats (chrome_reader.h, trace_export.h).
//
// File format, little-endian. A text is u32 bytes and UTF-8. A list is u32 count and its elements.
//   "STRATAT1", u32 version (1), u32 zero, i64 origin
//   list of texts; the first one is empty
//   list of works: i64 grid[3], block[3], registers, shared bytes, f64 theoretical occupancy,
//     occupancy, flops, bytes
//   list of records: u32 name, category, layer, op, phase (texts), work
//   list of processes, in the order in which they are shown: text name
//   list of lanes, in the order in which they are shown: u32 process, u32 kind (0 host, 1 device),
//     text name, list of rows, list of marks
//     row: list of events, at least one, sorted and without overlaps
//       event: u64 begin << 16 | duration >> 32, u64 duration << 32 | record
//     mark: i64 time, u32 record
//   list of marks of all lanes
//   list of counters: u32 process, text name, text series, list of (i64 time, f64 value)
//   list of links: u32 lane, u32 lane, event, event
//   list of notes: u32 kind, i64 count, text example
//   16 hexadecimal digits: XXH3-64 of everything before
// Thread: the functions only access the file system, so any thread may call them.
#pragma once

#include <stop_token>
#include <string>

#include "core/trace/trace.h"
#include "core/trace/trace_export.h"

namespace strata {

void printBinaryTrace(const Trace& trace, const TraceSink& sink);
/// Fails: InvalidFile (with the byte; the whole file is checked before anything is returned),
/// IoFailure, Stopped.
TracePointer readBinaryTrace(const std::string& path, const std::stop_token& stop = {});
/// Whether a file begins like one of this format. Fails with the errors of FileBytes.
bool isBinaryTrace(const std::string& path);

}  // namespace strata
