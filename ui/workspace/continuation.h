// SPDX-License-Identifier: GPL-3.0-or-later
// What can be done with the last run of a document instead of starting from nothing: the run itself
// goes on, or a new run of the edited design begins with the weights of the layers that fit.
// Nothing trained is overwritten by either. Thread: the window's.
#pragma once

#include <cstdint>
#include <optional>

#include "core/train/kept_weights.h"
#include "ui/run/design_changes.h"

namespace strata::ui {

class Document;
class RunController;

struct Continuation {
  // The rest stands only then
  bool canContinue = false;
  int64_t step = 0;
  // In all, where it shall be others than the run has
  std::optional<int64_t> epochs;
  // Of a run that has ended
  int64_t moreEpochs = 0;
  // Since the run
  DesignChanges changes;
  // Of the open design
  KeptLayers layers;
  bool canKeepWeights() const { return canContinue && !changes.isEmpty() && !layers.kept.empty(); }
};

Continuation continuationOf(const Document& document, const RunController& run);
/// The run goes on in its own directory, with its own copy of the design; epochs and live settings
/// are those of the form. Requires: canContinue.
void continueRun(const Document& document, RunController& run);

}  // namespace strata::ui
