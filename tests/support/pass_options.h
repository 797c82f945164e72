// SPDX-License-Identifier: Apache-2.0
// Options of the pass pipeline with all that a pass may need. Thread: a value.
#pragma once

#include "gpu/passes/pass.h"
#include "gpu/reference/evaluate.h"

namespace strata {

inline PipelineOptions allPasses() {
  PipelineOptions options;
  options.evaluate = evaluateOp;
  return options;
}

}  // namespace strata
