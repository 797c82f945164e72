// SPDX-License-Identifier: Apache-2.0
// Learning rate schedules. Each has a schema, and is a function of the step in the float32
// arithmetic of Keras 3. A schedule has no state, so a resumed run has the same rates, and a
// preview shows the rates of training. The field `learning_rate` of a project may be one of these
// objects.
// Not here: ReduceLROnPlateau (callbacks.h).
// Thread: any thread may use the definitions, which are constant. A schedule is a value.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/layers/schema.h"

namespace strata {

/// Returns the rate of an update, given the number of previous updates (0 for the first).
using RateSchedule = std::function<double(int64_t step)>;

/// A problem that concerns several fields of an object together.
struct EntryProblem {
  std::string field;
  Text message;
  Arguments arguments;
};

/// A schedule: its schema and how to create it.
struct ScheduleDef {
  Schema schema = {};
  RateSchedule (*make)(const Json& fields) = nullptr;
  // Checks fields that depend on each other; null if no fields do
  std::optional<EntryProblem> (*check)(const Json& fields) = nullptr;
};

std::span<const ScheduleDef* const> allSchedules();
/// Returns the definition of a schedule type, or null if the type is not known.
const ScheduleDef* findSchedule(std::string_view type);
/// Returns the schemas of allSchedules().
std::span<const Schema* const> scheduleSchemas();

/// Creates a schedule from a number, or from a checked object with "type".
RateSchedule makeSchedule(const Json& rate);
/// Reports problems that concern several fields of a checked object together, also in nested
/// schedules. `where` is the JSON pointer of the object.
void checkSchedule(const Json& schedule, const std::string& where, Diagnostics& diagnostics);

}  // namespace strata
