// SPDX-License-Identifier: Apache-2.0
// Limits of lists in a project, so that a small file cannot take long or much memory. Not here:
// limits of layers (core/model/model.h).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/project/diagnostic.h"

namespace strata {

/// The largest numbers of entries in lists of the training and the data. Every stage and change may
/// need its own compiled step.
constexpr size_t kMaxStages = 100, kMaxCallbacks = 100, kMaxChanges = 1000, kMaxMetrics = 100,
                 kMaxTransforms = 100;

/// Returns the problem of a list with more than `most` entries, or nullopt. `pointer` is the JSON
/// pointer of the list, whose last part is its name.
std::optional<Diagnostic> tooLongList(const Json& list, size_t most, const std::string& pointer);

}  // namespace strata
