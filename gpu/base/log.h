// SPDX-License-Identifier: Apache-2.0
// Writes diagnostic lines to the standard error stream, or to a sink that the program sets.
// Results, progress and errors are not logged: functions return or throw them. Thread: any.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace strata {

// Debug lines are only written with STRATA_DEBUG=1
enum class LogLevel : unsigned char { Debug, Info, Warning };

void logLine(LogLevel level, const std::string& text);

using LogSink = std::function<void(LogLevel, std::string_view)>;
/// Sends all further lines to `sink`, or to the standard error stream if `sink` is empty. The sink
/// must not call these functions, because they hold a lock while it runs.
void setLogSink(LogSink sink);

}  // namespace strata
