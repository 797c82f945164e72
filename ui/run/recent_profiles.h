// SPDX-License-Identifier: GPL-3.0-or-later
// The last snapshots of a run's profile, and their medians. Single snapshots vary, because other
// programs disturb some steps. All views of a run show the medians. Not here: measuring
// (core/train/step_profile.h). Thread: a value type.
#pragma once

#include <deque>
#include <memory>

#include "core/runs/events.h"

namespace strata::ui {

class RecentProfiles {
 public:
  /// Adds the next snapshot, in which nodes were measured. Returns the medians of the last
  /// snapshots.
  std::shared_ptr<const ProfileSnapshot> add(std::shared_ptr<const ProfileSnapshot> profile);
  /// Drops all snapshots but the last one, which the end of a run computes from all steps, and
  /// returns it. Returns null if there is none.
  std::shared_ptr<const ProfileSnapshot> settle();
  void clear() { m_recent.clear(); }

 private:
  // The newest snapshot is last.
  std::deque<std::shared_ptr<const ProfileSnapshot>> m_recent;
};

}  // namespace strata::ui
