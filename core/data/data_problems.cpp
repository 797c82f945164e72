// SPDX-License-Identifier: Apache-2.0
#include "core/data/data_problems.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/data/source.h"

namespace strata {

namespace {

// The maximum number of damaged samples that are reported individually
constexpr size_t kMaxListed = 20;

Diagnostic sampleError(std::string code, std::string field, Text message, Arguments arguments) {
  return {Severity::Error, std::move(code),      "", std::move(field),
          message,         std::move(arguments), {}};
}

}  // namespace

Diagnostic ownTestSet(int64_t samples) {
  Diagnostic problem = sampleError("conflict", "/data/test_split",
                                   STRATA_TEXT("data",
                                               "The source already has a test set of %1 samples "
                                               "(expected test_split 0). Remove test_split."),
                                   {std::to_string(samples)});
  problem.fixes = {setFix("/data/test_split", 0)};
  return problem;
}

Diagnostic noSampleToTrainOn(int64_t samples, const Selection& selection) {
  return sampleError("out_of_range", "/data/validation_split",
                     STRATA_TEXT("data",
                                 "No samples are left for training (samples: %1, skip: %2, "
                                 "validation_split: %3). Lower skip or validation_split."),
                     {std::to_string(samples), std::to_string(selection.skip),
                      Json(selection.validationSplit).dump()});
}

Diagnostic wrongOneHot(int64_t classes, int64_t wanted) {
  return sampleError("out_of_range", "/data/transforms",
                     STRATA_TEXT("data",
                                 "one_hot needs targets that are class numbers below classes "
                                 "(expected classes of at least %1, got %2). Set classes to null."),
                     {std::to_string(classes), std::to_string(wanted)});
}

void reportDamaged(const Dataset& dataset, Diagnostics& diagnostics) {
  const auto total = dataset.damaged.size();
  const bool isError = dataset.onDamaged == "stop";
  const auto add = [&](Text message, Arguments arguments) {
    addProblem(diagnostics, "damaged_sample", "/data/source", message, std::move(arguments));
    if (!isError) diagnostics.back().severity = Severity::Warning;
  };
  for (size_t i = 0; i < std::min(total, kMaxListed); ++i) {
    const DamagedSample& each = dataset.damaged[i];
    if (isError)
      add(STRATA_TEXT("data", "%1: %2 Fix the file, or set on_damaged to skip or replace."),
          {each.file, each.reason});
    else if (dataset.onDamaged == "skip")
      add(STRATA_TEXT("data", "%1: %2 The sample is left out."), {each.file, each.reason});
    else
      add(STRATA_TEXT("data", "%1: %2 The nearest intact sample replaces it."),
          {each.file, each.reason});
  }
  if (total > kMaxListed)
    add(STRATA_TEXT("data", "%1 more damaged samples (%2 in total)."),
        {std::to_string(total - kMaxListed), std::to_string(total)});
}

void reportUnseenClasses(const Dataset& dataset, size_t target, Diagnostics& diagnostics) {
  const DataTarget& about = dataset.targets[target];
  const Tensor& y = dataset.train->y[target];
  if (!about.hasLabels || y.dtype() != DType::I32 || y.shape().rank() != 1) return;
  const auto labels = y.as<int32_t>();
  const auto trained = static_cast<size_t>(dataset.trainCount);
  std::set<int32_t> known(labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(trained)),
      unseen;
  // Negative labels are not classes. They mark samples that a loss ignores.
  for (size_t i = trained; i < labels.size(); ++i)
    if (labels[i] >= 0 && !known.contains(labels[i])) unseen.insert(labels[i]);
  for (const int32_t label : dataset.test->y[target].as<int32_t>())
    if (label >= 0 && !known.contains(label)) unseen.insert(label);
  if (unseen.empty()) return;
  const auto first = static_cast<size_t>(*unseen.begin());
  const std::string name =
      first < about.classNames.size() ? about.classNames[first] : std::to_string(first);
  addProblem(diagnostics, "unseen_class", "/data/validation_split",
             STRATA_TEXT("data",
                         "%1 of the classes (such as \"%2\") occur only in the validation or test "
                         "set, so they cannot be learned. Set split_seed of data to 1 to shuffle "
                         "the samples before splitting."),
             {std::to_string(unseen.size()), name});
  Diagnostic& added = diagnostics.back();
  added.severity = Severity::Warning;
  added.fixes = {setFix("/data/split_seed", 1)};
}

}  // namespace strata
