// SPDX-License-Identifier: GPL-3.0-or-later
// How the last run of a document can be used instead of starting from initial weights: the run
// continues, or a new run of the edited design starts from the weights of the layers that fit.
// Neither overwrites trained weights. Thread: GUI thread.
#pragma once

#include <cstdint>
#include <optional>

#include "core/train/kept_weights.h"
#include "ui/run/design_changes.h"

namespace strata::ui {

class Document;
class RunController;

struct Continuation {
  // The other members are valid only if this is true.
  bool canContinue = false;
  int64_t step = 0;
  // The total number of epochs, if it differs from the run's
  std::optional<int64_t> epochs;
  // For a finished run: the epochs to add
  int64_t moreEpochs = 0;
  // Since the run
  DesignChanges changes;
  // Layers of the open design
  KeptLayers layers;
  bool canKeepWeights() const { return canContinue && !changes.isEmpty() && !layers.kept.empty(); }
};

Continuation continuationOf(const Document& document, const RunController& run);
/// Continues the run in its own directory with its own copy of the design; epochs and live settings
/// come from the form. Requires: canContinue.
void continueRun(const Document& document, RunController& run);

}  // namespace strata::ui
