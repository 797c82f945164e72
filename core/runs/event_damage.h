// SPDX-License-Identifier: Apache-2.0
// Says whether the events of a run are damaged. Training does not depend on them, but the lists and
// reports of runs do. Not here: reading the events (run_directory.h).
// Thread: the function only accesses the file system.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/runs/run_directory.h"

namespace strata {

/// What readRun() found in events.jsonl.
struct FoundEvents {
  bool hasStart = false, hasEnd = false;
  // Complete lines that are not JSON objects
  int64_t numUnreadable = 0;
};

/// Returns a sentence about damage to the events of a run, or "". A run that was killed lacks its
/// end, and perhaps a part of its last line, which is no damage. `weightsStep` is the step of the
/// recorded weights of the run.
std::string eventDamage(const RunInfo& info, const FoundEvents& found,
                        std::optional<int64_t> weightsStep);

}  // namespace strata
