// SPDX-License-Identifier: Apache-2.0
// Edits of the project that a plan suggests: a memory limit from the curve, or a remedy if the step
// does not fit. Not here: the plan (plan.h). Thread: the functions are pure, so any thread may call
// them.
#pragma once

#include "core/project/edit.h"
#include "core/train/plan.h"

namespace strata {

/// Returns an edit that sets the memory limit. It also allows recomputation if the project forbids
/// it.
ProjectEdit useLimitEdit(const Json& document, int64_t bytes);
/// Returns an edit that applies a remedy.
ProjectEdit useRemedyEdit(const Json& document, const PlanRemedy& remedy);
/// Returns the settings of a remedy on one line, such as "gradient_accumulation_steps 8 with
/// recompute auto".
std::string remedyText(const PlanRemedy& remedy);

}  // namespace strata
