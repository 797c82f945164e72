// SPDX-License-Identifier: Apache-2.0
// Compares the layers, losses, optimizers, schedules, metrics and training loop of this build with
// a file of reference results. Not here: making reference files.
// Thread: the function has no shared state, so any thread may call it.
#pragma once

#include <string>
#include <vector>

namespace strata {

struct VerifyRow {
  enum class State { Passed, Failed, Skipped };
  std::string id, kind;
  State state = State::Passed;
  double largestError = 0, tolerance = 0;
  // For a failed case, the tensor with the largest error, or the problem. For a skipped case, the
  // name of the missing type.
  std::string message;
};

struct VerifyReport {
  std::vector<VerifyRow> rows;
};

/// Verifies all cases of a manifest. `device` is a name for openDevice. A case is skipped only if
/// this build lacks its type of layer, loss, optimizer, schedule or metric. Fails: InvalidFile if
/// the manifest or a tensor file cannot be read, or the description of a case is damaged.
VerifyReport verifyManifest(const std::string& path, const std::string& name);

}  // namespace strata
