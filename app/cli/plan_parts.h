// SPDX-License-Identifier: GPL-3.0-or-later
// The part of `strata plan` for networks whose layers are on several devices.
// Thread: only the main thread uses it.
#pragma once

#include <nlohmann/json.hpp>

#include "core/project/project.h"
#include "core/train/planned_parts.h"

namespace strata::cli {

/// Returns [{"device", "layers", "peak_bytes"}].
Json devicesToJson(const PlannedParts& parts);
/// Returns [{"from", "to", "layer", "phase", "bytes"}]. The layer is "" for values of the whole
/// step.
Json transfersToJson(const PlannedParts& parts);
void print(const PlannedParts& parts);

}  // namespace strata::cli
