// SPDX-License-Identifier: Apache-2.0
// Learning rate schedules: a schema and a rate for each step, in the float32 arithmetic of Keras 3.
// Stateless: the rate is a function of the step number, so that a resumed run has the same rates
// and a preview shows what training does. `learning_rate` of a project may be one of these objects.
// Thread: definitions are constant; a made schedule is a value.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/layers/schema.h"

namespace strata {

/// The rate of an update, given the number of updates before it (0 for the first).
using RateSchedule = std::function<double(int64_t step)>;

/// A problem that concerns several fields of an object together.
struct EntryProblem {
  std::string field;
  Text message;
  Arguments arguments;
};

struct ScheduleDef {
  Schema schema = {};
  RateSchedule (*make)(const Json& fields) = nullptr;
  // May be null
  std::optional<EntryProblem> (*check)(const Json& fields) = nullptr;
};

std::span<const ScheduleDef* const> allSchedules();
const ScheduleDef* findSchedule(std::string_view type);
// Schemas of allSchedules()
std::span<const Schema* const> scheduleSchemas();

/// Makes a schedule from a number, or from a checked object with "type".
RateSchedule makeSchedule(const Json& rate);
/// Reports problems that concern several fields of a checked object together, including nested
/// schedules. `where`: JSON pointer of the object.
void checkSchedule(const Json& schedule, const std::string& where, Diagnostics& diagnostics);

}  // namespace strata
