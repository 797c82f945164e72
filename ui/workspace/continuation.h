// SPDX-License-Identifier: GPL-3.0-or-later
// Decides how training can build on the last run of a document. Either the run continues, or a new
// run of the edited design starts from the weights of the layers that fit. Neither overwrites
// trained weights. Thread: GUI thread.
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
  // The new total number of epochs, if it differs from the run's.
  std::optional<int64_t> epochs;
  // The number of epochs to add to a finished run.
  int64_t moreEpochs = 0;
  // The changes of the design since the run.
  DesignChanges changes;
  // The layers of the open design that can keep the run's weights, and the layers that cannot.
  KeptLayers layers;
  bool canKeepWeights() const { return canContinue && !changes.isEmpty() && !layers.kept.empty(); }
};

/// Returns how the last run of the document can be continued.
Continuation continuationOf(const Document& document, const RunController& run);
/// Continues the run in its own directory with its own copy of the design. The epochs and live
/// settings come from the open design. Requires canContinue.
void continueRun(const Document& document, RunController& run);

}  // namespace strata::ui
