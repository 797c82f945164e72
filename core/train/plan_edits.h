// SPDX-License-Identifier: Apache-2.0
// Edits of the project that a plan suggests: a memory limit from the curve, or a remedy where the
// step does not fit. Not here: the plan (plan.h). Thread: pure functions.
#pragma once

#include "core/project/edit.h"
#include "core/train/plan.h"

namespace strata {

/// Sets the memory limit, and allows recomputation if the project forbids it.
ProjectEdit useLimitEdit(const Json& document, int64_t bytes);
ProjectEdit useRemedyEdit(const Json& document, const PlanRemedy& remedy);
/// The settings of a remedy on one line: "gradient_accumulation_steps 8 with recompute auto".
std::string remedyText(const PlanRemedy& remedy);

}  // namespace strata
