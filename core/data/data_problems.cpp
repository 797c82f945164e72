// SPDX-License-Identifier: Apache-2.0
#include "core/data/data_problems.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/data/float_loss.h"
#include "core/data/source.h"
#include "core/data/table.h"

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

Diagnostic ownValidationSet(int64_t samples) {
  Diagnostic problem =
      sampleError("conflict", "/data/validation_split",
                  STRATA_TEXT("data",
                              "The source already has a validation set of %1 samples (expected "
                              "validation_split 0), so validation_split is not used. Remove it."),
                  {std::to_string(samples)});
  problem.severity = Severity::Warning;
  problem.fixes = {setFix("/data/validation_split", 0)};
  return problem;
}

void reportScale(const TransformList& transforms, const std::string& input, double largest,
                 Diagnostics& diagnostics) {
  const double other = largest == 65535 ? 255 : 65535;
  if (largest != 255 && largest != 65535) return;
  for (const TransformList::Entry& entry : transforms.ofInputs) {
    if (entry.type != "rescale" || (!entry.input.empty() && entry.input != input)) continue;
    const auto scale = entry.numbers.find("scale");
    if (scale == entry.numbers.end()) continue;
    const std::string number = std::to_string(static_cast<int>(largest));
    const Fix fix{STRATA_TEXT("problem", "Divide by %1"),
                  {number},
                  {STRATA_TEXT("edit", "Set %1"),
                   {"scale"},
                   {setOperation(entry.pointer + "/scale", nullptr)},
                   {}}};
    if (std::abs(scale->second) > 1) {
      addProblem(diagnostics, "wrong_scale", entry.pointer + "/scale",
                 STRATA_TEXT("data",
                             "scale multiplies the values of the images, which are up to %1 "
                             "(expected 1/%1, got %2). Remove scale to divide by %1."),
                 {number, Json(scale->second).dump()});
      diagnostics.back().severity = Severity::Warning;
      diagnostics.back().fixes = {fix};
      continue;
    }
    if (std::abs(std::abs(scale->second) * other - 1) > 0.01) continue;
    addProblem(diagnostics, "wrong_scale", entry.pointer + "/scale",
               STRATA_TEXT("data",
                           "scale is made for values up to %1, but the images have values up to %2 "
                           "(expected 1/%2, got 1/%1). Remove scale to divide by %2."),
               {std::to_string(static_cast<int>(other)), number});
    diagnostics.back().severity = Severity::Warning;
    diagnostics.back().fixes = {fix};
  }
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
  // Cells with a word for a missing value have the same problem. Only the first one is reported.
  std::map<std::string, int64_t> missingWords;
  for (const DamagedSample& each : dataset.damaged)
    if (isError && !each.missingWord.empty()) ++missingWords[each.missingWord];
  for (size_t i = 0; i < std::min(total, kMaxListed); ++i) {
    const DamagedSample& each = dataset.damaged[i];
    if (isError && !each.missingWord.empty()) {
      int64_t& count = missingWords[each.missingWord];
      if (count == 0) continue;
      add(STRATA_TEXT("data",
                      "%1: %2 Add \"%3\" to missing_words if it stands for a missing value "
                      "(number of such rows: %4)."),
          {each.file, each.reason, each.missingWord, std::to_string(count)});
      diagnostics.back().fixes = each.fixes;
      count = 0;
    }
    else if (isError)
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

Diagnostic noClassesToSplit() {
  Diagnostic problem =
      sampleError("conflict", "/data/split",
                  STRATA_TEXT("data",
                              "The split is stratified, but the targets are not classes (expected "
                              "class numbers, or 0 and 1). Set split to plain."),
                  {});
  problem.fixes = {setFix("/data/split", "plain")};
  return problem;
}

namespace {

std::string nameOfClass(const DataTarget& target, int32_t label) {
  const auto place = static_cast<size_t>(label);
  return place < target.classNames.size() ? target.classNames[place] : std::to_string(label);
}

/// Returns the name of a class that classLabels() found. Class 0 of the targets -1 and 1 is -1.
std::string nameOfTarget(const Dataset& dataset, size_t target, int32_t label) {
  const Tensor& y = dataset.train->y[target];
  if (label == 0 && y.dtype() == DType::F32 &&
      std::ranges::find(y.as<float>(), -1.0f) != y.as<float>().end())
    return "-1";
  return nameOfClass(dataset.targets[target], label);
}

/// Returns the classes that a part of the data lacks, although its share of the class is at least
/// one sample. `counts` has the numbers of samples in all parts that were split.
std::vector<int32_t> missingClasses(std::span<const int32_t> part,
                                    const std::map<int32_t, int64_t>& counts, int64_t all) {
  std::set<int32_t> own(part.begin(), part.end());
  std::erase_if(own, [](int32_t label) { return label < 0; });
  // A part of one class says nothing, so half a sample of another class is enough there
  const int64_t factor = own.size() == 1 ? 2 : 1;
  std::vector<int32_t> missing;
  for (const auto& [label, count] : counts)
    if (label >= 0 && !own.contains(label) && factor * count * std::ssize(part) >= all)
      missing.push_back(label);
  return missing;
}

/// Warns if the measured targets of the validation set are all above or all below those of the
/// training set, as in a table that is sorted by them.
void reportShiftedTargets(const Dataset& dataset, size_t target, Diagnostics& diagnostics) {
  constexpr int64_t kMinTraining = 10, kMinValidation = 2;
  const Tensor& y = dataset.train->y[target];
  if (y.dtype() != DType::F32 || y.numElements() != dataset.train->count() ||
      dataset.trainCount < kMinTraining || dataset.validationCount < kMinValidation ||
      dataset.isShuffled)
    return;
  const auto trained = y.as<float>().first(static_cast<size_t>(dataset.trainCount)),
             validation = y.as<float>().subspan(static_cast<size_t>(dataset.trainCount));
  const auto [lowest, highest] = std::ranges::minmax(trained);
  const auto [first, last] = std::ranges::minmax(validation);
  if (!(first > highest) && !(last < lowest)) return;
  const auto words = [](float value) {
    return Json(value).dump();
  };
  addProblem(diagnostics, "shifted_targets", "/data/validation_split",
             STRATA_TEXT("data",
                         "The targets of the validation set (%1 to %2) are all outside those of "
                         "the training set (%3 to %4), as in a sorted table. Set split_seed to 1 "
                         "to shuffle the samples before splitting, unless their order is that of "
                         "time."),
             {words(first), words(last), words(lowest), words(highest)});
  diagnostics.back().severity = Severity::Warning;
  diagnostics.back().fixes = {setFix("/data/split_seed", 1)};
}

void reportOneClass(const Dataset& dataset, int64_t samples, const std::string& name,
                    Diagnostics& diagnostics) {
  // A folder of images with one class has a warning already
  const auto isReported = [](const Diagnostic& note) {
    return note.code == "single_class";
  };
  if (std::ranges::any_of(dataset.notes, isReported)) return;
  addProblem(diagnostics, "one_class", "/data/source",
             STRATA_TEXT("data",
                         "All %1 samples have the same target (%2), so the network can only learn "
                         "a constant (expected at least 2 classes). Check the targets."),
             {std::to_string(samples), name});
  diagnostics.back().severity = Severity::Warning;
}

/// Warns of a class that has fewer samples than a stratified split has parts. Returns whether there
/// is one.
bool reportRareClass(const Dataset& dataset, size_t target,
                     const std::map<int32_t, int64_t>& counts, Diagnostics& diagnostics) {
  if (!dataset.isStratified) return false;
  const int parts = 1 + (dataset.validationCount > 0 ? 1 : 0) +
                    (dataset.isTestSplit && dataset.test->count() > 0 ? 1 : 0);
  const auto rarest =
      std::ranges::min_element(counts, {}, [](const auto& each) { return each.second; });
  if (rarest == counts.end() || rarest->second >= parts) return false;
  addProblem(diagnostics, "rare_class", "/data/split",
             STRATA_TEXT("data",
                         "The split is stratified, but the class \"%1\" does not have a sample for "
                         "each part (expected at least %2, got %3), so its results are not "
                         "measured. Add samples, or remove the class."),
             {nameOfTarget(dataset, target, rarest->first), std::to_string(parts),
              std::to_string(rarest->second)});
  diagnostics.back().severity = Severity::Warning;
  return true;
}

}  // namespace

void reportZeroWeights(const Dataset& dataset, size_t target, Diagnostics& diagnostics) {
  if (target >= dataset.train->weights.size()) return;
  const Tensor& weights = dataset.train->weights[target];
  if (weights.numElements() == 0) return;
  const auto trained = weights.as<float>().first(static_cast<size_t>(dataset.trainCount));
  if (std::ranges::any_of(trained, [](float weight) { return weight != 0; })) return;
  const std::string field = std::string("/data/source/") + kSampleWeights;
  addProblem(diagnostics, "zero_weights", field,
             STRATA_TEXT("data",
                         "All weights of the training samples are 0 (expected some above 0), so "
                         "nothing is learned. Correct them, or remove the weights."));
  diagnostics.back().severity = Severity::Warning;
  diagnostics.back().fixes = {setFix(field, nullptr)};
}

void reportUnseenClasses(const Dataset& dataset, size_t target, Diagnostics& diagnostics) {
  const DataTarget& about = dataset.targets[target];
  const std::vector<int32_t> labels = classLabels(*dataset.train, target),
                             test = classLabels(*dataset.test, target);
  if (labels.empty()) {
    reportShiftedTargets(dataset, target, diagnostics);
    return;
  }
  const auto trained = std::span(labels).first(static_cast<size_t>(dataset.trainCount)),
             validation = std::span(labels).subspan(static_cast<size_t>(dataset.trainCount));
  const std::set<int32_t> known(trained.begin(), trained.end());
  std::set<int32_t> unseen;
  std::map<int32_t, int64_t> counts;
  // A folder of test samples reports its classes itself
  const std::span<const int32_t> tested =
      dataset.splitFolders.empty() ? std::span<const int32_t>(test) : std::span<const int32_t>();
  // Negative labels are not classes. They mark samples that a loss ignores.
  for (const int32_t label : labels)
    if (label >= 0) ++counts[label];
  for (const auto part : {validation, tested})
    for (const int32_t label : part)
      if (label >= 0 && !known.contains(label)) unseen.insert(label);
  std::vector<Fix> fixes{setFix("/data/split", "stratified")};
  if (!dataset.isShuffled) fixes.push_back(setFix("/data/split_seed", 1));
  const auto warn = [&](Text message, Arguments arguments) {
    addProblem(diagnostics, "unseen_class", "/data/validation_split", message,
               std::move(arguments));
    diagnostics.back().severity = Severity::Warning;
    diagnostics.back().fixes = fixes;
  };
  if (!unseen.empty()) {
    warn(STRATA_TEXT("data",
                     "%1 of the classes (such as \"%2\") occur only in the validation or test "
                     "set, so they cannot be learned. Set split of data to stratified, or "
                     "split_seed to 1 to shuffle the samples before splitting."),
         {std::to_string(unseen.size()), nameOfClass(about, *unseen.begin())});
    return;
  }
  int64_t samples = std::ssize(labels);
  if (dataset.isTestSplit) {
    samples += std::ssize(tested);
    for (const int32_t label : tested)
      if (label >= 0) ++counts[label];
  }
  if (counts.size() == 1 && samples > 1) {
    reportOneClass(dataset, samples, nameOfTarget(dataset, target, counts.begin()->first),
                   diagnostics);
    return;
  }
  const auto warnOfMissing = [&](std::span<const int32_t> part, Text message) {
    const auto missing = missingClasses(part, counts, samples);
    if (missing.empty()) return false;
    std::set<int32_t> own(part.begin(), part.end());
    std::erase_if(own, [](int32_t label) { return label < 0; });
    warn(message, {std::to_string(own.size()), std::to_string(counts.size()),
                   std::to_string(missing.size()), nameOfTarget(dataset, target, missing[0])});
    return true;
  };
  const bool isWarned = warnOfMissing(
      validation,
      STRATA_TEXT("data",
                  "The validation set has only %1 of the %2 classes (it lacks %3, such as "
                  "\"%4\"), so it does not show how well the network does. Set split of data to "
                  "stratified, or split_seed to 1 to shuffle the samples before splitting."));
  if (!isWarned && reportRareClass(dataset, target, counts, diagnostics)) return;
  // The classes of a test set with its own files do not depend on the split
  if (!isWarned && dataset.isTestSplit)
    warnOfMissing(
        tested,
        STRATA_TEXT("data",
                    "The test set has only %1 of the %2 classes (it lacks %3, such as \"%4\"), so "
                    "it does not show how well the network does. Set split of data to stratified, "
                    "or split_seed to 1 to shuffle the samples before splitting."));
}

namespace {

/// Returns the names of the values of an input, or an empty list if they have none.
std::vector<std::string> valueNames(const std::shared_ptr<const Json>& encoding) {
  if (!encoding || encoding->value("type", std::string()) != "table") return {};
  return parseTableEncoding(*encoding, "").names();
}

Fix standardizeFix(bool hasTransforms) {
  const Json transform{{"type", "standardize"}};
  const std::string list = "/data/transforms";
  Fix fix{STRATA_TEXT("data", "Add the transform standardize"), {}, {}};
  fix.edit = {STRATA_TEXT("edit", "Add a transform"), {}, {}, {}};
  if (hasTransforms)
    fix.edit.operations = {{EditOperation::Kind::Insert, list + "/-", transform.dump()}};
  else
    fix.edit.operations = {setOperation(list, Json::array({transform}))};
  return fix;
}

}  // namespace

void reportLostDigits(const Dataset& dataset, size_t input, const std::string& name,
                      bool hasTransforms, Diagnostics& diagnostics) {
  const InputTransform& transform = dataset.transforms[input];
  if (!transform.isExact) return;
  std::vector<FloatLoss> losses(static_cast<size_t>(dataset.inputs[input].shape.numElements()));
  forEachExactSample(*dataset.train, input, transform, dataset.trainCount,
                     [&](int64_t, std::span<const double> values) {
                       for (size_t i = 0; i < losses.size(); ++i)
                         losses[i].add(values[i]);
                     });
  const auto first = std::find_if(losses.begin(), losses.end(),
                                  [](const FloatLoss& each) { return each.losesDigits(); });
  if (first == losses.end()) return;
  const auto place = static_cast<size_t>(first - losses.begin());
  const std::vector<std::string> names = valueNames(dataset.encodings[input]);
  const Json lowest(first->lowest()), highest(first->highest());
  if (place < names.size())
    addProblem(diagnostics, "lost_digits", "/data/transforms",
               STRATA_TEXT("data",
                           "Column \"%1\": float32 rounds its values (%2 to %3), so that they "
                           "become almost or exactly equal. Add the transform standardize."),
               {excerpt(names[place], 60), lowest.dump(), highest.dump()});
  else
    addProblem(diagnostics, "lost_digits", "/data/transforms",
               STRATA_TEXT("data",
                           "Input %1, value %2 of the samples: float32 rounds its values (%3 to "
                           "%4), so that they become almost or exactly equal. Add the transform "
                           "standardize."),
               {name, std::to_string(place + 1), lowest.dump(), highest.dump()});
  diagnostics.back().severity = Severity::Warning;
  diagnostics.back().fixes = {standardizeFix(hasTransforms)};
}

void reportTinySpread(const Dataset& dataset, const TransformList& transforms, size_t input,
                      const std::string& name, Diagnostics& diagnostics) {
  const TransformList::Entry* last = nullptr;
  for (const TransformList::Entry& entry : transforms.ofInputs)
    if (entry.input.empty() || entry.input == name) last = &entry;
  const Shape& shape = dataset.inputs[input].shape;
  if (!last || last->type != "standardize" || !last->isPerChannel || shape.rank() != 1) return;
  struct Spread {
    double lowest = INFINITY, highest = -INFINITY, squares = 0;
  };
  std::vector<Spread> spreads(static_cast<size_t>(shape.numElements()));
  // The mean of the transformed values is 0.
  forEachExactSample(*dataset.train, input, dataset.transforms[input], dataset.trainCount,
                     [&](int64_t, std::span<const double> values) {
                       for (size_t i = 0; i < spreads.size(); ++i) {
                         spreads[i].lowest = std::min(spreads[i].lowest, values[i]);
                         spreads[i].highest = std::max(spreads[i].highest, values[i]);
                         spreads[i].squares += values[i] * values[i];
                       }
                     });
  const double epsilon = last->numbers.at("epsilon"),
               count = static_cast<double>(std::max<int64_t>(1, dataset.trainCount));
  const auto first = std::find_if(spreads.begin(), spreads.end(), [&](const Spread& each) {
    return each.lowest < each.highest && std::sqrt(each.squares / count) <= epsilon * 1.001;
  });
  if (first == spreads.end()) return;
  const auto place = static_cast<size_t>(first - spreads.begin());
  const std::vector<std::string> names = valueNames(dataset.encodings[input]);
  char deviation[32];
  std::snprintf(deviation, sizeof deviation, "%.3g", std::sqrt(first->squares / count));
  const std::string value = place < names.size() ? names[place] : std::to_string(place + 1);
  addProblem(diagnostics, "tiny_spread", last->pointer,
             STRATA_TEXT("data",
                         "Value \"%1\": its standard deviation (%2) is below epsilon (%3), so "
                         "standardize does not scale it, and it stays almost 0. Set epsilon to 0."),
             {excerpt(value, 60), deviation, Json(epsilon).dump()});
  Json transform{{"type", "standardize"}, {"epsilon", 0}};
  if (!last->input.empty()) transform["input"] = last->input;
  Fix fix = setFix(last->pointer, transform);
  fix.label = STRATA_TEXT("problem", "Set %1 to %2");
  fix.arguments = {"epsilon", "0"};
  diagnostics.back().severity = Severity::Warning;
  diagnostics.back().fixes = {fix};
}

}  // namespace strata
