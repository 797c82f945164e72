// SPDX-License-Identifier: Apache-2.0
// The time of a step as a table: one row for each kernel, op or layer, with its rates and how near
// they are to the limits of the device. Also compares two profiles row by row.
// Not here: the records (kernel_profile.h), showing the table (ui/models, app/cli/profile.cpp).
// Thread: the functions are pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/runs/events.h"

namespace strata {

enum class TimeGrouping : uint8_t { Layer, Op, Kernel };

struct TimeRow {
  // The layer, op or kernel; "" is what belongs to no layer
  std::string name;
  // For kernels, and for ops of one layer: what they belong to
  std::string layer, op;
  Phase phase = Phase::Forward;
  // Whether the row is a copy that belongs to no node
  bool isCopy = false;
  // In all profiled steps
  int64_t calls = 0;
  // Microseconds: of a step, and of a call. `shortest` and `longest` are 0 if unknown
  double total = 0, mean = 0, shortest = 0, longest = 0;
  // Of a step. The rest of a step is work of the host, and on some devices rows overlap
  double share = 0;
  // Of a step; 0 if unknown
  double flops = 0, bytes = 0;
  // 0 if unknown
  double flopsPerSecond = 0, bytesPerSecond = 0;
  // Index in KernelProfile::rows for kernels, or -1
  int kernel = -1;
  /// Returns the arithmetic intensity, FLOP per byte; 0 if unknown.
  double intensity() const { return bytes > 0 ? flops / bytes : 0; }
};

/// Returns the rows of a profile, longest first. The phases of a layer or op are different rows.
/// Without records of kernels, the rows of kernels are the nodes, and their rates are unknown.
std::vector<TimeRow> timeRows(const ProfileSnapshot& profile, TimeGrouping grouping);

/// A row of two profiles. A row that only one of them has is 0 in the other.
struct TimeDifference {
  std::string name, layer, op;
  Phase phase = Phase::Forward;
  // Microseconds of a step
  double before = 0, after = 0;
  double change() const { return after - before; }
};
/// Compares two profiles, the largest change first.
std::vector<TimeDifference> compareTimes(const ProfileSnapshot& before,
                                         const ProfileSnapshot& after, TimeGrouping grouping);

}  // namespace strata
