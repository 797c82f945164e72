// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <charconv>
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "core/data/inputs.h"
#include "core/train/evaluator.h"

namespace strata::cli {

/// Six digits; --json has them all.
static std::string shortNumber(const Json& number) {
  if (!number.is_number()) return number.get<std::string>();
  char buffer[40];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, number.get<double>(), std::chars_format::general, 6).ptr};
}

static Json prediction(const NamedInput& input, Evaluator& evaluator) {
  const std::vector<float> output = evaluator.predict(input.tensor);
  Json row{{"input", input.name}, {"output", Json::array()}, {"label", nullptr}, {"probability", nullptr}};
  for (float value : output) row["output"].push_back(jsonNumber(value));
  if (const auto predicted = evaluator.classOf(output)) {
    const auto& names = evaluator.preprocessing().classNames;
    const auto index = static_cast<size_t>(predicted->index);
    row["label"] = index < names.size() ? names[index] : std::to_string(predicted->index);
    row["probability"] = jsonNumber(predicted->probability);
  }
  return row;
}

Action setupPredict(Arguments& accepted) {
  struct Options {
    ProjectArgument project;
    std::string weights, device = "auto";
    std::vector<std::string> inputs;
    bool asJson = false;
  };
  auto options = std::make_shared<Options>();
  options->project.addTo(accepted);
  accepted.list("INPUT", options->inputs, "PNG or JPEG images, or CSV files with one sample a row", "FILE");
  accepted.text("--weights", options->weights, "A .safetensors or .npz file, or a run directory", "FILE", Need::Required);
  accepted.text("--device", options->device, "auto, cpu or reference", "D");
  accepted.json(options->asJson);
  return [options] {
    const Project project = options->project.load();
    if (keptPreprocessing(options->weights).empty()) options->project.check(project);  // else the data it was trained on need not be there
    Evaluator evaluator(project, options->weights, options->device);
    std::vector<NamedInput> samples;
    for (const std::string& path : options->inputs)
      for (NamedInput& sample : readInputs(path, evaluator.inputShape(), evaluator.preprocessing(), tell))
        samples.push_back(std::move(sample));
    for (const std::string& note : evaluator.weightNotes()) tell(options->weights + ": " + note);
    Json answer = Json::array();
    for (const NamedInput& sample : samples) answer.push_back(prediction(sample, evaluator));
    if (options->asJson) {
      printJsonDocument(answer);
      return kDone;
    }
    for (const Json& row : answer) {
      std::cout << row["input"].get<std::string>() << ": ";
      if (row["label"].is_string()) {
        std::cout << row["label"].get<std::string>();
        if (row["probability"].is_number()) std::cout << " (" << formatNumber(100 * row["probability"].get<double>(), 1) << "%)";
        std::cout << "  ";
      }
      std::cout << "[";
      for (size_t i = 0; i < row["output"].size(); ++i) std::cout << (i > 0 ? ", " : "") << shortNumber(row["output"][i]);
      std::cout << "]\n";
    }
    return kDone;
  };
}

}  // namespace strata::cli
