// SPDX-License-Identifier: Apache-2.0
// Leslie Smith's learning rate range test. A few updates at exponentially increasing rates show
// where the loss decreases fastest. The network is restored afterwards. Not here: schedules
// (core/recipe).
// Thread: the functions block the calling thread, so do not call them on the GUI thread.
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
  // The test ends when the smoothed loss exceeds its minimum by this factor.
  double divergenceFactor = 4;
  std::function<void(int64_t step, double rate, double loss)> onStep = {};
  // A stop request ends the test, which then fails with Stopped.
  std::stop_token stop;
};

struct RatePoint {
  double rate = 0, loss = 0, smoothed = 0;
};

struct FoundRate {
  // Points until the loss became too large or was not finite
  std::vector<RatePoint> points;
  // The rate at which the smoothed loss decreases fastest; absent if the decrease is not larger
  // than the noise
  std::optional<double> suggestion;
  // The rate with the lowest smoothed loss. Training is unstable at higher rates.
  std::optional<double> lowestLoss;
};

/// Runs the test, and restores weights, statistics and optimizer state afterwards. Requires:
/// network.prepare() for the batches of the training set, and initial values.
FoundRate findLearningRate(Network& network, const Dataset& dataset,
                           const FindRateOptions& options);

/// Evaluates a curve. The suggestion is the rate, below that of the minimum, at which the smoothed
/// loss decreases fastest over the logarithm of the rate. The first points are ignored, because
/// their smoothed loss depends on few losses.
FoundRate evaluatedRates(std::vector<RatePoint> points, double smoothing);

struct FindRateRequest {
  std::string device;
  int threads = 0, niceness = 0;
  std::optional<int64_t> batchSize;
  std::optional<uint64_t> seed;
  // Memory limit; absent to use the project's limit
  std::optional<size_t> memoryLimitBytes;
  // Run directory or weights file with the initial weights; "" to generate them from the seed
  std::string weightsFrom;
  FindRateOptions options;
};
/// Runs the test for the first stage of a project in a new network. Fails with the errors of
/// Network.
FoundRate findLearningRate(const CheckedProject& project, const FindRateRequest& request);

}  // namespace strata
