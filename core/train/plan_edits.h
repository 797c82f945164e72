// SPDX-License-Identifier: Apache-2.0
// Edits of the project that a plan suggests: a memory limit from the curve, a remedy if the step
// does not fit, or an algorithm that a card offers. Not here: the plan (plan.h). Thread: the
// functions are pure, so any thread may call them.
#pragma once

#include "core/project/edit.h"
#include "core/train/plan.h"

namespace strata {

/// Returns an edit that sets the memory limit. It also allows recomputation if the project forbids
/// it.
ProjectEdit useLimitEdit(const Json& document, int64_t bytes);
/// Returns an edit that applies a remedy.
ProjectEdit useRemedyEdit(const Json& document, const PlanRemedy& remedy);
/// Returns an edit that chooses an algorithm for an op of a layer (ExecutionOptions::algorithms).
/// "" lets Strata choose again.
ProjectEdit pinAlgorithmEdit(const Json& document, const std::string& layer, const std::string& op,
                             const std::string& algorithm);
/// Returns the settings of a remedy on one line, such as "gradient_accumulation_steps 8 with
/// recompute auto".
std::string remedyText(const PlanRemedy& remedy);

}  // namespace strata
