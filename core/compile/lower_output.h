// SPDX-License-Identifier: Apache-2.0
// Builds the loss of an output, and what its metrics need.
// Thread: edits only the graph of the given step.
#pragma once

#include <cstddef>

#include "core/compile/compile.h"
#include "core/recipe/metrics.h"

namespace strata {

/// The loss of one output, and what its metrics need.
struct LoweredOutput {
  // The loss before it is multiplied by the loss weight of the output
  ValueId loss;
  // The prediction, for metrics and as an output of the network
  ValueId prediction;
  // The target, for metrics. An ignored class is replaced by class 0, which has the weight 0.
  ValueId target;
  // Weights for the weighted metrics, which include the sample weights, and for the other metrics
  MetricWeights weights, plainWeights;
  // How the loss reads the prediction
  OutputReading reading;
};

/// Adds the loss of the output `index`. `outputMask` is invalid if the output has no mask. Fails:
/// InvalidProject.
LoweredOutput lowerOutput(StepGraph& step, const TrainingOptions& training,
                          const StepOptions& options, size_t index, ValueId prediction,
                          ValueId outputMask);

}  // namespace strata
