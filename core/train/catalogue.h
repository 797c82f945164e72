// SPDX-License-Identifier: Apache-2.0
// The schemas of losses, optimizers, schedules, metrics and callbacks of this build, for `strata layers`, forms and the reader. Thread: constant.
#pragma once

#include <vector>

#include "core/layers/schema.h"

namespace strata {

std::vector<Schema> lossSchemas();
std::vector<Schema> optimizerSchemas();
std::vector<Schema> scheduleSchemas();
std::vector<Schema> metricSchemas();
std::vector<Schema> callbackSchemas();

}  // namespace strata
