// SPDX-License-Identifier: Apache-2.0
#include "core/trace/trace.h"

#include "core/project/text.h"

namespace strata {

size_t TraceLane::numEvents() const {
  size_t count = 0;
  for (const TraceRow& row : rows)
    count += row.events.size();
  return count;
}

size_t Trace::numEvents() const {
  size_t count = 0;
  for (const auto& lane : lanes)
    count += lane->numEvents();
  return count;
}

/// Returns the sentence of a kind of note, with the place of its count (%1) and example (%2).
static Text sentenceOf(TraceNote::Kind kind) {
  switch (kind) {
    case TraceNote::Kind::Truncated:
      return STRATA_TEXT("TraceNote",
                         "The file ends early (%2). The program that wrote it was probably "
                         "stopped. The events up to there are shown.");
    case TraceNote::Kind::UnknownPhase:
      return STRATA_TEXT("TraceNote",
                         "Events of unknown kinds that are not shown: %1 (the first one: %2)");
    case TraceNote::Kind::BadEvent:
      return STRATA_TEXT("TraceNote",
                         "Events with missing or invalid members that are not shown: %1 (the "
                         "first one: %2)");
    case TraceNote::Kind::Unmatched:
      return STRATA_TEXT("TraceNote",
                         "Begins without an end, or ends without a begin: %1 (the first one: %2)");
    case TraceNote::Kind::OutOfRange:
      return STRATA_TEXT("TraceNote",
                         "Events more than 39 hours from the others that are not shown: %1 (the "
                         "first one: %2)");
    case TraceNote::Kind::OverLimit:
      return STRATA_TEXT("TraceNote",
                         "Parts of the trace that are not shown, because it is too large: %1 (the "
                         "first one: %2)");
    case TraceNote::Kind::NoKernels:
      return STRATA_TEXT("TraceNote",
                         "Recorded steps whose kernels are unknown: %1 (the first one: %2)");
  }
  return {};
}

std::string noteText(const TraceNote& note) {
  return formatText(sentenceOf(note.kind), {std::to_string(note.count), asOneLine(note.example)});
}

}  // namespace strata
