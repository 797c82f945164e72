// SPDX-License-Identifier: Apache-2.0
// What a plan offers, as edits of the project: a limit from the curve, a remedy where the step does
// not fit. Thread: pure.
#pragma once

#include "core/project/edit.h"
#include "core/train/plan.h"

namespace strata {

/// Training keeps to that many bytes: a project that recomputes nothing is let do so.
ProjectEdit useLimitEdit(const Json& document, int64_t bytes);
ProjectEdit useRemedyEdit(const Json& document, const PlanRemedy& remedy);
/// Its settings in a line: "gradient_accumulation_steps 8 with recompute auto".
std::string remedyText(const PlanRemedy& remedy);

}  // namespace strata
