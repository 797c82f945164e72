// SPDX-License-Identifier: Apache-2.0
// Writes a trace for other programs: as JSON that Perfetto and chrome://tracing open, and as a CSV
// table. The text is given to `sink` in pieces, because a trace may be larger than the memory.
// Not here: Strata's own files (binary_trace.h).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/project/atomic_file.h"
#include "core/trace/trace.h"

namespace strata {

using TraceSink = std::function<void(std::string_view)>;

/// Writes Chrome's JSON format. Links become flows. `about` has the members of "otherData".
void printChromeTrace(const Trace& trace, const TraceSink& sink,
                      const std::vector<std::pair<std::string, std::string>>& about = {});
/// Writes one line for each event.
void printEventTable(const Trace& trace, const TraceSink& sink);
/// Writes a file by its suffix: .csv, .json, or otherwise Strata's own format. Replaces the file as
/// a whole. Fails: IoFailure, InvalidFile.
void writeTraceFile(const std::string& path, const Trace& trace, Links links = Links::Follow);

}  // namespace strata
