// SPDX-License-Identifier: Apache-2.0
// Rules that say which runs to keep. A plan says what would go and why; it deletes nothing. The
// best run, the last run, archived and kept runs, runs that train and runs from which a remaining
// run starts always stay. Not here: deleting (trash.h).
// Thread: retentionPlan() is pure. applyRetention() accesses the file system.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/run_list/run_table.h"
#include "core/run_list/trash.h"

namespace strata {

/// Each of the first three rules keeps some runs. If any of them is set, runs that none of them
/// keeps go; otherwise only the size decides.
struct RetentionRules {
  // Keep the newest runs
  std::optional<int64_t> keepLast = {};
  // Keep the best runs by `metric`
  std::optional<int64_t> keepBest = {};
  // Keep runs that started within this number of days
  std::optional<double> keepDays = {};
  // Remove the oldest of the other runs until all runs have at most this size
  std::optional<uint64_t> maxBytes = {};
  // A column of the table with numbers, such as "best_val_accuracy"; "" for the best validation
  // loss, or else the test loss. Decides which run is the best.
  std::string metric = {};
  // For a column without a direction
  Direction direction = Direction::None;
};

/// Why a run stays or goes.
enum class RetentionReason : uint8_t {
  // These runs stay
  Training,
  Best,
  Last,
  Archived,
  Kept,
  NeededBy,
  AmongLast,
  AmongBest,
  Young,
  FitsSize,
  // These runs go
  NoRule,
  TooLarge,
};
bool isStaying(RetentionReason reason);
/// Returns the reason as a clause in English, such as "is the best run".
std::string retentionText(RetentionReason reason);

struct RetentionEntry {
  // listedAt of the run
  std::string run;
  std::string title;
  int number = 0;
  uint64_t bytes = 0;
  RetentionReason reason = RetentionReason::NoRule;
  // For NeededBy: listedAt of a run that stays and starts from this one
  std::string neededBy;
  Json toJson() const;
};

struct RetentionPlan {
  // All runs of the table, in its order
  std::vector<RetentionEntry> staying, going;
  uint64_t goingBytes = 0, stayingBytes = 0;
  // Whether the runs that stay still exceed RetentionRules::maxBytes
  bool exceedsSize = false;
  Json toJson() const;
};

/// Returns what would go. `now` is a time in seconds since 1970. Fails: InvalidArgument if no rule
/// is set, if the metric is unknown or has no numbers, or if it needs a direction.
RetentionPlan retentionPlan(const std::vector<RunRow>& rows, const RetentionRules& rules,
                            int64_t now);
/// Deletes the runs of a plan. Runs that began to train, that were marked as kept or archived, or
/// that a run starts from since the plan was made, stay and are in Deletion::refused.
Deletion applyRetention(const RetentionPlan& plan);
/// Returns the seconds since 1970 of a time such as "2026-11-21T19:05:00Z", or nullopt.
std::optional<int64_t> secondsOfTime(const std::string& text);

}  // namespace strata
