// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "core/train/bench.h"
#include "gpu/base/bytes.h"

namespace strata::cli {

/// Formats the speed of an operation, for example "84.1 GFLOP/s, 12.3 GB/s".
static std::string speedOf(const BenchOp& op) {
  const auto perSecond = [&](double amount) {
    return formatNumber(amount / op.microseconds / 1e3, 1);
  };
  return op.microseconds > 0 ? perSecond(op.flops) + " GFLOP/s, " + perSecond(op.bytes) + " GB/s"
                             : "";
}

static Json toJson(const BenchReport& report) {
  Json memory;
  if (report.deviceMemory) {
    memory = memoryToJson(*report.deviceMemory);
    memory["used_bytes"] = report.usedBytes;
  }
  Json byOp = Json::array();
  for (const BenchOp& op : report.byOp)
    byOp.push_back({{"op", op.op},
                    {"layer", op.layer},
                    {"calls", op.calls},
                    {"us", op.microseconds},
                    {"flops", op.flops},
                    {"bytes", op.bytes},
                    {"implementation", op.implementation}});
  Json json{{"project", report.project},
            {"device", report.device},
            {"threads", report.threads},
            {"batch_size", report.batchSize},
            {"steps", report.steps},
            {"stage", report.stages > 1 ? Json(1) : Json(nullptr)},
            {"setup_seconds", report.setupSeconds},
            {"wall_seconds", report.wallSeconds},
            {"predicted", report.isPredicted},
            {"step_us",
             {{"median", report.stepMicrosecondsMedian},
              {"min", report.stepMicrosecondsMin},
              {"max", report.stepMicrosecondsMax}}},
            {"samples_per_second", report.samplesPerSecond},
            {"peak_bytes", report.peakBytes},
            {"device_memory", memory},
            {"first_loss", jsonNumber(report.firstLoss)},
            {"last_loss", jsonNumber(report.lastLoss)},
            {"weights_hash", report.weightsHash},
            {"flops", report.flops},
            {"bytes", report.bytes},
            {"limits",
             {{"flops_per_second", report.limits.flopsPerSecond},
              {"bytes_per_second", report.limits.memory.bytesPerSecond}}},
            {"share_of_limits",
             {{"flops", report.shareOfFlops()}, {"bandwidth", report.shareOfBandwidth()}}},
            {"phases",
             {{"forward", report.forwardFraction},
              {"backward", report.backwardFraction},
              {"update", report.updateFraction}}},
            {"watching_cost", report.watchingFraction},
            {"by_op", byOp}};
  if (report.replicas > 1)
    json["replicas"] = {{"count", report.replicas},
                        {"samples_per_second_alone", report.oneReplicaSamplesPerSecond},
                        {"efficiency", report.efficiency()}};
  for (const BenchReport::Scaling& each : report.scaling)
    json["replicas"]["scaling"].push_back({{"count", each.replicas},
                                           {"samples_per_second", each.samplesPerSecond},
                                           {"efficiency", each.efficiency}});
  return json;
}

Action setupBench(Arguments& accepted) {
  struct Options {
    ProjectArgument project;
    BenchOptions bench;
    int64_t memoryLimit = 0;
    std::string recompute;
    bool asJson = false;
  };
  auto options = std::make_shared<Options>();
  options->project.addTo(accepted);
  options->project.addDeviceTo(accepted, options->bench.device, "the project's");
  accepted.threads(options->bench.threads);
  accepted.count(
      "--steps", options->bench.steps,
      "Number of steps after which last_loss and weights_hash are recorded (default: 20)");
  accepted.batchSize(options->bench.batchSize, "Batch size (default: the project's)");
  addMemoryLimit(accepted, options->memoryLimit);
  addRecompute(accepted, options->recompute);
  options->project.addPassesTo(accepted);
  accepted.json(options->asJson);
  return [options] {
    warnOfThreads(options->bench.threads);
    const CheckedProject project = options->project.loadChecked();
    BenchOptions request = options->bench;
    request.recompute = recomputeFor(project, options->recompute);
    if (options->memoryLimit > 0)
      request.memoryLimitBytes = static_cast<size_t>(options->memoryLimit);
    BenchReport report = benchProject(project, request);
    if (options->asJson) {
      printJsonDocument(toJson(report));
      return kDone;
    }
    std::cout << report.project << ", batch " << report.batchSize << ", " << report.device << ", "
              << formatCounted(report.threads, "thread") << ": "
              << formatNumber(report.stepMicrosecondsMedian, 1) << " us per step ";
    if (report.isPredicted)
      std::cout << "(predicted from the card's data sheet), ";
    else
      std::cout << "(min " << formatNumber(report.stepMicrosecondsMin, 1) << ", max "
                << formatNumber(report.stepMicrosecondsMax, 1) << "), ";
    std::cout << formatCount(report.samplesPerSecond) << " samples/s, peak "
              << bytesText(static_cast<double>(report.peakBytes)) << "\n";
    if (report.replicas > 1)
      std::cout << "  " << report.replicas
                << " replicas: " << formatNumber(100 * report.efficiency(), 0)
                << "% of the speed of as many that train alone ("
                << formatCount(report.oneReplicaSamplesPerSecond) << " samples/s each)\n";
    for (const BenchReport::Scaling& each : report.scaling)
      std::cout << "  " << formatCounted(each.replicas, "device") << ": "
                << formatCount(each.samplesPerSecond) << " samples/s, efficiency "
                << formatNumber(100 * each.efficiency, 0) << "%\n";
    if (report.deviceMemory) std::cout << "  " << memoryText(*report.deviceMemory) << "\n";
    if (report.stages > 1)
      std::cout << "  stage 1 of " << report.stages
                << "; the other stages and changes of settings are not measured\n";
    const auto share = [](double part) {
      return formatNumber(100 * part, 0) + "%";
    };
    if (report.limits.flopsPerSecond > 0)
      std::cout << "  " << share(report.shareOfFlops())
                << (report.isPredicted ? " of the card's " : " of this machine's ")
                << formatNumber(report.limits.flopsPerSecond / 1e9, 0) << " GFLOP/s, "
                << share(report.shareOfBandwidth()) << " of its "
                << formatNumber(report.limits.memory.bytesPerSecond / 1e9, 0)
                << " GB/s (by nominal counts, which include operands that are in the cache)\n";
    std::cout << "  forward " << share(report.forwardFraction) << ", backward "
              << share(report.backwardFraction) << ", update " << share(report.updateFraction)
              << "; profiling overhead per step " << share(report.watchingFraction) << "\n";
    std::sort(report.byOp.begin(), report.byOp.end(),
              [](const BenchOp& a, const BenchOp& b) { return a.microseconds > b.microseconds; });
    for (const BenchOp& op : report.byOp)
      std::cout << "  " << formatNumber(op.microseconds, 1) << " us  " << op.op << "  "
                << (op.layer.empty() ? "-" : op.layer) << "  " << op.implementation << "  "
                << speedOf(op) << "\n";
    return kDone;
  };
}

}  // namespace strata::cli
