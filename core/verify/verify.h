// SPDX-License-Identifier: Apache-2.0
// Runs a file of reference results through this build's layers, losses, optimizers, metrics and
// training loop. Thread: pure.
#pragma once

#include <string>
#include <vector>

namespace strata {

struct VerifyRow {
  enum class State { Passed, Failed, Skipped };
  std::string id, kind;
  State state = State::Passed;
  double largestError = 0, tolerance = 0;
  // Of Failed: which tensor is off; of Skipped: the missing type by name
  std::string message;
};

struct VerifyReport {
  std::vector<VerifyRow> rows;
};

/// `device`: as openDevice. A case is skipped only when its layer, loss, optimizer, schedule or
/// metric type is missing from this build.
/// Fails: InvalidFile for a manifest or tensor file that can't be read.
VerifyReport verifyManifest(const std::string& path, const std::string& device);

}  // namespace strata
