// SPDX-License-Identifier: Apache-2.0
// Leslie Smith's range test: a few updates at rates that rise exponentially, and where the loss
// fell fastest. The network is as before afterwards.
// Thread: blocks the caller; call it off the window's thread.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/check/checked_project.h"
#include "core/data/dataset.h"
#include "core/train/network.h"

namespace strata {

struct FindRateOptions {
  double lowest = 1e-7, highest = 10;
  int64_t steps = 100;
  // Share of the mean of the losses before
  double smoothing = 0.9;
  // Times the least smoothed loss so far
  double giveUpAt = 4;
  std::function<void(int64_t step, double rate, double loss)> onStep = {};
  // Fails: Stopped
  std::stop_token stop;
};

struct RatePoint {
  double rate = 0, loss = 0, smoothed = 0;
};

struct FoundRate {
  // Until the loss was too large or not finite
  std::vector<RatePoint> points;
  // Where the smoothed loss fell fastest; absent where it fell no further than it scatters
  std::optional<double> suggestion;
  // The rate of the least smoothed loss: beyond it training is not stable
  std::optional<double> lowestLoss;
};

/// Requires: network.prepare() for the batches of the data's training part, and initial values.
/// Weights, statistics and optimizer state are put back.
FoundRate findLearningRate(Network& network, const Dataset& dataset,
                           const FindRateOptions& options);

/// The suggestion of a curve, where at least a few points are: the steepest fall of the smoothed
/// loss over the logarithm of the rate, on the way to its least. Not among the first points, as
/// many as the mean with this share of the losses before is over.
FoundRate judgedRates(std::vector<RatePoint> points, double smoothing);

struct FindRateRequest {
  std::string device;
  int threads = 0, niceness = 0;
  std::optional<int64_t> batchSize;
  std::optional<uint64_t> seed;
  // Else the project's
  std::optional<size_t> memoryLimitBytes;
  // Run directory or file of weights to begin from, "" the seed
  std::string weightsFrom;
  FindRateOptions options;
};
/// The same of a project, of its first stage, in a network of its own. Fails: as Network.
FoundRate findLearningRate(const CheckedProject& project, const FindRateRequest& request);

}  // namespace strata
