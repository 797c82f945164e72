// SPDX-License-Identifier: Apache-2.0
// Finds all problems of a project at once, including those that concern model, data and training
// together.
// Thread: any thread may call these functions. They read the data if its source requires it.
#pragma once

#include "core/check/checked_project.h"

namespace strata {

/// Returns everything that `strata check` prints: problems of the model, shapes, data, losses,
/// outputs, optimizer, metrics and execution. A problem of a layer names the layer.
Diagnostics validate(const CheckedProject& project);
/// Checks a project that loadSoundParts() loaded without its invalid parts. `wrong` contains the
/// problems of the removed parts. Returns these problems, and the problems of parts that do not
/// depend on the removed ones.
Diagnostics validateRest(const CheckedProject& project, const Diagnostics& wrong);
/// The results of validate() and summarizeModel(), which the window needs together.
struct Inspection {
  Diagnostics diagnostics;
  ModelSummary summary;
};
Inspection inspectProject(const CheckedProject& project);

}  // namespace strata
