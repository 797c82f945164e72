// SPDX-License-Identifier: GPL-3.0-or-later
// Implements `strata find`, which searches for a learning rate or for the largest batch size.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "core/cost/simulated_card.h"
#include "core/train/find_batch_size.h"
#include "core/train/find_learning_rate.h"
#include "gpu/base/bytes.h"
#include "gpu/devices/device_name.h"
#include "gpu/devices/devices.h"

namespace strata::cli {

namespace {

struct FindOptions {
  std::string what;
  ProjectArgument project;
  std::string device, weights, lowest, highest;
  int64_t steps = 100, batchSize = 0, seed = -1, memoryLimit = 0;
  int threads = 0;
  bool asJson = false;
};

double rateOf(const char* option, const std::string& text, double otherwise) {
  if (text.empty()) return otherwise;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value > 0) || value > 1e6)
    throw Error(ErrorCode::InvalidArgument, std::string(option) + " " + text,
                "is not a learning rate (expected a number above 0 and at most 1e6, such as 1e-6). "
                "Correct it.");
  return value;
}

Json orNull(const auto& value) { return value ? Json(*value) : Json(); }

int findRate(const FindOptions& options, const CheckedProject& project) {
  FindRateRequest request;
  request.device = options.device;
  request.threads = options.threads;
  if (options.batchSize > 0) request.batchSize = options.batchSize;
  if (options.memoryLimit > 0) request.memoryLimitBytes = static_cast<size_t>(options.memoryLimit);
  if (options.seed >= 0) request.seed = static_cast<uint64_t>(options.seed);
  request.weightsFrom = options.weights;
  request.options.lowest = rateOf("--from", options.lowest, request.options.lowest);
  request.options.highest = rateOf("--to", options.highest, request.options.highest);
  request.options.steps = options.steps;
  if (request.options.highest <= request.options.lowest)
    throw Error(ErrorCode::InvalidArgument, "--to",
                "is too low (expected a learning rate above --from). Raise it.");
  const FoundRate found = findLearningRate(project, request);
  if (options.asJson) {
    Json points = Json::array();
    for (const RatePoint& point : found.points)
      points.push_back({{"rate", point.rate},
                        {"loss", jsonNumber(point.loss)},
                        {"smoothed", jsonNumber(point.smoothed)}});
    printJsonDocument({{"suggestion", orNull(found.suggestion)},
                       {"least_loss_at", orNull(found.lowestLoss)},
                       {"steps", found.points.size()},
                       {"points", points}});
    return kDone;
  }
  const size_t every = std::max<size_t>(1, found.points.size() / 20);
  std::cout << "        rate        loss    smoothed\n";
  for (size_t i = 0; i < found.points.size(); i += every) {
    const RatePoint& point = found.points[i];
    char line[80];
    std::snprintf(line, sizeof line, "%12.3g %11.4f %11.4f\n", point.rate, point.loss,
                  point.smoothed);
    std::cout << line;
  }
  if (static_cast<int64_t>(found.points.size()) < options.steps)
    std::cout << "Stopped early, after "
              << formatCounted(static_cast<int64_t>(found.points.size()), "step")
              << ", because the loss grew too large.\n";
  if (found.suggestion) {
    char line[160];
    std::snprintf(line, sizeof line,
                  "Suggested learning rate: %.2g. The loss falls fastest there, and is lowest at "
                  "%.2g.\n",
                  *found.suggestion, *found.lowestLoss);
    std::cout << line;
  }
  else {
    std::cout << "No suggestion: the loss fell by no more than it varies between batches. Try "
                 "more --steps, a larger --batch-size, or a wider range with --from and --to.\n";
  }
  return kDone;
}

int findBatch(const FindOptions& options, const CheckedProject& project) {
  FindBatchRequest request;
  request.device = options.device;
  request.threads = options.threads;
  if (options.memoryLimit > 0) request.memoryLimitBytes = static_cast<size_t>(options.memoryLimit);
  const bool isPredicted =
      DeviceName(
          resolvedDeviceName(options.device.empty() ? project.execution().device : options.device))
          .isSimulated();
  const auto print = [&](const TriedBatch& tried) {
    if (options.asJson) return;
    std::cout << "Batch " << formatCount(static_cast<double>(tried.batchSize)) << ": ";
    if (!tried.problem.empty())
      std::cout << "does not run (" << tried.problem << ")\n";
    else
      std::cout << bytesText(static_cast<double>(tried.peakBytes)) << ", "
                << formatNumber(tried.stepMicroseconds, 1) << " us per step, "
                << formatCount(tried.samplesPerSecond) << " samples/s"
                << (isPredicted ? ", predicted" : "") << "\n";
    std::cout.flush();
  };
  const FoundBatch found = findBatchSize(project, request, print);
  if (options.asJson) {
    Json tried = Json::array();
    for (const TriedBatch& each : found.tried)
      tried.push_back({{"batch_size", each.batchSize},
                       {"planned_bytes", each.plannedBytes},
                       {"peak_bytes", each.peakBytes},
                       {"step_us", each.stepMicroseconds},
                       {"samples_per_second", each.samplesPerSecond},
                       {"problem", each.problem.empty() ? Json() : Json(each.problem)}});
    printJsonDocument({{"limit_bytes", found.limitBytes},
                       {"largest_planned", orNull(found.largestPlanned)},
                       {"largest_confirmed", orNull(found.largestConfirmed)},
                       {"fastest", orNull(found.fastest)},
                       {"tried", tried}});
    return kDone;
  }
  if (!found.largestPlanned) {
    std::cout << "No batch size fits in " << bytesText(static_cast<double>(found.limitBytes))
              << ". Run strata plan to see what would fit.\n";
    return kDone;
  }
  std::cout << "According to the memory plan, batches of up to "
            << formatCount(static_cast<double>(*found.largestPlanned)) << " fit in "
            << bytesText(static_cast<double>(found.limitBytes)) << ".";
  if (found.largestConfirmed)
    std::cout << " Largest batch confirmed by running steps: "
              << formatCount(static_cast<double>(*found.largestConfirmed)) << ".";
  if (found.fastest)
    std::cout << " Fastest batch size per sample: "
              << formatCount(static_cast<double>(*found.fastest)) << ".";
  std::cout << "\n";
  return kDone;
}

}  // namespace

Action setupFind(Arguments& accepted) {
  auto options = std::make_shared<FindOptions>();
  accepted.choice("WHAT", options->what,
                  "Value to find: learning-rate (by a range test) or batch-size (from the memory "
                  "plan, confirmed by running steps)",
                  "WHAT", {"learning-rate", "batch-size"}, Need::Required);
  options->project.addTo(accepted);
  options->project.addPrecisionTo(accepted);
  options->project.addDeviceTo(accepted, options->device, "the project's");
  accepted.threads(options->threads);
  accepted.json(options->asJson);
  accepted.text("--from", options->lowest, "learning-rate: lowest rate (default: 1e-7)", "RATE");
  accepted.text("--to", options->highest, "learning-rate: highest rate (default: 10)", "RATE");
  accepted.number("--steps", options->steps,
                  "learning-rate: number of updates in the test (default: 100)", 3, 1000000);
  accepted.batchSize(options->batchSize,
                     "learning-rate: samples per update (default: the project's)");
  accepted.number("--seed", options->seed,
                  "learning-rate: seed for weights, sample order and dropout (default: the "
                  "project's)",
                  0, int64_t{1} << 62);
  accepted.text("--weights", options->weights,
                "learning-rate: run directory or weights file to start from", "FILE");
  addMemoryLimit(accepted, options->memoryLimit);
  return [options] {
    warnOfThreads(options->threads);
    const CheckedProject project = options->project.loadChecked();
    return options->what == "batch-size" ? findBatch(*options, project)
                                         : findRate(*options, project);
  };
}

}  // namespace strata::cli
