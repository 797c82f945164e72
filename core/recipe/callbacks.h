// SPDX-License-Identifier: Apache-2.0
// Schemas of the training callbacks, with the names, fields and defaults of Keras 3, and the reader
// of a project's callbacks.
// Not here: what callbacks decide (core/train/callback_runner.h); learning rate schedules, which
// depend only on the step (schedules.h).
// Thread: schemas are constant, so any thread may use them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/recipe/metrics.h"
#include "core/recipe/options.h"

namespace strata {

std::span<const Schema* const> callbackSchemas();

/// Reads /training/callbacks and appends the valid ones to `options.callbacks`. Checks types and
/// fields, and that each monitored value exists and has a known direction. Requires: the metrics of
/// `options` have been read.
void readCallbacks(const Json& given, TrainingOptions& options, Diagnostics& diagnostics);
/// Returns the names of the values that callbacks can monitor: the loss and the metrics, with and
/// without the prefix val_.
std::vector<std::string> monitorNames(const TrainingOptions& options);
/// Reports all callbacks that monitor a validation value. Requires: there are no validation
/// samples.
void checkMonitors(const TrainingOptions& options, Diagnostics& diagnostics);

/// Returns which values of a monitored value are better, such as "loss", "val_accuracy" or
/// "f1_score/0". Returns None if the metric has no direction, or if the value is not measured.
Direction directionOfMonitor(const TrainingOptions& options, const std::string& monitor);
/// Returns whether an earlier version, which guessed the direction from the name of the metric,
/// took the smallest value of this monitor as the best one although the largest one is.
bool hadOtherDirection(const TrainingOptions& options, const std::string& monitor);

}  // namespace strata
