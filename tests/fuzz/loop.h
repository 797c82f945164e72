// SPDX-License-Identifier: Apache-2.0
// Runs the mutants of targets, each target in its own process, so that a crash or a hang becomes a
// finding. Thread: one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "tests/fuzz/target.h"

namespace strata::fuzz {

struct LoopOptions {
  uint64_t mutants = 1000, seed = 1;
  // Number of targets at a time.
  int jobs = 1;
  // Only this mutant, in this process, for a debugger.
  std::optional<uint64_t> only;
  // Where findings are saved.
  std::filesystem::path kept = "fuzz-findings";
};

/// Limits of one mutant.
constexpr unsigned kMaxSeconds = 20;
constexpr size_t kMaxHeapBytes = size_t{512} << 20;

/// Prints one row per target and one line per finding. Returns the number of findings.
uint64_t runTargets(const std::vector<Target>& targets, const LoopOptions& options);

}  // namespace strata::fuzz
