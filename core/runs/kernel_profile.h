// SPDX-License-Identifier: Apache-2.0
// The kernels that a device ran in the profiled steps of a run: sums by kernel, and the last steps
// record by record.
// Not here: measuring (gpu/exec), files (profile_file.h, trace_file.h).
// Thread: plain values.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/cost/speed_limits.h"
#include "gpu/exec/kernel_record.h"

namespace strata {

/// The executions of one kernel for one node, with the same grid. `record` has what they share;
/// its times and its work are those of one execution.
struct KernelRow {
  KernelRecord record;
  int64_t calls = 0;
  std::chrono::nanoseconds total{0};
  // The shortest and the longest execution; both 0 if they are not known
  std::chrono::nanoseconds shortest{0}, longest{0};
  double flopsPerSecond() const;
  double bytesPerSecond() const;
};

/// The memory of a device while an instruction runs, by category.
struct MemorySample {
  int instruction = 0;
  // By Category
  std::array<size_t, kNumCategories> bytes{};
};

/// A profiled step, record by record.
struct TracedStep {
  struct Entry {
    // Index in KernelProfile::rows
    int row = 0;
    std::chrono::nanoseconds start{0}, duration{0};
  };
  // Number of the step
  int64_t step = 0;
  std::vector<Entry> entries;
  /// Returns the time from the first record to the end of the last one.
  std::chrono::nanoseconds duration() const;
};

struct KernelProfile {
  std::string device;
  StepRecords::Source source = StepRecords::Source::None;
  // Why there are no records although steps were profiled; empty otherwise
  std::string problem;
  // Number of profiled steps in `rows`
  int64_t steps = 0;
  std::vector<KernelRow> rows;
  // The last profiled steps, oldest first
  std::deque<TracedStep> traced;
  // The memory of a step, by instruction
  std::vector<MemorySample> memory;
  // What the device could do at best, and the precision of the run
  SpeedLimits limits;
  std::string precision;
  // What the driver, its libraries and the copies of inputs and results take on a card
  size_t contextBytes = 0, transferBytes = 0;

  size_t maxTraced = 3;
  /// Whether no other kernel of the node took longer. The rates of a row are those of its node, so
  /// they are shown there alone.
  bool isMain(const KernelRow& row) const;
  /// Adds the records of a step.
  void add(int64_t step, const StepRecords& records);
};

/// Returns "host clock", "card", "predicted" or "none".
std::string_view sourceName(StepRecords::Source source);

}  // namespace strata
