// SPDX-License-Identifier: Apache-2.0
// Captures work of a stream in a graph. Thread: as Runner.
#pragma once

#include <functional>

#include "gpu/cuda/cuda_stream.h"

namespace strata::cuda {

/// Returns a graph of the work that `addWork` adds to the stream that computes. Fails: as addWork,
/// and DeviceFailure; the stream no longer captures then.
GraphHandle captureGraph(CudaStream& stream, const std::function<void()>& addWork);

}  // namespace strata::cuda
