// SPDX-License-Identifier: Apache-2.0
// Measures how long a trained network takes to predict a batch that its device has already. The
// time includes neither reading nor converting samples. Not here: training (bench.h).
// Thread: the function blocks the calling thread, which is the one of the network.
#pragma once

#include <cstdint>
#include <stop_token>

#include "core/train/network.h"

namespace strata {

struct InferenceTime {
  // The number of samples that were predicted together
  int64_t batch = 1;
  // Statistics of the times of single batches, in seconds
  double medianSeconds = 0, minSeconds = 0, maxSeconds = 0;
  int64_t repetitions = 0;
  // Whether other programs were busy meanwhile, so that the times are too long
  bool wasDisturbed = false;
  double samplesPerSecond() const { return static_cast<double>(batch) / medianSeconds; }
};

/// Predicts batches of `batch` samples, or of StepBuilder::evaluatedSamples() if that is less, for
/// about `seconds`. The result names the size. Requires: batch is at least 1. Fails: as
/// Network::prepare(); UnsupportedOp for a loss that sums over micro-batches; Stopped.
InferenceTime inferenceTime(Network& network, int64_t batch, double seconds = 0.5,
                            const std::stop_token& stop = {});

}  // namespace strata
