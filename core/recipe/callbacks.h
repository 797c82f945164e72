// SPDX-License-Identifier: Apache-2.0
// Schemas of the training callbacks, with the names, fields and defaults of Keras 3, and the reader
// of a project's callbacks. Not here: what callbacks decide (core/train/callback_runner.h);
// learning rate schedules, which depend on the step alone (schedules.h).
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

/// Reads and checks /training/callbacks: types, fields, whether each monitor exists and its
/// direction is known. Requires: the metrics of `options` have been read.
void readCallbacks(const Json& given, TrainingOptions& options, Diagnostics& diagnostics);
/// What callbacks can monitor: the loss, the metrics, and each of them with the prefix val_.
std::vector<std::string> monitorNames(const TrainingOptions& options);
/// Reports callbacks that monitor validation when there are no validation samples.
void checkMonitors(const TrainingOptions& options, Diagnostics& diagnostics);

/// Whether a larger value of this metric is better; absent if neither direction is.
std::optional<bool> isLargerBetter(std::string_view metricType);

}  // namespace strata
