// SPDX-License-Identifier: Apache-2.0
// Diagnostic lines for debugging, written to the standard error stream or to a sink that a program
// sets. Results, progress and errors are returned as values instead. Thread: any.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace strata {

// Debug lines appear only with STRATA_DEBUG=1
enum class LogLevel : unsigned char { Debug, Info, Warning };

void logLine(LogLevel level, const std::string& text);

using LogSink = std::function<void(LogLevel, std::string_view)>;
/// Sets where lines go from now on; empty: the standard error stream. The sink is called under a
/// lock and must not log.
void setLogSink(LogSink sink);

}  // namespace strata
