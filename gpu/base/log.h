// SPDX-License-Identifier: Apache-2.0
// Lines for whoever looks for a cause: to the standard error stream, or to a sink that a program
// sets. Not for results, progress or errors of a person's work: those are values. Thread: any.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace strata {

// Debug lines appear with STRATA_DEBUG=1 alone
enum class LogLevel : unsigned char { Debug, Info, Warning };

void logLine(LogLevel level, const std::string& text);

using LogSink = std::function<void(LogLevel, std::string_view)>;
/// Where lines go from now on; empty: the standard error stream. The sink is called under a lock
/// and must not log.
void setLogSink(LogSink sink);

}  // namespace strata
