// SPDX-License-Identifier: Apache-2.0
// Trains one run from its data to its outcome: set-up, steps, validation, checkpoints and test. Not
// here: the thread (session.h), the run itself (training_run.h).
// Thread: only the training thread may call these functions. Other threads make requests through
// RunControl.
#pragma once

#include <memory>
#include <string>

#include "core/runs/events.h"
#include "core/train/control.h"
#include "core/train/session.h"

namespace strata {

/// Returns the current exception as an Error. Requires: it is called in a catch block.
Error currentError();

/// Trains a run until its end, a stop or a failure. An error becomes the outcome of the run. The
/// observer receives all events except the outcome.
RunOutcome trainRun(const SessionOptions& options, RunControl& control, RunObserver& observer);

}  // namespace strata
