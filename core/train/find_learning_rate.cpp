// SPDX-License-Identifier: Apache-2.0
#include "core/train/find_learning_rate.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "core/check/class_weights.h"
#include "core/train/feeder.h"

namespace strata {

namespace {

/// Runs one update at a learning rate, and returns its loss. If the loss is not finite, does not
/// update the weights, and returns NaN.
double lossOfUpdate(Network& network, Feeder& batches, int64_t step, double rate,
                    const std::stop_token& stop) {
  const uint64_t seed = network.steps().training().seed;
  const int64_t pass = step / batches.stepsPerPass() + 1, index = step % batches.stepsPerPass();
  const int64_t samples = batches.samplesOf(index);
  BatchSums sums;
  const std::vector<MicroBatch>& pieces = batches.microBatchesOf(index);
  std::vector<Ticket> tickets;
  const auto place = [&](const MicroBatch& piece) -> Program& {
    Program& program = batches.place(seed, pass, index, piece);
    setStep(program, step + 1, rate, seed, batches.firstSampleOf(index) + piece.offset,
            static_cast<double>(piece.samples) / static_cast<double>(samples));
    return program;
  };
  network.setUpdate({step + 1, rate, seed});
  network.submit(pieces, place, stop, tickets);
  for (size_t i = 0; i < tickets.size(); ++i) {
    const StepOutcome outcome = tickets[i].wait();
    if (outcome == StepOutcome::Stopped)
      throw Error(ErrorCode::Stopped, "learning rate", "the search was stopped.");
    network.sums().add(tickets[i], pieces[std::min(i, pieces.size() - 1)].samples, sums);
    if (outcome == StepOutcome::NonFinite) return NAN;
  }
  return sums.loss / static_cast<double>(sums.samples);
}

}  // namespace

namespace {

/// Estimates the noise of the smoothed loss from the differences of successive losses.
double noiseOf(std::span<const RatePoint> points, double smoothing) {
  std::vector<double> steps;
  for (size_t i = 1; i < points.size(); ++i)
    steps.push_back(std::abs(points[i].loss - points[i - 1].loss));
  if (steps.empty()) return 0;
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  // Ratio of the standard deviation to the median absolute deviation of a normal distribution
  constexpr double kDeviationOfMedian = 1.4826;
  return *middle * kDeviationOfMedian / std::sqrt(2) * std::sqrt((1 - smoothing) / (1 + smoothing));
}

}  // namespace

FoundRate evaluatedRates(std::vector<RatePoint> points, double smoothing) {
  FoundRate found;
  found.points = std::move(points);
  const std::vector<RatePoint>& all = found.points;
  if (all.empty()) return found;
  // Number of points at the beginning where the smoothed loss depends on few losses
  const auto settled =
      std::min(static_cast<std::ptrdiff_t>(std::lround(1 / (1 - smoothing))), std::ssize(all) / 4);
  const auto isLower = [](const RatePoint& a, const RatePoint& b) {
    return a.smoothed < b.smoothed;
  };
  const auto least = std::min_element(all.begin() + settled, all.end(), isLower);
  const auto most = std::max_element(all.begin() + settled, least + 1, isLower);
  found.lowestLoss = least->rate;
  // Considers only the decrease that leads to the minimum. Noise before this decrease and
  // oscillations after the minimum can be as steep.
  constexpr double kMinFallInNoise = 7, kTopFraction = 0.1, kTopInNoise = 2;
  const double fall = most->smoothed - least->smoothed,
               noise = noiseOf(std::span(all.begin(), least + 1), smoothing);
  if (!(fall > kMinFallInNoise * noise)) return found;
  const double top = most->smoothed - std::max(kTopFraction * fall, kTopInNoise * noise);
  auto begin = least;
  while (begin != most && begin->smoothed < top)
    --begin;
  const std::ptrdiff_t reach = std::max<std::ptrdiff_t>(1, settled / 2);
  double steepest = 0;
  for (auto at = begin + 1; at < least; ++at) {
    const auto before = at - std::min(reach, at - begin), behind = at + std::min(reach, least - at);
    const double slope =
        (behind->smoothed - before->smoothed) / std::log(behind->rate / before->rate);
    if (slope < steepest) {
      steepest = slope;
      found.suggestion = at->rate;
    }
  }
  return found;
}

FoundRate findLearningRate(Network& network, const Dataset& dataset,
                           const FindRateOptions& options) {
  const std::map<std::string, Tensor> before = network.state().all();
  const auto restoreState = [&] {
    for (const auto& [name, tensor] : before)
      network.state().values().write(name, tensor);
  };
  Feeder batches(network, dataset, network.steps().training().isShuffled);
  std::vector<RatePoint> points;
  double mean = 0, least = HUGE_VAL;
  try {
    for (int64_t i = 0; i < options.steps; ++i) {
      const double share =
          options.steps > 1 ? static_cast<double>(i) / static_cast<double>(options.steps - 1) : 0;
      const double rate = options.lowest * std::pow(options.highest / options.lowest, share);
      const double loss = lossOfUpdate(network, batches, i, rate, options.stop);
      if (!std::isfinite(loss)) break;
      mean = options.smoothing * mean + (1 - options.smoothing) * loss;
      const double smoothed = mean / (1 - std::pow(options.smoothing, static_cast<double>(i + 1)));
      points.push_back({rate, loss, smoothed});
      if (options.onStep) options.onStep(i + 1, rate, loss);
      if (i > 0 && smoothed > options.divergenceFactor * least) break;
      least = std::min(least, smoothed);
    }
  }
  catch (...) {
    restoreState();
    throw;
  }
  restoreState();
  return evaluatedRates(std::move(points), options.smoothing);
}

FoundRate findLearningRate(const CheckedProject& project, const FindRateRequest& request) {
  Project own = stageProjects(project.project(), project.recipe().stages).front();
  if (request.seed) own.document()["training"]["seed"] = *request.seed;
  const auto dataset = loadDataset(own);
  NetworkOptions options;
  options.device = request.device;
  options.threads = request.threads;
  options.niceness = request.niceness;
  options.batchSize = request.batchSize;
  options.memoryLimitBytes = request.memoryLimitBytes;
  options.maxBatch = dataset->trainCount;
  options.classWeights = classWeightsOf(project.recipe(), *dataset);
  options.measuresKernels = true;
  options.stop = request.options.stop;
  Network network(own, options);
  network.prepare(network.steps().batchesOf(dataset->trainCount), {}, dataset.get());
  network.state().initialize(network.steps().training().seed, dataset.get());
  std::string from = request.weightsFrom;
  if (from.empty() && !network.steps().training().initialWeights.empty())
    from = pathInProject(own, network.steps().training().initialWeights);
  if (!from.empty()) {
    std::string file;
    const auto tensors = openWeights(from, file);
    network.state().setWeights(*tensors, file);
  }
  return findLearningRate(network, *dataset, request.options);
}

}  // namespace strata
