// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/plan_parts.h"
#include "app/cli/plan_replicas.h"
#include "core/check/checked_project.h"
#include "core/cost/simulated_card.h"
#include "core/train/device_plan.h"
#include "core/train/plan_edits.h"
#include "gpu/base/bytes.h"
#include "gpu/devices/device_name.h"

namespace strata::cli {

template <class Bytes>
static Json byCategory(const Bytes& bytes) {
  Json result = Json::object();
  for (size_t i = 0; i < kNumCategories; ++i)
    result[std::string(categoryName(static_cast<Category>(i)))] = bytes[i];
  return result;
}

static Json orNull(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

static Json recomputeToJson(const TrainingPlan& plan) {
  Json repeats = Json::array(), curve = Json::array();
  for (const PlanRepeat& repeat : plan.repeats)
    repeats.push_back({{"layer", repeat.layer}, {"op", repeat.op}, {"bytes", repeat.bytes}});
  Json shrunk = Json::array();
  for (const PlanShrunk& each : plan.shrunk)
    shrunk.push_back({{"layer", each.layer},
                      {"op", each.op},
                      {"usual_bytes", each.usualBytes},
                      {"bytes", each.bytes}});
  for (const PlanBudget& budget : plan.curve)
    curve.push_back({{"limit_bytes", budget.limitBytes},
                     {"peak_bytes", budget.peakBytes},
                     {"slowdown", budget.slowdown},
                     {"step_us", orNull(budget.stepMicroseconds)},
                     {"repeated", budget.repeated},
                     {"layers", budget.layers}});
  return {{"mode", recomputeName(plan.recompute)},
          {"repeated", repeats},
          {"smaller_workspaces", shrunk},
          {"updates_early", plan.updatesEarly},
          {"slowdown", plan.slowdown},
          {"kept_peak_bytes", plan.keptPeakBytes},
          {"kept_step_us", orNull(plan.keptStepMicroseconds)},
          {"kept_predicted_step_us", orNull(plan.keptPredictedMicroseconds)},
          {"curve", curve}};
}

/// Returns two values for each memory category: its bytes at the peak of the step, and its maximum
/// during the step.
static Json lanesToJson(const TrainingPlan& plan) {
  Json lanes = Json::array();
  for (size_t i = 0; i < kNumCategories; ++i) {
    size_t most = 0;
    for (const PlanInstant& instant : plan.timeline)
      most = std::max(most, instant.bytes[i]);
    lanes.push_back({{"name", categoryName(static_cast<Category>(i))},
                     {"most_bytes", most},
                     {"bytes_at_peak", plan.memory.byCategoryAtPeak[i]}});
  }
  return lanes;
}

static Json stepMemoryToJson(const TrainingPlan& plan) {
  Json timeline = Json::array(), atPeak = Json::array(), byLayer = Json::array();
  for (const PlanInstant& instant : plan.timeline) {
    Json bytes = Json::array();
    for (const size_t category : instant.bytes)
      bytes.push_back(category);
    timeline.push_back({{"op", instant.op},
                        {"layer", instant.layer},
                        {"phase", phaseName(instant.phase)},
                        {"repeat", instant.isRepeat},
                        {"bytes", instant.liveBytes},
                        {"by_category", bytes}});
  }
  for (const PlanHolder& holder : plan.atPeak)
    atPeak.push_back({{"layer", holder.layer},
                      {"op", holder.op},
                      {"category", categoryName(holder.category)},
                      {"bytes", holder.bytes}});
  for (const MemoryPlan::LayerBytes& row : plan.memory.byLayerAtPeak)
    byLayer.push_back({{"layer", row.layer}, {"bytes", row.bytes}});
  Json categories = Json::array();
  for (size_t i = 0; i < kNumCategories; ++i)
    categories.push_back(categoryName(static_cast<Category>(i)));
  const double bound = static_cast<double>(std::max<size_t>(1, plan.lowerBoundBytes));
  return {{"lanes", lanesToJson(plan)},
          {"arena",
           {{"persistent_bytes", plan.memory.persistentBytes},
            {"input_bytes", plan.memory.inputBytes},
            {"transient_bytes", plan.memory.transientBytes}}},
          {"peak_instant", plan.memory.peakInstant},
          {"peak_in_last_batch", plan.isPeakInLastBatch},
          {"at_peak", atPeak},
          {"by_layer", byLayer},
          {"fragmentation",
           {{"holes_bytes", plan.memory.holesBytes},
            {"share", static_cast<double>(plan.memory.holesBytes) /
                          static_cast<double>(std::max<size_t>(1, plan.peakBytes))},
            {"above_lower_bound", static_cast<double>(plan.peakBytes) / bound - 1},
            {"reason", plan.whyAboveBound}}},
          {"categories", categories},
          {"timeline", timeline}};
}

static Json remediesToJson(const TrainingPlan& plan) {
  Json remedies = Json::array();
  for (const PlanRemedy& remedy : plan.remedies)
    remedies.push_back({{"what", remedy.what},
                        {"value", remedy.value},
                        {"peak_bytes", remedy.peakBytes},
                        {"step_us", orNull(remedy.stepMicroseconds)},
                        {"recomputes", remedy.recomputes},
                        {"enables_pass", remedy.enablesPass},
                        {"layers", remedy.layers}});
  return remedies;
}

static Json algorithmsToJson(const TrainingPlan& plan) {
  Json result = Json::array();
  for (const LayerAlgorithm& each : plan.algorithms) {
    Json offered = Json::array();
    for (const OfferedAlgorithm& algorithm : each.offered)
      offered.push_back({{"name", algorithm.name}, {"workspace_bytes", algorithm.workspaceBytes}});
    result.push_back({{"layer", each.layer},
                      {"op", each.op},
                      {"algorithm", each.algorithm},
                      {"workspace_bytes", each.workspaceBytes},
                      {"pinned", !each.pinned.empty()},
                      {"offered", offered}});
  }
  return result;
}

static Json pathsToJson(const TrainingPlan& plan) {
  Json result = Json::array();
  for (const LayerKernel& each : plan.paths) {
    const std::string reason = pathReason(each.path);
    result.push_back({{"layer", each.layer},
                      {"op", each.op},
                      {"path", pathName(each.path)},
                      {"reason", reason.empty() ? Json(nullptr) : Json(reason)},
                      {"deterministic", each.path.isDeterministic}});
  }
  return result;
}

static Json toJson(const TrainingPlan& plan) {
  Json layers = Json::array();
  for (const PlanLayer& layer : plan.layers) {
    Json shape = Json::array();
    if (layer.summary.outputShape) {
      for (const int64_t dim : layer.summary.outputShape->dims())
        shape.push_back(dim);
    }
    layers.push_back({{"name", layer.summary.name},
                      {"type", layer.summary.type},
                      {"output_shape", shape},
                      {"parameters", layer.summary.parameters},
                      {"multiply_adds", static_cast<int64_t>(layer.summary.multiplyAdds)},
                      {"bytes", layer.bytesAtPeak},
                      {"step_us", orNull(layer.stepMicroseconds)},
                      {"predicted_step_us", orNull(layer.predictedMicroseconds)}});
    for (const PlanInnerLayer& inner : layer.inner)
      layers.back()["layers"].push_back(
          {{"name", inner.name},
           {"type", inner.type},
           {"parameters", inner.parameters},
           {"bytes", inner.bytesAtPeak},
           {"step_us", orNull(inner.stepMicroseconds)},
           {"predicted_step_us", orNull(inner.predictedMicroseconds)}});
  }
  const auto part = [](const std::optional<LayerTimes>& times, double LayerTimes::*which) {
    return times ? Json((*times).*which) : Json(nullptr);
  };
  return {{"device", plan.device},
          {"batch_size", plan.batchSize},
          {"requested_batch_size", plan.requestedBatchSize},
          {"stage", plan.stages > 0 ? Json(plan.stage) : Json(nullptr)},
          {"from_step", plan.fromStep > 0 ? Json(plan.fromStep) : Json(nullptr)},
          {"peak_in_other_part", plan.isPeakInOtherPart},
          {"peak_bytes", plan.peakBytes},
          {"lower_bound_bytes", plan.lowerBoundBytes},
          {"limit_bytes", plan.limitBytes},
          {"data_bytes", plan.dataBytes},
          {"kept_data_bytes", plan.keptDataBytes},
          {"card_bytes", plan.cardBytes > 0 ? Json(plan.cardBytes) : Json(nullptr)},
          {"context_bytes", plan.contextBytes},
          {"context_estimated", plan.isContextEstimated},
          {"transfer_bytes", plan.transferBytes},
          {"device_memory", memoryToJson(plan.memoryFigures())},
          {"algorithms", algorithmsToJson(plan)},
          {"paths", pathsToJson(plan)},
          {"fits", plan.fits},
          {"largest_batch", plan.largestBatch ? Json(*plan.largestBatch) : Json(nullptr)},
          {"parameters", plan.parameters},
          {"multiply_adds", static_cast<int64_t>(plan.multiplyAdds)},
          {"by_category", byCategory(plan.memory.byCategoryAtPeak)},
          {"devices", devicesToJson(plan.devices)},
          {"device_transfers", transfersToJson(plan.devices)},
          {"memory", stepMemoryToJson(plan)},
          {"recompute", recomputeToJson(plan)},
          {"remedies", remediesToJson(plan)},
          {"smallest_peak_bytes",
           !plan.fits && plan.remedies.empty() ? Json(plan.smallestPeakBytes) : Json(nullptr)},
          {"layers", layers},
          {"step_us", orNull(plan.stepMicroseconds)},
          {"update_us", part(plan.measuredTimes, &LayerTimes::update)},
          {"other_us", part(plan.measuredTimes, &LayerTimes::other)},
          {"why_no_step_us", plan.whyNoStepTime},
          {"predicted_step_us", orNull(plan.predictedStepMicroseconds)},
          {"predicted_update_us", part(plan.predictedTimes, &LayerTimes::update)},
          {"predicted_other_us", part(plan.predictedTimes, &LayerTimes::other)},
          {"predicted_transfers_us", part(plan.predictedTimes, &LayerTimes::transfers)},
          {"predicted_communication_us", part(plan.predictedTimes, &LayerTimes::communication)},
          {"prediction_without_exchange", plan.leavesOutExchange},
          {"why_no_predicted_step_us", plan.whyNoPrediction},
          {"prediction_doubtful", plan.isPredictionDoubtful},
          {"measured_while_busy", plan.isMeasuredBusy}};
}

static std::string padded(std::string text, size_t width, bool isRight) {
  if (text.size() < width) text.insert(isRight ? 0 : text.size(), width - text.size(), ' ');
  return text;
}

/// Describes how the step saves memory.
static std::string savingsOf(const TrainingPlan& plan) {
  std::string text;
  if (const auto count = static_cast<int64_t>(plan.repeats.size()); count > 0)
    text = formatCounted(count, "operation") + (count == 1 ? " runs twice" : " run twice");
  if (const auto count = static_cast<int64_t>(plan.shrunk.size()); count > 0)
    text += (text.empty() ? "" : ", ") + formatCounted(count, "kernel") +
            (count == 1 ? " runs" : " run") + " with a smaller workspace";
  if (plan.updatesEarly)
    text += std::string(text.empty() ? "" : " and ") +
            "weights are updated as soon as their gradients are ready";
  return text;
}

/// Joins the first names and appends the number of the others.
static std::string joined(const std::vector<std::string>& names) {
  constexpr size_t kMaxListed = 12;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kMaxListed); ++i)
    text += (i > 0 ? ", " : "") + names[i];
  if (names.size() > kMaxListed)
    text += " and " + std::to_string(names.size() - kMaxListed) + " more";
  return text;
}

/// Prints a table. Each column is as wide as its widest cell. The first `numLeft` columns are
/// left-aligned.
static void printTable(const std::vector<std::vector<std::string>>& rows, size_t numLeft) {
  std::vector<size_t> widths(rows[0].size(), 0);
  for (const auto& row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i)
      std::cout << (i ? "  " : "") << padded(row[i], widths[i], i >= numLeft);
    std::cout << "\n";
  }
}

/// Prints the kernels of ops for which the device has several kinds.
static void printPaths(const TrainingPlan& plan) {
  for (const LayerKernel& each : plan.paths) {
    std::cout << "The op " << each.op << " of " << each.layer << ": " << pathName(each.path);
    if (const std::string reason = pathReason(each.path); !reason.empty())
      std::cout << ", because " << reason;
    std::cout << "\n";
  }
}

static const char* reasonToSave(const TrainingPlan& plan) {
  if (plan.recompute == Recompute::All) return "To save as much memory as possible, ";
  return plan.fits ? "To stay below the limit, " : "To come closer to the limit, ";
}

static void print(const TrainingPlan& plan) {
  std::vector<std::vector<std::string>> rows{{"layer", "type", "output", "parameters",
                                              "multiply-adds", "bytes at peak", "predicted step",
                                              "measured step"}};
  const auto time = [](const std::optional<double>& microseconds) {
    return microseconds ? formatNumber(*microseconds, 1) + " us" : std::string("unknown");
  };
  const auto timeOfRest = [](const std::optional<LayerTimes>& times, double LayerTimes::*which) {
    return times ? std::optional((*times).*which) : std::nullopt;
  };
  for (const PlanLayer& layer : plan.layers)
    rows.push_back({layer.summary.name, layer.summary.type,
                    layer.summary.outputShape.value_or(Shape()).toString(),
                    formatCount(static_cast<double>(layer.summary.parameters)),
                    formatCount(layer.summary.multiplyAdds),
                    bytesText(static_cast<double>(layer.bytesAtPeak)),
                    time(layer.predictedMicroseconds), time(layer.stepMicroseconds)});
  if (plan.predictedTimes || plan.measuredTimes)
    for (const auto& [name, which] : {std::pair("(loss, metrics, input)", &LayerTimes::other),
                                      std::pair("(update)", &LayerTimes::update)})
      rows.push_back({name, "", "", "", "", "", time(timeOfRest(plan.predictedTimes, which)),
                      time(timeOfRest(plan.measuredTimes, which))});
  if (DeviceName(plan.device).isSimulated() && plan.predictedTimes)
    rows.push_back({"(transfers)", "", "", "", "", "", time(plan.predictedTimes->transfers),
                    time(std::nullopt)});
  if (plan.predictedTimes && plan.predictedTimes->communication > 0)
    rows.push_back({"(communication)", "", "", "", "", "", time(plan.predictedTimes->communication),
                    time(std::nullopt)});
  rows.push_back({"total", "", "", formatCount(static_cast<double>(plan.parameters)),
                  formatCount(plan.multiplyAdds), bytesText(static_cast<double>(plan.peakBytes)),
                  time(plan.predictedStepMicroseconds), time(plan.stepMicroseconds)});
  printTable(rows, 2);
  if (DeviceName(plan.device).isSimulated())
    std::cout << "\nThe card is simulated; its times are predicted from its data sheet, as in a run"
              << (plan.leavesOutExchange ? ", but without what devices send each other" : "");
  if (plan.batchSize < plan.requestedBatchSize)
    std::cout << "\nThe data has only " << formatCounted(plan.batchSize, "sample")
              << ", so a batch has " << plan.batchSize << " instead of " << plan.requestedBatchSize;
  const int replicas = plan.devices.devices.empty() ? DeviceName(plan.device).copies : 1;
  std::cout << "\nPredicted peak on " << (replicas > 1 ? "each replica of " : "") << plan.device
            << " at batch size " << plan.batchSize << ": "
            << bytesText(static_cast<double>(plan.peakBytes))
            << (plan.isPeakInLastBatch ? ", in the smaller last batch of an epoch" : "")
            << " (lower bound " << bytesText(static_cast<double>(plan.lowerBoundBytes)) << ")";
  for (int i = 0; i < kNumCategories; ++i)
    if (const size_t bytes = plan.memory.byCategoryAtPeak[static_cast<size_t>(i)])
      std::cout << ", " << categoryName(static_cast<Category>(i)) << " "
                << bytesText(static_cast<double>(bytes));
  const auto part = [](int64_t stage, int64_t fromStep) {
    if (stage == 0 && fromStep == 0) return std::string("the start of the run");
    std::string text = stage > 0 ? "stage " + std::to_string(stage) : "the run";
    if (fromStep > 0) text += " from step " + std::to_string(fromStep) + " on";
    return text;
  };
  if (plan.stages > 0 || plan.fromStep > 0 || plan.isPeakInOtherPart) {
    std::cout << "\nThis plan is for " << part(plan.stage, plan.fromStep);
    if (plan.stages > 0) std::cout << " of " << plan.stages << " stages";
    std::cout << ", which needs the most memory";
    if (plan.isPeakInOtherPart)
      std::cout << " without recomputation; under the limit, the peak is in "
                << part(plan.peakStage, plan.peakFromStep);
  }
  std::cout << "\n" << memoryText(plan.memoryFigures());
  if (plan.cardBytes > 0 && plan.dataBytes > 0)
    std::cout << "\nThe data set takes " << bytesText(static_cast<double>(plan.dataBytes))
              << " of host memory";
  std::cout << "\n"
            << (plan.fits ? "Fits in " : "Does not fit in ")
            << bytesText(static_cast<double>(plan.limitBytes));
  if (!plan.fits)
    std::cout << ": " << bytesText(static_cast<double>(plan.peakBytes - plan.limitBytes))
              << " over the limit";
  if (plan.largestBatch)
    std::cout << "; largest batch that fits: "
              << (*plan.largestBatch == kMaxBatch ? "at least " : "")
              << formatCount(static_cast<double>(*plan.largestBatch));
  std::cout << "\n";
  print(plan.devices);
  if (!plan.whyAboveBound.empty())
    std::cout << "Reason for exceeding the lower bound: " << plan.whyAboveBound << "\n";
  if (!plan.repeats.empty() || !plan.shrunk.empty() || plan.updatesEarly)
    std::cout << reasonToSave(plan) << savingsOf(plan) << ": "
              << formatNumber(std::max(0.0, 100 * plan.slowdown), 0)
              << "% slower; the peak would otherwise be "
              << bytesText(static_cast<double>(plan.keptPeakBytes)) << "\n";
  for (const PlanRemedy& remedy : plan.remedies) {
    std::cout << "Would fit (predicted): " << remedyText(remedy) << ", "
              << bytesText(static_cast<double>(remedy.peakBytes));
    if (remedy.stepMicroseconds)
      std::cout << ", " << formatNumber(*remedy.stepMicroseconds, 1) << " us per step";
    if (!remedy.layers.empty()) std::cout << ", recomputing " << joined(remedy.layers);
    std::cout << "\n";
  }
  if (!plan.fits && plan.limitBytes == 0)
    std::cout << "The data set leaves no memory for the network: use fewer or smaller samples\n";
  else if (!plan.fits && plan.remedies.empty())
    std::cout << "No batch size fits: a batch of one takes "
              << bytesText(static_cast<double>(plan.smallestPeakBytes)) << ", including "
              << bytesText(static_cast<double>(plan.memory.persistentBytes))
              << " for weights, optimizer state and constants\n";
  printPaths(plan);
  if (!plan.stepMicroseconds)
    std::cout << "The step time is unknown, because " << plan.whyNoStepTime << "\n";
  if (plan.isMeasuredBusy) std::cout << formatText(kBusyTimes) << " Close it, and plan again\n";
  if (!plan.predictedStepMicroseconds)
    std::cout << "No prediction, because " << plan.whyNoPrediction << "\n";
}

/// Returns the time that the plan shows for a layer: predicted by the clock of a simulated card, or
/// the minimum by the data sheet.
static double timeOf(const DevicePlan& plan, const DevicePlanLayer& layer) {
  if (!plan.predicted) return layer.microseconds;
  return layer.name.empty() ? plan.predicted->other : plan.predicted->of(layer.name);
}

static Json toJson(const DevicePlan& plan) {
  Json layers = Json::array(), precisions = Json::array(), byLimit = Json::object();
  for (const DevicePlanLayer& layer : plan.layers)
    layers.push_back({{"name", layer.name},
                      {"lower_bound_us", layer.microseconds},
                      {"predicted_us", plan.predicted ? Json(timeOf(plan, layer)) : Json(nullptr)},
                      {"limit", limitName(layer.limit)}});
  for (const DevicePlanPrecision& precision : plan.precisions)
    precisions.push_back({{"precision", precision.name},
                          {"lower_bound_us", precision.microseconds},
                          {"limit", limitName(precision.limit)}});
  for (size_t i = 0; i < plan.limitMicroseconds.size(); ++i)
    byLimit[std::string(limitName(static_cast<Limit>(i)))] = plan.limitMicroseconds[i];
  return {{"device", plan.device.name},
          {"source", plan.device.source},
          {"batch_size", plan.batchSize},
          {"too_old", plan.device.isTooOld()},
          {"memory_bytes", plan.device.memoryBytes},
          {"peak_bytes", plan.peakBytes},
          {"lower_bound_bytes", plan.lowerBoundBytes},
          {"fits", plan.fits},
          {"repeated", plan.repeated},
          {"simulated", plan.isSimulated},
          {"why_not_simulated", plan.whyNotSimulated},
          {"workspace_bytes", plan.isSimulated ? Json(plan.workspaceBytes) : Json(nullptr)},
          {"lower_bound_us", plan.microseconds},
          {"predicted_step_us", plan.predicted ? Json(plan.predicted->step) : Json(nullptr)},
          {"predicted_update_us", plan.predicted ? Json(plan.predicted->update) : Json(nullptr)},
          {"limit", limitName(plan.limit)},
          {"by_limit_us", byLimit},
          {"kernels", plan.kernels},
          {"layers", layers},
          {"precisions", precisions}};
}

static const char* limitWords(Limit limit) {
  switch (limit) {
    case Limit::Compute: return "arithmetic";
    case Limit::Memory: return "memory traffic";
    default: return "launching kernels";
  }
}

static void print(const DevicePlan& plan) {
  std::vector<std::vector<std::string>> rows{
      {"layer", "limit", plan.predicted ? "predicted" : "at least"}};
  for (const DevicePlanLayer& layer : plan.layers)
    rows.push_back({layer.name.empty() ? "(loss, metrics, input)" : layer.name,
                    std::string(limitName(layer.limit)),
                    formatNumber(timeOf(plan, layer), 1) + " us"});
  if (plan.predicted)
    rows.push_back({"(update)", "", formatNumber(plan.predicted->update, 1) + " us"});
  const double step = plan.predicted ? plan.predicted->step : plan.microseconds;
  rows.push_back({"total", std::string(limitName(plan.limit)), formatNumber(step, 1) + " us"});
  printTable(rows, 2);
  const auto bytes = [](size_t count) {
    return bytesText(static_cast<double>(count));
  };
  std::cout << "\n"
            << plan.device.name << " (by its data sheet) at batch size " << plan.batchSize
            << ": predicted peak " << bytes(plan.peakBytes) << ", "
            << (plan.fits ? "fits in " : "does not fit in ") << bytes(plan.device.memoryBytes);
  if (plan.repeated > 0)
    std::cout << ", " << formatCounted(plan.repeated, "operation")
              << (plan.repeated == 1 ? " runs twice" : " run twice");
  if (plan.isSimulated)
    std::cout << ", including " << bytes(plan.workspaceBytes)
              << " of kernel workspaces; the driver takes additional memory\n";
  else
    std::cout << "; kernel workspaces and the driver take additional memory\n";
  std::cout << "A step takes " << (plan.predicted ? "about " : "at least ") << formatNumber(step, 1)
            << " us (" << (plan.predicted ? "predicted, " : "") << plan.kernels
            << " kernels), mostly for " << limitWords(plan.limit) << "\n";
  for (const DevicePlanPrecision& precision : plan.precisions)
    if (plan.precisions.size() > 1 && precision.name != "float32")
      std::cout << "In " << precision.name << ": at least "
                << formatNumber(precision.microseconds, 1) << " us\n";
  if (!plan.isSimulated && !plan.device.computeCapability.empty() && !plan.device.isTooOld())
    std::cout << "The memory is estimated with the kernels of this machine's processor, because "
              << plan.whyNotSimulated << "\n";
  if (plan.device.isTooOld())
    std::cout << "CUDA 13 does not support this GPU: it needs compute capability 7.5 or higher, "
                 "this GPU has "
              << plan.device.computeCapability << "\n";
  std::cout << "Source of the data: " << plan.device.source << "\n";
}

Action setupPlan(Arguments& accepted) {
  struct Options {
    ProjectArgument project;
    PlanOptions plan;
    int64_t memoryLimit = 0;
    std::string recompute, catalogued;
    bool asJson = false;
    ReplicaArguments replicas;
  };
  auto options = std::make_shared<Options>();
  options->project.addTo(accepted);
  options->project.addDeviceTo(accepted, options->plan.device, "the project's");
  options->replicas.addTo(accepted);
  accepted.text(
      "--for", options->catalogued,
      "Estimate the memory and minimum time on a GPU known by its data sheet, with the kernels of "
      "--device simulated:NAME where it has them (list: strata devices --catalogue)",
      "NAME");
  accepted.threads(options->plan.threads);
  accepted.batchSize(options->plan.batchSize, "Batch size (default: the project's)");
  addMemoryLimit(accepted, options->memoryLimit);
  addRecompute(accepted, options->recompute);
  options->project.addPassesTo(accepted);
  accepted.json(options->asJson);
  accepted.excludes("--for",
                    // These options concern a run on this machine, but the plan is for another
                    // device.
                    {"--device", "--threads", "--memory-limit", "--recompute", "--replicas"});
  return [options] {
    if (!options->catalogued.empty()) {
      const CatalogueDevice& device = catalogueDevice(deviceCatalogue(), options->catalogued);
      const CheckedProject project = options->project.loadChecked();
      const std::vector<Project> stages = stageProjects(project.project(), project.recipe().stages);
      const DevicePlan plan = planForDevice(stages.front(), device, options->plan.batchSize);
      if (options->asJson)
        printJsonDocument(toJson(plan));
      else
        print(plan);
      if (stages.size() > 1)
        std::cerr << "strata: the plan is for the first of " << stages.size() << " stages\n";
      return kDone;
    }
    warnOfThreads(options->plan.threads);
    PlanOptions request = options->plan;
    request.drawsCurve = request.listsAlgorithms = options->asJson;
    request.predictsStepTime = true;
    if (options->memoryLimit > 0)
      request.memoryLimitBytes = static_cast<size_t>(options->memoryLimit);
    const CheckedProject project = options->project.loadChecked();
    request.recompute = recomputeFor(project, options->recompute);
    const TrainingPlan plan = planTraining(project, request);
    const std::vector<ReplicaPrediction> several =
        options->replicas.predict(project, options->plan);
    if (options->asJson) {
      Json json = toJson(plan);
      if (!several.empty()) json["replicas"] = toJson(several);
      printJsonDocument(json);
    }
    else {
      print(plan);
      print(several);
    }
    return kDone;
  };
}

}  // namespace strata::cli
