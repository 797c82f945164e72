// SPDX-License-Identifier: Apache-2.0
// What a device did in one profiled step: every kernel, library call and copy with its time. All
// devices fill the same records; what a device does not have, such as a grid, is 0.
// Not here: sums over steps (core/runs/kernel_profile.h).
// Thread: plain values.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpu/base/clock.h"
#include "gpu/graph/node.h"

namespace strata {

/// One execution of a kernel, a library call or a copy.
struct KernelRecord {
  // The name of the kernel, or "copy to the device" and the like
  std::string name;
  // The queue that it ran in: "compute", "copies"
  std::string stream;
  // Index of the instruction, or -1 if it belongs to no node, such as the copy of a batch
  int instruction = -1;
  // The node's; Program fills them in
  std::string op, layer;
  Phase phase = Phase::Forward;
  // Since the first record of the step
  std::chrono::nanoseconds start{0}, duration{0};
  std::array<int64_t, 3> grid{}, block{};
  // Per thread
  int registers = 0;
  size_t sharedBytes = 0;
  // The part of a multiprocessor's warps that registers, shared memory and block size allow
  double theoreticalOccupancy = 0;
  // The part that the grid fills on average if all blocks take equally long
  double occupancy = 0;
  // The node's work by the rules of its op, divided among its records by their times; for a copy,
  // its bytes
  double flops = 0, bytes = 0;
};

/// The records of one step, ordered by stream and start.
struct StepRecords {
  enum class Source : uint8_t {
    None,
    // The clock of this machine
    HostClock,
    // The card, by CUPTI
    Card,
    // A simulated card
    Predicted
  };
  Source source = Source::None;
  std::vector<KernelRecord> records;
  // When the first record began, if the clock of the records is that of this machine
  std::optional<Clock::time_point> began;
  // Why there are none although the step was profiled; empty otherwise
  std::string problem;
};

}  // namespace strata
