// SPDX-License-Identifier: Apache-2.0
// Weights made elsewhere, taken by name: into a project, which then starts from them, or into a
// file of another format. Thread: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace strata {

struct ImportReport {
  int64_t tensors = 0;
  // The file written
  std::string weights;
  // A project starts from it now
  bool isProject = false;
  // A file of that name was there
  bool isReplaced = false;
  // What was called otherwise, what was passed over
  std::vector<std::string> notes;
};

/// `target`: a project that is there (its weights go beside it as STEM.weights.safetensors, and
/// /training/initial_weights names them), or the .safetensors or .npz file to write. Fails:
/// InvalidFile naming file and tensor, InvalidProject, UnsupportedOp (suffix), IoFailure; project
/// and files are whole or untouched.
ImportReport importWeights(const std::string& file, const std::string& target);

}  // namespace strata
