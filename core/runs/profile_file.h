// SPDX-License-Identifier: Apache-2.0
// The profile of a run in `profile.json` of its directory. It contains the mean of all measured
// steps, for use after the run has ended. Not here: measuring (core/train/step_profile.h).
// Thread: the functions only access the file system.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "core/runs/events.h"

namespace strata {

/// Larger files are taken to be damaged. A kernel takes less than 1 KiB.
constexpr size_t kMaxProfileBytes = size_t{128} << 20;

/// Writes the file atomically. Fails: IoFailure.
void writeProfile(const std::string& runDirectory, const ProfileSnapshot& profile);
/// Reads the profile of a run. Returns null if the file is missing, damaged or without steps.
/// `problem`, if not null, becomes what is damaged in the file, or "" if it is whole or missing.
/// The nodes have no ids, because their graph no longer exists.
std::shared_ptr<const ProfileSnapshot> readProfile(const std::string& runDirectory,
                                                   std::string* problem = nullptr);

}  // namespace strata
