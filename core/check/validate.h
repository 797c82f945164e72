// SPDX-License-Identifier: Apache-2.0
// All problems of a project at once, including those that concern model, data and training
// together.
// Thread: pure functions; they read the data if its source requires it.
#pragma once

#include "core/check/checked_project.h"

namespace strata {

/// Everything that `strata check` prints: problems of model, shapes, data, loss and output,
/// optimizer, metrics and execution, each with its layer.
Diagnostics validate(const CheckedProject& project);
/// For a project without its invalid parts (loadSoundParts): these problems, and those of the parts
/// that do not depend on them.
Diagnostics validateRest(const CheckedProject& project, const Diagnostics& wrong);
/// validate() and summarizeModel() in one call, for the window.
struct Inspection {
  Diagnostics diagnostics;
  ModelSummary summary;
};
Inspection inspectProject(const CheckedProject& project);

}  // namespace strata
