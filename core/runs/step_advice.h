// SPDX-License-Identifier: Apache-2.0
// Advice on the time of a step: what takes much of it, with the figure, and what to change.
// Not here: the figures (step_breakdown.h, kernel_profile.h), advice on memory (core/train/plan.h).
// Thread: the function is pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/project/diagnostic.h"

namespace strata {

struct ProfileSnapshot;

struct StepAdvice {
  // What takes time and what helps, such as "Waiting for data is 31% of a step: ..."
  Phrase sentence;
  // The part of the step that it is about
  double share = 0;
  // The change as an edit of the project; absent if there is no single one
  std::optional<Fix> fix;
};

/// Returns advice on a profile, the largest part first. `batchSize` is that of the run, and
/// `processors` the number of cores of its machine.
std::vector<StepAdvice> adviceOn(const ProfileSnapshot& profile, int64_t batchSize, int processors);

}  // namespace strata
