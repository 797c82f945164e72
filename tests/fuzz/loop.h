// SPDX-License-Identifier: Apache-2.0
// Gives damaged files (mutants) to the targets. Each target has its own process, so that a crash or
// a hang becomes a finding. Only the main thread may call these functions.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "tests/fuzz/target.h"

namespace strata::fuzz {

struct LoopOptions {
  uint64_t mutants = 1000, seed = 1;
  // The number of targets that run at the same time.
  int jobs = 1;
  // If set, only this mutant is read. No child process is started, so that a debugger can be used.
  std::optional<uint64_t> only;
  // The folder for mutants that caused findings.
  std::filesystem::path kept = "fuzz-findings";
};

/// The limits for reading one mutant.
constexpr unsigned kMaxSeconds = 20;
constexpr size_t kMaxHeapBytes = size_t{512} << 20;

/// Runs all targets. Prints one row per target and one line per finding. Returns the number of
/// findings.
uint64_t runTargets(const std::vector<Target>& targets, const LoopOptions& options);

}  // namespace strata::fuzz
