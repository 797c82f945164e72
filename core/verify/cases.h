// SPDX-License-Identifier: Apache-2.0
// Computes each kind of case in the same way as training does, and compares the results with the
// tensors of the case. Not here: choosing the kind (verify.cpp).
// Thread: any thread may call the functions, if no other thread uses the case or its device.
#pragma once

#include "core/verify/reference_case.h"

namespace strata {

// All functions mark the case as failed if a result differs. They throw MissingType if this build
// does not have a type, and Error if the case is invalid.

/// Compares the outputs, gradients and new state of a network.
void verifyLayer(ReferenceCase& reference);
/// Compares the value and the gradient of a loss.
void verifyLoss(ReferenceCase& reference);
/// Compares the values of a metric after several batches.
void verifyMetric(ReferenceCase& reference);
/// Compares weights after several updates.
void verifyOptimizer(ReferenceCase& reference);
/// Compares the learning rates of a schedule.
void verifySchedule(ReferenceCase& reference);
/// Compares the loss of each step, and the weights at the end.
void verifyTraining(ReferenceCase& reference);

}  // namespace strata
