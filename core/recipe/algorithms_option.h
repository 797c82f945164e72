// SPDX-License-Identifier: Apache-2.0
// Reads the algorithms of /execution/algorithms, which a user has chosen for ops of layers:
// {"conv1": {"conv2d": "eng5{k2=3}"}}.
// Not here: which algorithms a device offers (core/train/algorithms.h).
// Thread: the function has no side effects, so any thread may call it.
#pragma once

#include "core/recipe/option_reader.h"
#include "core/recipe/options.h"

namespace strata {

/// Sets ExecutionOptions::algorithms, and reports layers that do not exist and wrong types.
void readAlgorithms(OptionReader& reader, const Project& project, ExecutionOptions& options);

}  // namespace strata
