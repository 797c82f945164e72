// SPDX-License-Identifier: Apache-2.0
// Reads traces in Chrome's JSON format, as chrome://tracing, Perfetto, the PyTorch profiler and
// Strata write them, also compressed with gzip. The file is read in blocks, so it may be larger
// than the memory. Snapshots show what has been read so far.
// Not here: Strata's own trace files (binary_trace.h).
// Thread: the function may be called by any thread, and calls `onSnapshot` in that thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

#include "core/trace/trace.h"
#include "core/trace/trace_builder.h"

namespace strata {

struct TraceReadOptions {
  std::stop_token stop = {};
  /// Receives what has been read so far, and the part of the file that this is (0 to 1).
  std::function<void(TracePointer, double)> onSnapshot = {};
  std::chrono::milliseconds interval{300};
  TraceLimits limits = {};
  // Of the JSON text, also of a compressed file
  uint64_t maxBytes = uint64_t{16} << 30;
};

/// Reads a file. A file that ends too early gives the events that it has, and a note. Fails:
/// InvalidFile (not JSON, not a trace, too large); IoFailure; Stopped.
TracePointer readChromeTrace(const std::string& path, const TraceReadOptions& options = {});

}  // namespace strata
