// SPDX-License-Identifier: Apache-2.0
// Exports weights to a file, and verifies the file. The verification reads the file again, and
// compares the outputs of the network. Not here: the file formats (core/interchange). Thread: the
// functions only access the file system.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/project/project.h"

namespace strata {

struct ExportReport {
  int64_t tensors = 0;
  uint64_t bytes = 0;
  // Number of compared samples: up to 100 samples of the test set, or of the training set if there
  // is no test set
  int64_t comparedSamples = 0;
  // Notes about tensors of the source that were renamed or ignored
  std::vector<std::string> notes;
  // Largest difference between the outputs with the original weights and with those of the file
  double largestDifference = 0;
};

/// Exports weights. `weights` is a weights file or a run directory. `target` is a .safetensors or
/// .npz file, which is written atomically. Fails: UnsupportedOp for other suffixes; IoFailure;
/// InvalidFile.
ExportReport exportWeights(const Project& project, const std::string& weights,
                           const std::string& target);

}  // namespace strata
