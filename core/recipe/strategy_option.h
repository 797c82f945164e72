// SPDX-License-Identifier: Apache-2.0
// Reads /execution/strategy: how several devices train a network together.
// Not here: whether layers and data fit it (core/check/replica_checks.h).
// Thread: the function has no side effects, so any thread may call it.
#pragma once

#include <string>

#include "core/recipe/option_reader.h"
#include "core/recipe/options.h"

namespace strata {

/// Sets ExecutionOptions::strategy. Reports an unknown one, and one that does not fit the devices.
/// `strategy` is "" if the project names none.
void readStrategy(OptionReader& reader, const std::string& strategy, ExecutionOptions& options);

}  // namespace strata
