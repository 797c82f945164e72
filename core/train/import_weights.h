// SPDX-License-Identifier: Apache-2.0
// Imports weights by name, either into a project, which then starts with them, or into a file of
// another format. Not here: matching names (core/interchange). Thread: the functions only access
// the file system.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace strata {

struct ImportReport {
  int64_t tensors = 0;
  // Path of the written file
  std::string weights;
  // Whether the target is a project, which now starts with the weights in this file
  bool isProject = false;
  // Whether a file with this name existed before
  bool isReplaced = false;
  // Notes about tensors that were renamed or ignored
  std::vector<std::string> notes;
};

/// Imports the weights in `file`. `target` is an existing project, or a .safetensors or .npz file
/// to write. The weights of a project are written next to it as STEM.weights.safetensors, and
/// /training/initial_weights is set to this file. All files are written atomically. Fails:
/// InvalidFile with file and tensor; InvalidProject; UnsupportedOp (suffix); IoFailure.
ImportReport importWeights(const std::string& file, const std::string& target);

}  // namespace strata
