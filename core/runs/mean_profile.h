// SPDX-License-Identifier: Apache-2.0
// The mean step of a run so far, from the snapshots of its profile. The run's files have it at the
// end, and the window shows it while the run trains. Single snapshots vary, because other programs
// disturb some steps.
// Not here: measuring (core/train/step_profile.h).
// Thread: a value type.
#pragma once

#include <memory>

#include "core/runs/events.h"

namespace strata {

class MeanProfile {
 public:
  /// Adds a snapshot in which nodes were measured. It counts by the time of its measured steps.
  /// A card has no records of its first steps, whose times contain waiting for other cards, so they
  /// are dropped once there are records.
  void add(const ProfileSnapshot& snapshot);
  /// Returns the mean of all snapshots; null before the first one. Times of kernels that the clock
  /// of this machine measured are those of their nodes.
  std::shared_ptr<ProfileSnapshot> mean() const;

 private:
  // Its rows are sums over its steps
  ProfileSnapshot m_sum;
};

}  // namespace strata
