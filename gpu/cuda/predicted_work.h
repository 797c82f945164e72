// SPDX-License-Identifier: Apache-2.0
// The predicted time of one node on a card, by the clock of simulated cards (gpu/cost/card_clock.h)
// and the rates in the card's data. Nothing runs.
// Thread: as Device.
#pragma once

#include "gpu/cuda/cuda_kernel.h"

namespace strata::cuda {

/// Returns the time of a kernel of this node, and its clock for further launches. Times of library
/// calls are those of the peak rates on a real card, and contain what the calls copy.
PredictedWork predictWork(const Card& card, const Graph& graph, const Node& node,
                          const CudaKernel& kernel);

}  // namespace strata::cuda
