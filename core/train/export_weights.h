// SPDX-License-Identifier: Apache-2.0
// Export that proves itself: writes the file, reads it again and compares the network's outputs.
// Thread: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/project/project.h"

namespace strata {

struct ExportReport {
  int64_t tensors = 0;
  uint64_t bytes = 0;
  // Up to 100 of the test data
  int64_t comparedSamples = 0;
  // What the source called otherwise, what was passed over
  std::vector<std::string> notes;
  // Between outputs with the original and the re-read weights
  double largestDifference = 0;
};

/// `weights`: a file of weights or a run directory; `target`: .safetensors or .npz (other suffixes:
/// UnsupportedOp "not in this version").
/// Fails: IoFailure, InvalidFile; the target is whole or untouched.
ExportReport exportWeights(const Project& project, const std::string& weights,
                           const std::string& target);

}  // namespace strata
