// SPDX-License-Identifier: Apache-2.0
// Leslie Smith's learning rate range test: a few updates at exponentially rising rates show where
// the loss falls fastest. The network is restored afterwards. Not here: schedules (core/recipe).
// Thread: blocks the caller; do not call it on the thread of the window.
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
  // Weight of the earlier losses in the smoothed loss
  double smoothing = 0.9;
  // The test ends where the smoothed loss exceeds its minimum by this factor
  double giveUpAt = 4;
  std::function<void(int64_t step, double rate, double loss)> onStep = {};
  // Fails: Stopped
  std::stop_token stop;
};

struct RatePoint {
  double rate = 0, loss = 0, smoothed = 0;
};

struct FoundRate {
  // Up to where the loss became too large or not finite
  std::vector<RatePoint> points;
  // Where the smoothed loss falls fastest; absent where it falls by less than its noise
  std::optional<double> suggestion;
  // The rate of the lowest smoothed loss; training is unstable at higher rates
  std::optional<double> lowestLoss;
};

/// Restores the weights, statistics and optimizer state afterwards. Requires: network.prepare() for
/// the batches of the training set, and initial values.
FoundRate findLearningRate(Network& network, const Dataset& dataset,
                           const FindRateOptions& options);

/// Evaluates a curve: the suggestion is the steepest fall of the smoothed loss over the logarithm
/// of the rate, before its minimum. The first points, over which the smoothed loss settles, do not
/// count.
FoundRate judgedRates(std::vector<RatePoint> points, double smoothing);

struct FindRateRequest {
  std::string device;
  int threads = 0, niceness = 0;
  std::optional<int64_t> batchSize;
  std::optional<uint64_t> seed;
  // Absent: the project's
  std::optional<size_t> memoryLimitBytes;
  // Run directory or weights file to start from; "": weights made from the seed
  std::string weightsFrom;
  FindRateOptions options;
};
/// The same for the first stage of a project, in a new network. Fails like Network.
FoundRate findLearningRate(const CheckedProject& project, const FindRateRequest& request);

}  // namespace strata
