// SPDX-License-Identifier: Apache-2.0
// Where the time of a run went, kept in `profile.json` of its directory: the mean of its steps, for
// whoever asks after the run has ended.
// Thread: pure functions on the file system.
#pragma once

#include <memory>
#include <string>

#include "core/runs/events.h"

namespace strata {

/// Whole or not at all. Fails: IoFailure.
void writeProfile(const std::string& runDirectory, const ProfileSnapshot& profile);
/// Null where the run kept none, or it is damaged. Nodes have no ids: the graph they belonged to is
/// gone.
std::shared_ptr<const ProfileSnapshot> readProfile(const std::string& runDirectory);

}  // namespace strata
