// SPDX-License-Identifier: Apache-2.0
// Callbacks of training, with Keras 3's names, fields and defaults: what they are, and how a
// project's are read.
// Not here: what they decide (core/train/callback_runner.h); schedules of the learning rate
// (schedules.h), which are functions of the step alone.
// Thread: definitions are constant.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/recipe/options.h"

namespace strata {

std::span<const Schema* const> callbackSchemas();

/// /training/callbacks, checked: types, fields, monitors that are there and whose direction is
/// known. Requires: the options' metrics are read.
void readCallbacks(const Json& given, TrainingOptions& options, Diagnostics& diagnostics);
/// What callbacks can watch: the loss, the metrics, and val_ of each.
std::vector<std::string> monitorNames(const TrainingOptions& options);
/// Callbacks that watch validation, where nothing validates.
void checkMonitors(const TrainingOptions& options, Diagnostics& diagnostics);

/// Is a larger value of this metric a better one? Absent: neither is.
std::optional<bool> isLargerBetter(std::string_view metricType);

}  // namespace strata
