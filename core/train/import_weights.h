// SPDX-License-Identifier: Apache-2.0
// Imports weights by name: into a project, which then starts from them, or into a file of another
// format. Not here: matching names (core/interchange). Thread: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace strata {

struct ImportReport {
  int64_t tensors = 0;
  // The file written
  std::string weights;
  // The target is a project, which now starts from that file
  bool isProject = false;
  // A file of that name existed before
  bool isReplaced = false;
  // Notes about tensors that were renamed or ignored
  std::vector<std::string> notes;
};

/// `target`: an existing project, or the .safetensors or .npz file to write. The weights of a
/// project are written next to it as STEM.weights.safetensors, and /training/initial_weights names
/// them. All files are written atomically. Fails: InvalidFile with file and tensor, InvalidProject,
/// UnsupportedOp (suffix), IoFailure.
ImportReport importWeights(const std::string& file, const std::string& target);

}  // namespace strata
