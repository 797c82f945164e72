// SPDX-License-Identifier: Apache-2.0
// What only shows when model, data and training are seen together, and every problem of a project
// at once. Thread: pure functions; they read the data where its source must.
#pragma once

#include "core/check/checked_project.h"

namespace strata {

/// Everything `strata check` prints: model, shapes, data, loss against output, optimizer, metrics,
/// execution; each tied to its layer.
Diagnostics validate(const CheckedProject& project);
/// Of a project that lacks its wrong parts (loadSoundParts): these, and what is wrong in the parts
/// that do not need them.
Diagnostics validateRest(const CheckedProject& project, const Diagnostics& wrong);
/// validate() and summarizeModel() in one go, for the window.
struct Inspection {
  Diagnostics diagnostics;
  ModelSummary summary;
};
Inspection inspectProject(const CheckedProject& project);

}  // namespace strata
