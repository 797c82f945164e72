// SPDX-License-Identifier: Apache-2.0
#include "gpu/base/log.h"

#include <cstdio>
#include <mutex>

#include "gpu/base/debug.h"
#include "gpu/base/printable.h"

namespace strata {
namespace {

std::mutex& mutex() {
  static std::mutex instance;
  return instance;
}

LogSink& sink() {
  static LogSink instance;
  return instance;
}

}  // namespace

void logLine(LogLevel level, const std::string& text) {
  if (level == LogLevel::Debug && !debugSettings().isVerbose) return;
  const std::lock_guard lock(mutex());
  if (sink()) {
    sink()(level, text);
    return;
  }
  constexpr const char* kNames[] = {"debug", "info", "warning"};
  std::fprintf(stderr, "strata %s: %s\n", kNames[static_cast<size_t>(level)],
               printable(text, Breaks::Keep).c_str());
}

void setLogSink(LogSink newSink) {
  const std::lock_guard lock(mutex());
  sink() = std::move(newSink);
}

}  // namespace strata
