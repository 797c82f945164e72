// SPDX-License-Identifier: GPL-3.0-or-later
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "core/train/plan.h"

namespace strata::cli {

static Json toJson(const TrainingPlan& plan) {
  Json byCategory = Json::object(), layers = Json::array();
  for (int i = 0; i < kNumCategories; ++i)
    byCategory[std::string(categoryName(static_cast<Category>(i)))] = plan.memory.byCategoryAtPeak[static_cast<size_t>(i)];
  for (const PlanLayer& layer : plan.layers) {
    Json shape = Json::array();
    for (int64_t dim : layer.summary.outputShape.dims()) shape.push_back(dim);
    layers.push_back({{"name", layer.summary.name},
                      {"type", layer.summary.type},
                      {"output_shape", shape},
                      {"parameters", layer.summary.parameters},
                      {"multiply_adds", layer.summary.multiplyAdds},
                      {"bytes", layer.bytesAtPeak},
                      {"step_us", layer.stepMicroseconds ? Json(*layer.stepMicroseconds) : Json(nullptr)}});
  }
  return {{"device", plan.device},
          {"batch_size", plan.batchSize},
          {"peak_bytes", plan.peakBytes},
          {"lower_bound_bytes", plan.lowerBoundBytes},
          {"limit_bytes", plan.limitBytes},
          {"fits", plan.fits},
          {"largest_batch", plan.largestBatch ? Json(*plan.largestBatch) : Json(nullptr)},
          {"parameters", plan.parameters},
          {"multiply_adds", plan.multiplyAdds},
          {"by_category", byCategory},
          {"layers", layers},
          {"step_us", plan.stepMicroseconds ? Json(*plan.stepMicroseconds) : Json(nullptr)},
          {"why_no_step_us", plan.whyNoStepTime}};
}

static std::string padded(std::string text, size_t width, bool isRight) {
  if (text.size() < width) text.insert(isRight ? 0 : text.size(), width - text.size(), ' ');
  return text;
}

static void print(const TrainingPlan& plan) {
  std::vector<std::vector<std::string>> rows{{"layer", "type", "output", "parameters", "multiply-adds", "bytes at peak", "step"}};
  for (const PlanLayer& layer : plan.layers)
    rows.push_back({layer.summary.name, layer.summary.type, layer.summary.outputShape.toString(),
                    formatCount(static_cast<double>(layer.summary.parameters)), formatCount(layer.summary.multiplyAdds),
                    formatBytes(static_cast<double>(layer.bytesAtPeak)),
                    layer.stepMicroseconds ? formatNumber(*layer.stepMicroseconds, 0) + " us" : "unknown"});
  rows.push_back({"total", "", "", formatCount(static_cast<double>(plan.parameters)), formatCount(plan.multiplyAdds),
                  formatBytes(static_cast<double>(plan.peakBytes)),
                  plan.stepMicroseconds ? formatNumber(*plan.stepMicroseconds, 0) + " us" : "unknown"});
  std::vector<size_t> widths(rows[0].size(), 0);
  for (const auto& row : rows)
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) std::cout << (i ? "  " : "") << padded(row[i], widths[i], i >= 2);
    std::cout << "\n";
  }
  std::cout << "\nPeak on " << plan.device << " at batch " << plan.batchSize << ": " << formatBytes(static_cast<double>(plan.peakBytes))
            << " (lower bound " << formatBytes(static_cast<double>(plan.lowerBoundBytes)) << ")";
  for (int i = 0; i < kNumCategories; ++i)
    if (const size_t bytes = plan.memory.byCategoryAtPeak[static_cast<size_t>(i)])
      std::cout << ", " << categoryName(static_cast<Category>(i)) << " " << formatBytes(static_cast<double>(bytes));
  std::cout << "\n" << (plan.fits ? "Fits in " : "Does not fit in ") << formatBytes(static_cast<double>(plan.limitBytes));
  if (!plan.fits) std::cout << ": " << formatBytes(static_cast<double>(plan.peakBytes - plan.limitBytes)) << " too much";
  if (plan.largestBatch) std::cout << "; largest batch that fits: " << formatCount(static_cast<double>(*plan.largestBatch));
  std::cout << "\n";
  if (!plan.stepMicroseconds) std::cout << "Step time unknown, because " << plan.whyNoStepTime << "\n";
}

Action setupPlan(Arguments& accepted) {
  struct Options {
    ProjectArgument project;
    PlanOptions plan;
    int64_t memoryLimit = 0;
    std::string recompute = "none";
    bool asJson = false;
  };
  auto options = std::make_shared<Options>();
  options->project.addTo(accepted);
  accepted.text("--device", options->plan.device, "auto, cpu or reference", "D");
  accepted.threads(options->plan.threads);
  accepted.count("--batch-size", options->plan.batchSize, "Batch size instead of the project's");
  accepted.number("--memory-limit", options->memoryLimit, "Bytes that may be used (default: the device's)", 1, int64_t{1} << 60, "BYTES");
  accepted.choice("--recompute", options->recompute, "none", "HOW", {"none", "auto", "all"});
  accepted.json(options->asJson);
  return [options] {
    if (options->recompute != "none") throw Error(ErrorCode::UnsupportedOp, "--recompute " + options->recompute, "not in this version");
    PlanOptions request = options->plan;
    if (options->memoryLimit > 0) request.memoryLimitBytes = static_cast<size_t>(options->memoryLimit);
    const TrainingPlan plan = planTraining(options->project.loadChecked(), request);
    if (options->asJson)
      printJsonDocument(toJson(plan));
    else
      print(plan);
    return kDone;
  };
}

}  // namespace strata::cli
