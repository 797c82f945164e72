// SPDX-License-Identifier: Apache-2.0
// Returns options that enable every pass of the pipeline and every fusion. Any thread may call it.
#pragma once

#include "gpu/passes/pass.h"
#include "gpu/reference/evaluate.h"

namespace strata {

inline PipelineOptions allPasses() {
  PipelineOptions options;
  options.device = processorTraits();
  options.device.fusesLossAndMetrics = true;
  options.device.addsToNormGradients = true;
  options.evaluate = evaluateOp;
  return options;
}

}  // namespace strata
