// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/figures.h"
#include "core/data/image_reading.h"
#include "core/evaluation/confusion.h"
#include "core/project/text.h"
#include "core/runs/moved_run.h"
#include "core/train/evaluator.h"
#include "gpu/base/printable.h"

namespace strata::cli {

namespace {

// Confusion matrices with more classes are omitted, because their size grows quadratically.
constexpr size_t kMaxClassesShown = 20, kMaxClassesInJson = 1000;

std::string padded(const std::string& text, size_t width) {
  return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

/// Prints a row per true class and a column per predicted class, then the scores of each class.
void printConfusion(const Confusion& confusion, const std::vector<std::string>& names) {
  size_t wide = 6;
  std::vector<std::string> shown;
  for (int64_t i = 0; i < confusion.classes; ++i) {
    shown.push_back(printable(excerpt(names[static_cast<size_t>(i)], 16)));
    wide = std::max(wide, shown.back().size() + 1);
  }
  std::cout << "Confusion matrix (rows: true class, columns: predicted class)\n"
            << padded("", wide);
  for (const std::string& name : shown)
    std::cout << padded(name, wide);
  std::cout << "   precision  recall      f1  samples\n";
  for (int64_t i = 0; i < confusion.classes; ++i) {
    std::cout << padded(shown[static_cast<size_t>(i)], wide);
    for (int64_t k = 0; k < confusion.classes; ++k)
      std::cout << padded(std::to_string(confusion.at(i, k)), wide);
    const ClassScores scores = confusion.scores(i);
    std::cout << "   " << padded(formatNumber(scores.precision, 4), 9)
              << padded(formatNumber(scores.recall, 4), 8) << padded(formatNumber(scores.f1, 4), 8)
              << padded(std::to_string(scores.samples), 9) << "\n";
  }
}

Confusion confusionOf(const EvaluatedClasses& output) {
  return strata::confusionOf(output.classes, output.predictedClasses,
                             static_cast<int64_t>(output.classNames.size()));
}

Json classesJson(const Confusion& confusion, const std::vector<std::string>& names) {
  Json classes = Json::array();
  for (int64_t i = 0; i < confusion.classes; ++i) {
    const ClassScores scores = confusion.scores(i);
    classes.push_back({{"name", names[static_cast<size_t>(i)]},
                       {"precision", scores.precision},
                       {"recall", scores.recall},
                       {"f1", scores.f1},
                       {"samples", scores.samples}});
  }
  return classes;
}

}  // namespace

Action setupEvaluate(Arguments& accepted) {
  struct Options {
    ProjectArgument project;
    std::string weights, split = "test", device = "auto";
    int threads = 0;
    bool asJson = false, withCurves = false;
    FigureOptions figures;
  };
  auto options = std::make_shared<Options>();
  options->project.addTo(accepted);
  options->project.addPrecisionTo(accepted);
  accepted.text("--weights", options->weights,
                "Weights: a .safetensors or .npz file, or a run directory", "FILE", Need::Required);
  accepted.choice("--split", options->split, "Split of the data to use (default: test)", "NAME",
                  {"train", "validation", "test"});
  options->project.addDeviceTo(accepted, options->device);
  accepted.threads(options->threads);
  accepted.flag("--curves", options->withCurves,
                "Also compute the figures of each output: means, ROC and precision-recall curves "
                "and calibration of classes, or errors and residuals of values");
  accepted.number("--curve-points", options->figures.curvePoints,
                  "Largest number of points of a curve with --curves (default: 200). Areas are "
                  "always exact",
                  2, 1'000'000);
  accepted.number("--bins", options->figures.bins,
                  "Number of bins with --curves, for calibration and residuals (default: 10)", 1,
                  1000);
  for (const char* option : {"--curve-points", "--bins"})
    accepted.needs(option, "--curves");
  accepted.json(options->asJson);
  return [options] {
    warnOfThreads(options->threads);
    const std::string weights = placeOfRun(options->weights);
    const Project project = withRecordedReading(options->project.load(), weights);
    options->project.check(project);
    Evaluator evaluator(project, weights, options->device, options->threads);
    for (const std::string& note : evaluator.weightNotes())
      printMessage(options->weights + ": " + note);
    const EvaluationResult result = evaluator.evaluate(
        options->split, nullptr, options->withCurves ? Collect::Outputs : Collect::Classes);
    if (options->asJson) {
      Json metrics = Json::object();
      for (const auto& [name, value] : result.metrics)
        metrics[name] = jsonNumber(value);
      Json answer{{"split", result.split},
                  {"samples", result.samples},
                  {"loss", jsonNumber(result.loss)},
                  {"metrics", metrics}};
      for (const EvaluatedClasses& output : result.outputs) {
        if (output.classes.empty() || output.classNames.size() > kMaxClassesInJson) continue;
        Json& place = result.outputs.size() == 1 ? answer : answer["outputs"][output.output];
        const Confusion confusion = confusionOf(output);
        place["confusion_matrix"] = confusionRows(confusion);
        place["classes"] = classesJson(confusion, output.classNames);
      }
      for (size_t i = 0; i < result.collected.size(); ++i)
        answer["figures"][result.outputs[i].output] =
            figuresJson(result.collected[i], options->figures);
      printJsonDocument(answer);
      return kDone;
    }
    std::cout << result.split << ", " << formatCounted(result.samples, "sample") << ": loss "
              << formatNumber(result.loss, 4);
    for (const auto& [name, value] : result.metrics)
      std::cout << ", " << printable(name) << " " << formatNumber(value, 4);
    std::cout << "\n";
    for (const EvaluatedClasses& output : result.outputs) {
      if (output.classes.empty() || output.classNames.size() > kMaxClassesShown) continue;
      if (result.outputs.size() > 1) std::cout << output.output << ". ";
      printConfusion(confusionOf(output), output.classNames);
    }
    for (size_t i = 0; i < result.collected.size(); ++i)
      printFigures(result.outputs[i].output, result.collected[i], options->figures);
    return kDone;
  };
}

}  // namespace strata::cli
