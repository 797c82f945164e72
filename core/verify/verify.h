// SPDX-License-Identifier: Apache-2.0
// Compares the layers, losses, optimizers, schedules, metrics and training loop of this build with
// a file of reference results. Not here: making such files. Thread: pure functions.
#pragma once

#include <string>
#include <vector>

namespace strata {

struct VerifyRow {
  enum class State { Passed, Failed, Skipped };
  std::string id, kind;
  State state = State::Passed;
  double largestError = 0, tolerance = 0;
  // Failed: the tensor with the largest error, or what is wrong; Skipped: the name of the missing
  // type
  std::string message;
};

struct VerifyReport {
  std::vector<VerifyRow> rows;
};

/// `device`: a name for openDevice. A case is skipped only if this build lacks its layer, loss,
/// optimizer, schedule or metric type.
/// Fails: InvalidFile for a manifest or tensor file that can't be read.
VerifyReport verifyManifest(const std::string& path, const std::string& device);

}  // namespace strata
