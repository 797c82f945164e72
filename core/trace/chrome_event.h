// SPDX-License-Identifier: Apache-2.0
// One event of a Chrome trace, as in the file. Of its arguments, only what the timeline shows or
// needs for links is kept.
// Not here: what events mean together (chrome_reader.h).
// Thread: only one thread at a time may use an object.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/trace/json_tokens.h"
#include "core/trace/trace.h"

namespace strata {

/// A time of a file. Files have microseconds with any number of digits. Rounding begin and duration
/// separately could move the end of an event beyond the event that contains it.
struct ChromeTime {
  int64_t nanoseconds = 0;
  // 0 to 999, also of negative times
  int32_t picoseconds = 0;
};
/// Reads microseconds, or returns nullopt.
std::optional<ChromeTime> parseMicroseconds(std::string_view text);
/// Returns the nanoseconds of the sum, or nullopt if it is too large.
std::optional<int64_t> sumOf(const ChromeTime& begin, const ChromeTime& duration);

struct ChromeEvent {
  char phase = 0;
  std::string name, category, pid, tid, id, scope, bindingPoint;
  std::optional<ChromeTime> time, duration;
  // Arguments: the name and the place of metadata
  std::string newName;
  std::optional<int64_t> newPlace;
  std::string op, layer, computePhase, memoryKind, memoryNumber;
  std::optional<uint64_t> externalId, correlation;
  std::optional<double> allocated;
  TraceWork work;
  // Numeric arguments of a counter
  std::vector<std::pair<std::string, double>> values;
  bool hasWork() const { return work != TraceWork(); }
  void clear();
};

/// Reads the rest of an object that has begun. A member of another type than expected counts as
/// missing. Fails: InvalidFile.
void readChromeEvent(JsonTokens& tokens, ChromeEvent& event);

}  // namespace strata
