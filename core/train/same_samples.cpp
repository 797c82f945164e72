// SPDX-License-Identifier: Apache-2.0
#include "core/train/same_samples.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/check/validate.h"
#include "core/data/image_reading.h"
#include "core/project/text.h"
#include "core/run_list/lineage.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

constexpr const char* kLoss = "loss";

/// Returns what decides which samples a project has, except its source, in a fixed order of keys.
nlohmann::json selectionIn(const Project& project) {
  const Json& document = project.document();
  nlohmann::json selection = document.value("data", Json::object());
  selection.erase("source");
  selection.erase("transforms");
  selection["seed"] = document.value(Json::json_pointer("/training/seed"), Json());
  return selection;
}

/// Returns the source of a project, with the whole path of its data. Relative paths begin with the
/// folder of `file`.
nlohmann::json sourceOf(const Project& project, const std::string& file) {
  nlohmann::json source = project.document().value(Json::json_pointer("/data/source"), Json());
  if (!source.is_object()) return source;
  for (auto& [name, value] : source.items())
    if (name.ends_with("path") && value.is_string())
      value =
          canonicalPlace(pathInProject(Project(Json::object(), file), value.get<std::string>()));
  return source;
}

/// Returns whether a run may have been trained on samples of a split that is not for training.
bool mayHaveSeen(const RunRow& row, const Project& data, const std::string& split,
                 const Dataset& dataset) {
  if (split == "train") return false;
  const Project& run = *row.project;
  // Nobody knows on which samples its first weights were trained
  const Json first = run.document().value(Json::json_pointer("/training/initial_weights"), Json());
  if (!row.info.start.weightsFrom.empty() || !first.is_null()) return true;
  // The project file in the directory of a run is a copy
  if (sourceOf(run, likelyProjectOf(row.info.listedAt)) != sourceOf(data, data.path())) return true;
  const bool isOwnSet = split == "test" ? !dataset.isTestSplit : dataset.hasOwnValidation;
  return !isOwnSet && selectionIn(run) != selectionIn(data);
}

/// Refuses a project that has errors.
void requireValid(const CheckedProject& project) {
  for (const Diagnostic& each : validate(project))
    if (each.severity == Severity::Error)
      throw Error(ErrorCode::InvalidProject, each.layer.empty() ? each.field : each.layer,
                  each.sentence());
}

}  // namespace

Project onSamplesOf(Project run, const Project& data) {
  run.setPath(data.path());
  const Json transforms = run.document().value(Json::json_pointer("/data/transforms"), Json());
  Json own = data.document().value("data", Json::object());
  own.erase("transforms");
  if (!transforms.is_null()) own["transforms"] = transforms;
  run.document()["data"] = std::move(own);
  const Json seed = data.document().value(Json::json_pointer("/training/seed"), Json());
  Json& training = run.document()["training"];
  training.erase("seed");
  if (!seed.is_null()) training["seed"] = seed;
  return run;
}

SameSamples evaluateOnSameSamples(std::span<const RunRow> rows, const Project& data,
                                  const std::string& split, const std::string& device, int threads,
                                  const std::stop_token& stop) {
  SameSamples same{split, {}, nullptr};
  for (const RunRow& row : rows) {
    RunOnSamples& run = same.runs.emplace_back(RunOnSamples{.run = row.info.listedAt});
    try {
      if (!row.project)
        throw Error(ErrorCode::InvalidFile, row.info.listedAt,
                    "its project.json is damaged, so its network is unknown.");
      const std::string& directory = row.info.directory;
      const CheckedProject project(withRecordedReading(onSamplesOf(*row.project, data), directory));
      requireValid(project);
      Evaluator evaluator(project.project(), directory, device, threads);
      auto dataset = loadDataset(evaluator.project());
      run.result = evaluator.evaluate(split, dataset.get(), Collect::Classes, stop);
      run.mayHaveSeen = mayHaveSeen(row, data, split, *dataset);
      if (!same.dataset) same.dataset = std::move(dataset);
    }
    catch (const Error& error) {
      if (error.code() == ErrorCode::Stopped) throw;
      run.problem = error;
    }
    if (stop.stop_requested()) throw Error(ErrorCode::Stopped, "evaluation", "was stopped.");
  }
  return same;
}

const EvaluatedClasses* SameSamples::classifier(size_t run) const {
  for (const EvaluatedClasses& output : runs[run].result.outputs)
    if (!output.predictedClasses.empty() && output.predictedClasses.size() == output.classes.size())
      return &output;
  return nullptr;
}

Figure<Agreement> SameSamples::agreement() const {
  if (runs.size() != 2)
    return Reason{STRATA_TEXT("same samples", "it is defined for two runs (there are %1)"),
                  {std::to_string(runs.size())}};
  const EvaluatedClasses *first = classifier(0), *second = classifier(1);
  if (!first || !second)
    return Reason{STRATA_TEXT("same samples", "not both runs predict a class for each sample")};
  if (first->classes != second->classes)
    return Reason{STRATA_TEXT("same samples", "the runs predict different targets")};
  return agreementOf(first->classes, first->predictedClasses, second->predictedClasses);
}

std::vector<std::string> SameSamples::metrics() const {
  std::vector<std::string> names;
  for (const RunOnSamples& run : runs) {
    if (run.problem) continue;
    if (names.empty()) names.emplace_back(kLoss);
    for (const auto& [name, value] : run.result.metrics)
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

std::optional<double> SameSamples::value(size_t run, const std::string& metric) const {
  if (runs[run].problem) return std::nullopt;
  const EvaluationResult& result = runs[run].result;
  if (metric == kLoss) return result.loss;
  const auto found =
      std::ranges::find(result.metrics, metric, &std::pair<std::string, double>::first);
  return found == result.metrics.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace strata
