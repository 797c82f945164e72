// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/samples.h"
#include "core/runs/moved_run.h"
#include "core/train/evaluator.h"
#include "gpu/base/printable.h"

namespace strata::cli {

/// Returns the values of an output. For a classifier, the result also has the class and its
/// probability.
static Json answerOf(const Evaluator& evaluator, size_t output, const std::vector<float>& values) {
  Json answer{{"output", Json::array()}, {"label", nullptr}, {"probability", nullptr}};
  for (float value : values)
    answer["output"].push_back(jsonNumber(value));
  if (const auto predicted = evaluator.classOf(output, values)) {
    answer["label"] = classNameOf(evaluator, output, predicted->index);
    answer["probability"] = jsonNumber(predicted->probability);
  }
  return answer;
}

/// Returns the result of one sample. With several outputs, "output", "label" and "probability" are
/// objects with one member per output.
static Json prediction(const NamedInput& input, Evaluator& evaluator) {
  const std::vector<std::vector<float>> outputs = evaluator.predict(input.arrays);
  const std::vector<std::string> names = evaluator.outputNames();
  Json row{{"input", input.name}};
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Json answer = answerOf(evaluator, i, outputs[i]);
    for (const auto& [key, value] : answer.items()) {
      if (outputs.size() == 1)
        row[key] = value;
      else
        row[key][names[i]] = value;
    }
  }
  return row;
}

static void printAnswer(const Json& output, const Json& label, const Json& probability) {
  if (label.is_string()) {
    std::cout << printable(label.get<std::string>());
    if (probability.is_number())
      std::cout << " (" << formatNumber(100 * probability.get<double>(), 1) << "%)";
    std::cout << "  ";
  }
  std::cout << "[";
  for (size_t i = 0; i < output.size(); ++i)
    std::cout << (i > 0 ? ", " : "") << shortNumber(output[i]);
  std::cout << "]";
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
  options->project.addPrecisionTo(accepted);
  accepted.list("INPUT", options->inputs,
                "PNG or JPEG images; .npy, .npz or IDX files with samples along the first "
                "dimension (for several Input layers, a .npz file with an array named after "
                "each); CSV files with one sample per row; or - for one such file on standard "
                "input, at most 256 MiB",
                "FILE");
  accepted.text("--weights", options->weights,
                "Weights: a .safetensors or .npz file, or a run directory", "FILE", Need::Required);
  options->project.addDeviceTo(accepted, options->device);
  accepted.json(options->asJson);
  return [options] {
    if (std::count(options->inputs.begin(), options->inputs.end(), "-") > 1)
      throw Error(ErrorCode::InvalidArgument, "INPUT",
                  "- is given more than once (expected at most once, because standard input can be "
                  "read only once). Remove the others.");
    const Project project = options->project.load();
    const std::string weights = placeOfRun(options->weights);
    // If the preprocessing was saved with the weights, the training data are not needed. The
    // project is then not checked.
    if (savedPreprocessing(weights).empty()) options->project.check(project);
    Evaluator evaluator(project, weights, options->device);
    std::vector<NamedInput> samples;
    for (const std::string& path : options->inputs)
      for (NamedInput& sample : samplesOf(path, evaluator))
        samples.push_back(std::move(sample));
    for (const std::string& note : evaluator.weightNotes())
      printMessage(options->weights + ": " + note);
    Json answer = Json::array();
    for (const NamedInput& sample : samples)
      answer.push_back(prediction(sample, evaluator));
    if (options->asJson) {
      printJsonDocument(answer);
      return kDone;
    }
    for (const Json& row : answer) {
      std::cout << printable(row["input"].get<std::string>()) << ": ";
      if (row["output"].is_object()) {
        const char* between = "";
        for (const auto& [name, output] : row["output"].items()) {
          std::cout << between << printable(name) << " ";
          printAnswer(output, row["label"][name], row["probability"][name]);
          between = "; ";
        }
      }
      else {
        printAnswer(row["output"], row["label"], row["probability"]);
      }
      std::cout << "\n";
    }
    return kDone;
  };
}

}  // namespace strata::cli
