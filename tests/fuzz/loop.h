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
  // Targets at once
  int jobs = 1;
  // This mutant alone, in this process: for a debugger
  std::optional<uint64_t> only;
  // Mutants that are findings
  std::filesystem::path kept = "fuzz-findings";
};

/// Limits of one mutant.
constexpr unsigned kMostSeconds = 20;
constexpr size_t kMostHeapBytes = size_t{512} << 20;

/// Prints a row a target and a line a finding. Answers the number of findings.
uint64_t runTargets(const std::vector<Target>& targets, const LoopOptions& options);

}  // namespace strata::fuzz
