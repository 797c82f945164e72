// SPDX-License-Identifier: GPL-3.0-or-later
// Implements `strata runs layers`.
#include <cmath>
#include <filesystem>
#include <iostream>
#include <limits>

#include <nlohmann/json.hpp>

#include "app/cli/runs.h"
#include "core/layer_statistics/layer_file.h"
#include "core/layer_statistics/layer_verdict.h"
#include "core/project/text.h"
#include "core/runs/kept_batch.h"
#include "core/runs/moved_run.h"
#include "gpu/base/printable.h"

namespace strata::cli {

namespace {

namespace fs = std::filesystem;

struct LayersOptions {
  std::vector<std::string> words;
  std::string layer;
  bool showsHistory = false, isJson = false;
};

/// Returns a number with two digits, such as "0.046" or "1.2e-09", or "-" if it is unknown.
std::string shortText(double value) {
  if (std::isnan(value)) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", value);
  return text;
}

std::string shareText(double share) {
  return std::isnan(share) ? "-" : formatNumber(100 * share, 1) + "%";
}

double deadShare(const LayerStatistics& layer, const WatchedLayer& watched) {
  return layer.deadUnits < 0 || watched.units == 0
             ? std::numeric_limits<double>::quiet_NaN()
             : static_cast<double>(layer.deadUnits) / static_cast<double>(watched.units);
}

Json numberOrNull(double value) { return std::isnan(value) ? Json() : jsonNumber(value); }

Json tensorToJson(const TensorStatistics& tensor) {
  if (!tensor.isKnown()) return nullptr;
  return {{"count", tensor.count},
          {"zeros", tensor.zeros},
          {"non_finite", tensor.nonFinite},
          {"mean", numberOrNull(tensor.mean)},
          {"standard_deviation", numberOrNull(tensor.deviation)},
          {"minimum", numberOrNull(tensor.minimum)},
          {"maximum", numberOrNull(tensor.maximum)},
          {"mean_magnitude", numberOrNull(tensor.meanMagnitude)},
          {"norm", numberOrNull(tensor.norm)},
          {"histogram",
           {{"low", numberOrNull(tensor.low)},
            {"high", numberOrNull(tensor.high)},
            {"below", tensor.below},
            {"above", tensor.above},
            {"bins", tensor.bins}}}};
}

Json statisticsToJson(const LayerStatistics& layer, const WatchedLayer& watched) {
  Json weights = Json::array();
  for (size_t i = 0; i < watched.weights.size(); ++i)
    weights.push_back({{"name", watched.weights[i].name},
                       {"log10_update_ratio", numberOrNull(layer.updateRatios[i])}});
  return {{"weights", tensorToJson(layer.weights)},
          {"gradients", tensorToJson(layer.gradients)},
          {"activations", tensorToJson(layer.activations)},
          {"log10_update_ratio", numberOrNull(layer.updateRatio)},
          {"variables", std::move(weights)},
          {"dead_units", layer.deadUnits < 0 ? Json() : Json(layer.deadUnits)},
          {"saturated", numberOrNull(layer.saturated)}};
}

/// The statistics of a run, and which of its layers are shown.
struct ShownLayers {
  std::string run;
  LayerFileReader reader;
  std::vector<size_t> layers;

  ShownLayers(const std::string& directory, const std::string& layer)
      : run(directory), reader(pathIn(directory)) {
    if (layer.empty())
      for (size_t i = 0; i < reader.layers()->size(); ++i)
        layers.push_back(i);
    else if (const auto found = reader.find(layer))
      layers.push_back(*found);
    else
      throw Error(ErrorCode::InvalidArgument, layer,
                  "is not a layer of the run. See strata runs layers " + directory + ".");
    const auto ignored = static_cast<int64_t>(reader.numIgnored());
    if (reader.size() == 0)
      throw Error(ErrorCode::InvalidFile, pathIn(directory),
                  ignored == 0 ? "has no statistics yet (the run has not sampled its layers)."
                               : "is damaged or truncated (" + formatCounted(ignored, "record") +
                                     " cannot be read). Restore it from a backup.");
    if (ignored > 0)
      printMessage("warning: " + pathIn(directory) + ": is damaged or truncated, so " +
                   formatCounted(ignored, "record") + " after step " +
                   std::to_string(reader.stepAt(reader.size() - 1)) +
                   (ignored == 1 ? " is" : " are") + " lost.");
  }

  std::vector<LayerSample> latest() const {
    std::vector<LayerSample> samples;
    const size_t first = reader.size() - std::min(reader.size(), kVerdictSamples);
    for (size_t i = first; i < reader.size(); ++i)
      samples.push_back(reader[i]);
    return samples;
  }

 private:
  static std::string pathIn(const std::string& directory) {
    std::string path = (fs::path(placeOfRun(directory)) / kLayerFile).string();
    std::error_code error;
    if (!fs::exists(path, error))
      throw Error(ErrorCode::InvalidFile, directory,
                  "has no statistics of layers. Train with --layer-statistics.");
    return path;
  }
};

Json keptBatchToJson(const KeptBatch& batch) {
  return {{"step", batch.step},       {"epoch", batch.epoch},     {"loss", jsonNumber(batch.loss)},
          {"layer", batch.layer},     {"message", batch.message}, {"path", batch.path},
          {"samples", batch.indices}, {"tensors", batch.tensors}};
}

/// Returns the batch that a run kept, and warns if its file is damaged.
std::optional<KeptBatch> keptBatchOf(const std::string& run) {
  std::string problem;
  std::optional<KeptBatch> batch = readKeptBatch(placeOfRun(run), problem);
  if (!problem.empty()) printMessage("warning: " + run + ": " + problem + ".");
  return batch;
}

Json toJson(const ShownLayers& shown, bool showsHistory) {
  const std::vector<LayerSample> latest = shown.latest();
  const std::vector<LayerVerdict> verdicts = layerVerdicts(latest);
  const LayerSample& last = latest.back();
  Json layers = Json::array();
  for (const size_t i : shown.layers) {
    const WatchedLayer& watched = (*last.watched)[i];
    const LayerVerdict& verdict = verdicts[i];
    Json layer{{"name", watched.name},
               {"type", watched.type},
               {"activation", watched.activation},
               {"units", watched.units},
               {"verdict", healthName(verdict.health)},
               {"evidence", formatText(verdict.evidence.text, verdict.evidence.arguments)},
               {"advice", formatText(verdict.advice.text, verdict.advice.arguments)},
               {"figure", numberOrNull(verdict.figure)},
               {"limit", numberOrNull(verdict.limit)}};
    layer.update(statisticsToJson(last.layers[i], watched));
    layers.push_back(std::move(layer));
  }
  Json json{{"run", shown.run},
            {"step", last.step},
            {"epoch", last.epoch},
            {"seconds", jsonNumber(last.seconds)},
            {"samples", last.samples},
            {"records", shown.reader.size()},
            {"lost_records", shown.reader.numIgnored()},
            {"layers", std::move(layers)}};
  if (showsHistory) {
    Json history = Json::array();
    for (size_t record = 0; record < shown.reader.size(); ++record) {
      const LayerSample sample = shown.reader[record];
      Json all = Json::object();
      for (const size_t i : shown.layers)
        all[(*sample.watched)[i].name] = statisticsToJson(sample.layers[i], (*sample.watched)[i]);
      history.push_back({{"step", sample.step},
                         {"epoch", sample.epoch},
                         {"seconds", jsonNumber(sample.seconds)},
                         {"cost_seconds", jsonNumber(sample.cost)},
                         {"layers", std::move(all)}});
    }
    json["history"] = std::move(history);
  }
  const std::optional<KeptBatch> batch = keptBatchOf(shown.run);
  json["bad_batch"] = batch ? keptBatchToJson(*batch) : Json();
  return json;
}

void print(const ShownLayers& shown) {
  const std::vector<LayerSample> latest = shown.latest();
  const std::vector<LayerVerdict> verdicts = layerVerdicts(latest);
  const LayerSample& last = latest.back();
  std::cout << printable(shortPath(shown.run)) << ": step " << last.step << ", epoch " << last.epoch
            << ", " << formatCounted(std::ssize(latest.back().layers), "layer") << ", "
            << formatCounted(static_cast<int64_t>(shown.reader.size()), "record") << "\n";
  std::vector<std::vector<std::string>> lines{{"Layer", "Type", "Verdict", "Weights", "Gradient",
                                               "Update", "Output", "Zeros", "Dead", "Saturated"}};
  for (const size_t i : shown.layers) {
    const WatchedLayer& watched = (*last.watched)[i];
    const LayerStatistics& layer = last.layers[i];
    const auto spread = [](const TensorStatistics& tensor) {
      if (!tensor.isKnown()) return std::string("-");
      return shortText(tensor.mean) + " ± " + shortText(tensor.deviation);
    };
    lines.push_back({printable(watched.name), watched.type.empty() ? "-" : printable(watched.type),
                     std::string(healthName(verdicts[i].health)), spread(layer.weights),
                     shortText(layer.gradients.meanMagnitude),
                     std::isnan(layer.updateRatio)
                         ? "-"
                         : shortText(std::pow(10.0, static_cast<double>(layer.updateRatio))),
                     spread(layer.activations), shareText(layer.activations.zeroShare()),
                     shareText(deadShare(layer, watched)), shareText(layer.saturated)});
  }
  printTable(lines, {false, false, false, true, true, true, true, true, true, true});
  for (const size_t i : shown.layers) {
    const LayerVerdict& verdict = verdicts[i];
    if (!verdict.isProblem()) continue;
    std::cout << printable(verdict.layer) << ": " << healthName(verdict.health) << ". "
              << printable(formatText(verdict.evidence.text, verdict.evidence.arguments)) << ". "
              << formatText(verdict.advice.text, verdict.advice.arguments) << "\n";
  }
  if (const std::optional<KeptBatch> batch = keptBatchOf(shown.run))
    std::cout << "The batch of step " << batch->step << ", which was not finite, is in "
              << printable(batch->path) << "\n";
}

int showLayers(const LayersOptions& options) {
  const std::vector<std::string> named = namedRuns(options.words);
  if (named.size() != 1)
    throw Error(ErrorCode::InvalidArgument, "runs layers",
                "shows one run (got " + std::to_string(named.size()) + "). Name one.");
  const ShownLayers shown(named[0], options.layer);
  if (options.isJson)
    printJsonDocument(toJson(shown, options.showsHistory));
  else
    print(shown);
  return kDone;
}

}  // namespace

void setupRunsLayers(Arguments& runs, Action& action) {
  auto options = std::make_shared<LayersOptions>();
  Arguments accepted = runs.command(
      "layers", "Show how each layer of a run does: verdict, weights, gradients",
      "strata runs layers mnist-cnn.json latest\n"
      "The run must have been trained with --layer-statistics. The columns: mean and "
      "standard deviation of the weights, mean magnitude of the gradient, norm of an "
      "update divided by that of the weights, mean and standard deviation of the "
      "outputs, shares of outputs that are 0, of dead units and of saturated outputs.\n"
      "A verdict is fine, exploding, dead, saturated, vanishing or unknown.",
      [&action, options] {
        action = [options] {
          return showLayers(*options);
        };
      });
  accepted.list("RUN", options->words, "Run directory, or a project and the number of a run",
                "RUN");
  accepted.text("--layer", options->layer, "Show only this layer", "NAME");
  accepted.flag("--history", options->showsHistory, "With --json, show all records");
  accepted.json(options->isJson);
}

}  // namespace strata::cli
