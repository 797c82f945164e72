// SPDX-License-Identifier: Apache-2.0
// Schedules of the learning rate: a schema and a rate for each step, in Keras 3's float32
// arithmetic. Stateless: the rate is a function of the step's number, so that a continued run has
// the same rates, and a preview draws what training does. Where a project says `learning_rate`, an
// object of these may stand.
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

/// The rate of an update, by the number of updates before it (0: the first).
using RateSchedule = std::function<double(int64_t step)>;

/// What the fields of an object say only together.
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

/// Of a number, or of a checked object with "type".
RateSchedule makeSchedule(const Json& rate);
/// Problems of a checked object that its fields show only together, also of schedules inside.
/// `where`: JSON pointer of the object.
void checkSchedule(const Json& schedule, const std::string& where, Diagnostics& diagnostics);

}  // namespace strata
