// SPDX-License-Identifier: GPL-3.0-or-later
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "core/train/evaluator.h"

namespace strata::cli {

Action setupEvaluate(Arguments& accepted) {
  struct Options {
    ProjectArgument project;
    std::string weights, split = "test", device = "auto";
    int threads = 0;
    bool asJson = false;
  };
  auto options = std::make_shared<Options>();
  options->project.addTo(accepted);
  accepted.text("--weights", options->weights, "A .safetensors or .npz file, or a run directory", "FILE", Need::Required);
  accepted.choice("--split", options->split, "Part of the data", "NAME", {"train", "validation", "test"});
  accepted.text("--device", options->device, "auto, cpu or reference", "D");
  accepted.threads(options->threads);
  accepted.json(options->asJson);
  return [options] {
    warnOfThreads(options->threads);
    Evaluator evaluator(options->project.loadChecked(), options->weights, options->device, options->threads);
    for (const std::string& note : evaluator.weightNotes()) tell(options->weights + ": " + note);
    const Evaluation result = evaluator.evaluate(options->split);
    if (options->asJson) {
      Json metrics = Json::object();
      for (const auto& [name, value] : result.metrics) metrics[name] = jsonNumber(value);
      printJsonDocument({{"split", result.split}, {"samples", result.samples}, {"loss", jsonNumber(result.loss)}, {"metrics", metrics}});
      return kDone;
    }
    std::cout << result.split << ", " << formatCounted(result.samples, "sample") << ": loss " << formatNumber(result.loss, 4);
    for (const auto& [name, value] : result.metrics) std::cout << ", " << name << " " << formatNumber(value, 4);
    std::cout << "\n";
    return kDone;
  };
}

}  // namespace strata::cli
