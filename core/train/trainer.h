// SPDX-License-Identifier: Apache-2.0
// One run from its data to its outcome: set-up, steps, validation, checkpoints, test. The session
// owns the thread that calls it.
// Thread: the training thread; other threads speak through RunControl.
#pragma once

#include <memory>
#include <string>

#include "core/runs/events.h"
#include "core/train/control.h"
#include "core/train/session.h"

namespace strata {

/// The exception being handled, whatever it is, as an Error. Requires: called from a catch block.
Error currentError();

/// Runs to the end, a stop or a failure. Errors become an outcome; observers hear of everything but
/// the outcome itself.
RunOutcome trainRun(const SessionOptions& options, RunControl& control, RunObserver& observer);

}  // namespace strata
