// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <charconv>
#include <cmath>
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/samples.h"
#include "core/data/table.h"
#include "core/explain/column_contributions.h"
#include "core/explain/explainer.h"
#include "core/explain/map_file.h"
#include "core/project/json.h"
#include "core/runs/moved_run.h"
#include "gpu/base/printable.h"

namespace strata::cli {

namespace {

struct ExplainOptions {
  ProjectArgument project;
  std::string weights, device = "auto", sample, method, output, input, layer, fill, to;
  int64_t sampleIndex = -1, index = -1, patch = 0, stride = 0;
  bool asJson = false;
};

/// What a method found, for printing.
struct Found {
  Tensor values;
  // Further members of the JSON answer
  Json about = Json::object();
  // For a row of a table
  std::vector<ColumnContribution> columns = {};
};

double fillOf(const std::string& text) {
  if (text.empty()) return 0;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    throw Error(ErrorCode::InvalidArgument, "--fill " + text,
                "is not a number (expected a raw value of the input, such as 0). Correct it.");
  return value;
}

/// Returns the values as nested lists.
Json nested(const Tensor& values, int axis = 0, size_t first = 0) {
  const Shape& shape = values.shape();
  if (axis == shape.rank()) return jsonNumber(values.as<float>()[first]);
  size_t inner = 1;
  for (int i = axis + 1; i < shape.rank(); ++i)
    inner *= static_cast<size_t>(shape[i]);
  Json list = Json::array();
  for (int64_t i = 0; i < shape[axis]; ++i)
    list.push_back(nested(values, axis + 1, first + static_cast<size_t>(i) * inner));
  return list;
}

/// Returns the sample that the options choose.
NamedInput sampleFor(const ExplainOptions& options, const Evaluator& evaluator) {
  if (options.sample.empty())
    throw Error(ErrorCode::InvalidArgument, "INPUT",
                "is missing (expected a file with a sample, because only the method filters needs "
                "none). Name one.");
  std::vector<NamedInput> samples = samplesOf(options.sample, evaluator);
  const int64_t count = std::ssize(samples);
  if (options.sampleIndex < 0 && count != 1)
    throw Error(ErrorCode::InvalidArgument, options.sample,
                "the number of samples is wrong (expected 1, got " + std::to_string(count) +
                    "). Choose one with --sample.");
  const int64_t index = std::max<int64_t>(0, options.sampleIndex);
  if (index >= count)
    throw Error(ErrorCode::InvalidArgument, "--sample " + std::to_string(index),
                "there is no such sample (expected 0 to " + std::to_string(count - 1) + ").");
  return std::move(samples[static_cast<size_t>(index)]);
}

Found foundBy(const Explanation& explanation, const Evaluator& evaluator) {
  Found found{explanation.map};
  const std::vector<std::string> names = evaluator.outputNames();
  const auto output =
      static_cast<size_t>(std::ranges::find(names, explanation.output) - names.begin());
  found.about = {{"output", explanation.output},
                 {"class", explanation.index},
                 {"label", classNameOf(evaluator, output, explanation.index)},
                 {"score", jsonNumber(explanation.score)},
                 {"input_layer", explanation.input}};
  if (explanation.layer.empty()) return found;
  found.about["layer"] = explanation.layer;
  found.about["layer_map"] = nested(explanation.layerMap);
  return found;
}

/// Adds the contributions of the columns, if the input is a row of a table.
void addColumns(Found& found, const Explanation& explanation, const Evaluator& evaluator,
                const NamedInput& sample) {
  const std::vector<WantedInput> inputs = evaluator.inputs();
  const auto input = static_cast<size_t>(
      std::ranges::find(inputs, explanation.input, &WantedInput::name) - inputs.begin());
  const std::shared_ptr<const Json>& encoding = evaluator.preprocessing().encodings[input];
  if (!encoding || memberOf(*encoding, "type") != "table") return;
  found.columns = columnContributions(parseTableEncoding(*encoding, explanation.input),
                                      sample.arrays[input], explanation.map);
  Json columns = Json::array();
  for (const auto& [cell, contribution] : found.columns)
    columns.push_back({{"column", cell.column},
                       {"value", cell.number ? jsonNumber(*cell.number) : Json(cell.word)},
                       {"contribution", jsonNumber(contribution)}});
  found.about["columns"] = std::move(columns);
}

Found explain(const ExplainOptions& options, Explainer& explainer, const Evaluator& evaluator,
              const NamedInput& sample) {
  ExplainedScore score;
  score.output = options.output;
  score.input = options.input;
  if (options.index >= 0) score.index = options.index;
  if (options.method == "saliency")
    return foundBy(explainer.saliency(sample.arrays, score), evaluator);
  if (options.method == "gradient_times_input") {
    const Explanation explanation = explainer.gradientTimesInput(sample.arrays, score);
    Found found = foundBy(explanation, evaluator);
    addColumns(found, explanation, evaluator, sample);
    return found;
  }
  if (options.method == "grad_cam")
    return foundBy(explainer.gradCam(sample.arrays, score, options.layer), evaluator);
  if (options.method == "occlusion") {
    OcclusionOptions patches;
    if (options.patch > 0) patches.size = {options.patch};
    if (options.stride > 0) patches.stride = {options.stride};
    patches.fill = fillOf(options.fill);
    const OcclusionMap map = explainer.occlusion(sample.arrays, score, patches);
    Found found = foundBy(map.explanation, evaluator);
    found.about["patch"] = map.size;
    found.about["stride"] = map.stride;
    found.about["fill"] = patches.fill;
    return found;
  }
  return {explainer.featureMaps(sample.arrays, options.layer), {{"layer", options.layer}}};
}

/// Refuses options that the method does not use, and requires a layer where it needs one.
void requireOptions(const ExplainOptions& options) {
  const std::string& method = options.method;
  const bool hasScore = method != "feature_maps" && method != "filters";
  const auto refuse = [&](bool isGiven, bool isUsed, const char* option) {
    if (isGiven && !isUsed)
      throw Error(ErrorCode::InvalidArgument, option,
                  "has no effect with the method " + method + ". Remove it.");
  };
  refuse(options.index >= 0, hasScore, "--class");
  refuse(!options.output.empty(), hasScore, "--output");
  refuse(!options.input.empty(), hasScore, "--input");
  refuse(!options.layer.empty(), !hasScore || method == "grad_cam", "--layer");
  refuse(options.patch > 0, method == "occlusion", "--patch");
  refuse(options.stride > 0, method == "occlusion", "--stride");
  refuse(!options.fill.empty(), method == "occlusion", "--fill");
  refuse(!options.sample.empty(), method != "filters", "INPUT");
  if (!hasScore && options.layer.empty())
    throw Error(ErrorCode::InvalidArgument, "--layer",
                "is missing (expected the name of a layer with the method " + method + ").");
}

void printText(const ExplainOptions& options, const std::string& sample, const Found& found) {
  std::cout << options.method;
  if (!sample.empty()) std::cout << " of " << printable(sample);
  if (found.about.contains("class"))
    std::cout << ", " << printable(found.about["output"].get<std::string>()) << " class "
              << printable(found.about["label"].get<std::string>()) << ", score "
              << shortNumber(found.about["score"]);
  if (found.about.contains("layer"))
    std::cout << ", layer " << printable(found.about["layer"].get<std::string>());
  const std::span<const float> values = found.values.as<float>();
  const auto [low, high] = std::ranges::minmax(values);
  std::cout << ": " << found.values.shape().toString() << ", " << shortNumber(jsonNumber(low))
            << " to " << shortNumber(jsonNumber(high)) << "\n";
  if (!options.to.empty()) {
    std::cout << "Written to " << printable(options.to) << "\n";
    return;
  }
  if (!found.columns.empty()) {
    for (const auto& [cell, contribution] : found.columns)
      std::cout << printable(cell.column) << " = "
                << (cell.number ? shortNumber(jsonNumber(*cell.number)) : printable(cell.word))
                << ": " << shortNumber(jsonNumber(contribution)) << "\n";
    return;
  }
  const int rank = found.values.shape().rank();
  if (rank > 2) {
    std::cout << "Use --json or --to for the values.\n";
    return;
  }
  const auto width = static_cast<size_t>(found.values.shape().dim(-1));
  for (size_t i = 0; i < values.size(); ++i)
    std::cout << shortNumber(jsonNumber(values[i])) << ((i + 1) % width == 0 ? "\n" : " ");
}

int runExplain(const ExplainOptions& options) {
  requireOptions(options);
  const Project project = options.project.load();
  const std::string weights = placeOfRun(options.weights);
  // As in predict, preprocessing that was saved with the weights replaces the training data
  if (savedPreprocessing(weights).empty()) options.project.check(project);
  Evaluator evaluator(project, weights, options.device);
  for (const std::string& note : evaluator.weightNotes())
    printMessage(options.weights + ": " + note);
  Explainer explainer(evaluator);
  NamedInput sample;
  Found found;
  if (options.method == "filters") {
    found = {explainer.filters(options.layer), {{"layer", options.layer}}};
  }
  else {
    sample = sampleFor(options, evaluator);
    found = explain(options, explainer, evaluator, sample);
  }
  if (!options.to.empty()) writeMap(options.to, found.values);
  if (!options.asJson) {
    printText(options, sample.name, found);
    return kDone;
  }
  Json answer{{"method", options.method}};
  if (!sample.name.empty()) answer["input"] = sample.name;
  answer.update(found.about);
  answer["shape"] =
      std::vector<int64_t>(found.values.shape().dims().begin(), found.values.shape().dims().end());
  answer["values"] = nested(found.values);
  printJsonDocument(answer);
  return kDone;
}

}  // namespace

Action setupExplain(Arguments& accepted) {
  auto options = std::make_shared<ExplainOptions>();
  options->project.addTo(accepted);
  options->project.addPrecisionTo(accepted);
  accepted.text("INPUT", options->sample,
                "File with the sample, as for predict: an image, a CSV file, an array, or - for "
                "standard input. The method filters needs none",
                "FILE");
  accepted.text("--weights", options->weights,
                "Weights: a .safetensors or .npz file, or a run directory", "FILE", Need::Required);
  accepted.choice(
      "--method", options->method,
      "saliency: absolute gradient of the score with respect to the input. "
      "gradient_times_input: what each value contributes to the score, summed for each "
      "column of a table. grad_cam: places of "
      "a layer that raise the score. occlusion: drop of the score where a patch covers "
      "the input. feature_maps: output of a layer. filters: kernel of a convolution",
      "NAME",
      {"saliency", "gradient_times_input", "grad_cam", "occlusion", "feature_maps", "filters"},
      Need::Required);
  accepted.number("--class", options->index,
                  "Class or value to explain, from 0 (default: the predicted class)", 0, INT64_MAX);
  accepted.text("--output", options->output, "Output to explain (default: the first one)", "NAME");
  accepted.text("--input", options->input,
                "Input layer to explain (default: the first one that the method can use)", "NAME");
  accepted.text("--layer", options->layer,
                "Layer, such as conv1, or block/0/conv in a Block (default with grad_cam: the last "
                "layer before the output that has spatial axes)",
                "NAME");
  accepted.number("--sample", options->sampleIndex, "Sample of a file with several, from 0", 0,
                  INT64_MAX);
  accepted.count("--patch", options->patch,
                 "Size of the patch with occlusion (default: a seventh of each axis)");
  accepted.count("--stride", options->stride,
                 "Distance between patches with occlusion (default: half their size)");
  accepted.text("--fill", options->fill,
                "Raw value that covers the input with occlusion (default: 0)", "X");
  accepted.text("--to", options->to,
                "File to write; its suffix selects the format: .png for a picture or .npy for an "
                "array",
                "FILE");
  options->project.addDeviceTo(accepted, options->device);
  accepted.json(options->asJson);
  return [options] {
    return runExplain(*options);
  };
}

}  // namespace strata::cli
