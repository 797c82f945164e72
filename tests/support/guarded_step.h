// SPDX-License-Identifier: Apache-2.0
// A small training step with a guard, for tests of devices.
#pragma once

#include <memory>
#include <vector>

#include "gpu/exec/program.h"
#include "gpu/graph/graph.h"

namespace strata::test {

/// Returns a step that computes w -= rate * gradient if all numbers are finite. The gradient is the
/// sum of x over the batch, and the loss is the sum of x * w.
Graph guardedStep();
/// Returns the step as a bound program with the results "loss" and "finite" and the rate 0.5.
std::unique_ptr<Program> boundGuardedStep(Device& device, State& state);
/// Returns a batch [4,3] of equal numbers for the input "x".
Tensor guardedBatch(float value);
/// Runs `steps` steps, up to `ahead` of them submitted before the first is known. Returns the
/// losses and the weights.
std::vector<float> trainGuarded(Device& device, int steps, int ahead);

}  // namespace strata::test
