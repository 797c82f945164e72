// SPDX-License-Identifier: Apache-2.0
#include "core/layers/objects.h"

#include "core/train/schedules.h"

namespace strata {

std::span<const Schema* const> objectSchemas(std::string_view registry) {
  if (registry == "activation") return activationSchemas();
  if (registry == "initializer") return initializerSchemas();
  if (registry == "regularizer") return regularizerSchemas();
  if (registry == "constraint") return constraintSchemas();
  if (registry == "schedule") return schedulePointers();
  return {};
}

}  // namespace strata
