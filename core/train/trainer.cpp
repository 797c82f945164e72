// SPDX-License-Identifier: Apache-2.0
#include "core/train/trainer.h"

#include "core/train/training_run.h"

namespace strata {

Error currentError() {
  try {
    throw;
  }
  catch (const Error& error) {
    return error;
  }
  catch (const std::bad_alloc&) {
    return Error(ErrorCode::OutOfMemory, "memory",
                 "exhausted during the run. Use a smaller batch or network.");
  }
  catch (const std::exception& error) {
    return Error(ErrorCode::Internal, "strata",
                 std::string("unexpected failure: ") + error.what() + ". Please report this.");
  }
}

RunOutcome trainRun(const SessionOptions& options, RunControl& control, RunObserver& observer) {
  return TrainingRun(options, control, observer).run();
}

}  // namespace strata
