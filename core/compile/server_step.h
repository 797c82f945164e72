// SPDX-License-Identifier: Apache-2.0
// The step of a parameter server: it takes the gradients that workers have computed, and updates
// the weights. It has no layers and no samples.
// Thread: the function is pure.
#pragma once

#include <vector>

#include "core/compile/compile.h"

namespace strata {

/// Builds the step of the server. `worker` is the step of the first micro-batch of a worker, which
/// stores its gradients and new values in variables named "<variable>:sum". The result has an input
/// of each of these names.
/// Fails: InvalidProject with the layer if its weights are replaced in each step.
StepGraph buildServerStep(const StepGraph& worker, const TrainingOptions& training,
                          const StepOptions& options, const std::vector<Pass>& devicePasses = {});

}  // namespace strata
