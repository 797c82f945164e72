// SPDX-License-Identifier: Apache-2.0
#include "core/check/class_weights.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include <nlohmann/json.hpp>

#include "core/data/source.h"
#include "core/project/text.h"
#include "gpu/base/error.h"
#include "gpu/base/nearest_name.h"

namespace strata {

namespace {

constexpr const char* kField = "/training/class_weight";
// The weights of so many classes need 80 MB
constexpr size_t kMaxClasses = 10'000'000;

std::optional<size_t> asNumber(const std::string& key) {
  size_t number = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), number);
  return error == std::errc() && end == key.data() + key.size() ? std::optional(number)
                                                                : std::nullopt;
}

std::optional<size_t> classNamed(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? std::nullopt
                              : std::optional(static_cast<size_t>(found - names.begin()));
}

/// Returns how many classes can have a weight. Targets without class numbers have one class for
/// each value of a sample, or else the classes 0 and 1.
size_t numClasses(const DataTarget& target) {
  if (target.classes > 0) return static_cast<size_t>(target.classes);
  const int64_t values = target.shape.rank() > 0 ? target.shape.dim(-1) : 1;
  return static_cast<size_t>(std::max<int64_t>(2, values));
}

void requireFewClasses(size_t highest) {
  if (highest < kMaxClasses) return;
  throw Error(ErrorCode::InvalidProject, kField,
              "needs a weight for class " + std::to_string(highest) + " (expected classes below " +
                  std::to_string(kMaxClasses) +
                  "). Correct the class numbers of the data, or remove class_weight.");
}

/// Returns the number of the class that a key means. A number is the number of a class if there are
/// so many classes, and otherwise a name.
std::optional<size_t> classOfKey(const std::string& key, const std::vector<std::string>& names,
                                 size_t classes) {
  const std::optional<size_t> number = asNumber(key);
  return number && *number < classes ? number : classNamed(names, key);
}

Fix renameFix(const std::string& key, const std::string& name, double weight) {
  const std::string field = kField;
  return {STRATA_TEXT("problem", "Change %1 to %2"),
          {key, name},
          {STRATA_TEXT("edit", "Set %1"),
           {"class_weight"},
           {removeOperation(field + "/" + escapedKey(key)),
            setOperation(field + "/" + escapedKey(name), weight)},
           {}}};
}

std::vector<double> balancedWeights(const Dataset& dataset) {
  std::vector<int32_t> labels = classLabels(*dataset.train, 0);
  labels.resize(std::min(labels.size(), static_cast<size_t>(dataset.trainCount)));
  std::map<int32_t, int64_t> counts;
  for (const int32_t label : labels)
    if (label >= 0) ++counts[label];
  if (counts.empty())
    throw Error(ErrorCode::InvalidProject, kField,
                "is \"balanced\", but the targets are not classes (expected class numbers, or 0 "
                "and 1). Remove class_weight, or choose a loss for classes.");
  int64_t samples = 0;
  for (const auto& [label, count] : counts)
    samples += count;
  const auto highest = static_cast<size_t>(counts.rbegin()->first);
  requireFewClasses(highest);
  std::vector<double> weights(highest + 1, 1.0);
  for (const auto& [label, count] : counts)
    weights[static_cast<size_t>(label)] =
        static_cast<double>(samples) /
        (static_cast<double>(counts.size()) * static_cast<double>(count));
  return weights;
}

/// Whether the targets have one class for each sample: a class number, 0 or 1, or the largest of
/// several values, which is not reached twice.
bool haveOneClass(const Tensor& targets) {
  if (targets.dtype() != DType::F32 || targets.shape().rank() > 2) return true;
  const int64_t width = targets.shape().rank() > 1 ? targets.shape().dim(-1) : 1;
  const auto values = targets.as<float>();
  if (width < 2)
    return std::ranges::all_of(values,
                               [](float value) { return value == 0 || value == 1 || value == -1; });
  for (size_t at = 0; at < values.size(); at += static_cast<size_t>(width)) {
    const auto row = values.subspan(at, static_cast<size_t>(width));
    const float largest = std::ranges::max(row);
    if (largest <= 0 || std::ranges::count(row, largest) > 1) return false;
  }
  return true;
}

}  // namespace

std::vector<double> classWeightsOf(const TrainingOptions& training, const Dataset& dataset) {
  if (!training.classWeightsDependOnData()) return {};
  if (training.hasBalancedClasses) return balancedWeights(dataset);
  const DataTarget& target = dataset.targets[0];
  Diagnostics problems;
  checkClassWeights(training, target, nullptr, problems);
  std::erase_if(problems, [](const Diagnostic& each) { return each.severity != Severity::Error; });
  requireNoProblem(problems);
  const size_t classes = numClasses(target);
  std::vector<double> weights;
  for (const auto& [key, weight] : training.namedClassWeights) {
    const std::optional<size_t> label = classOfKey(key, target.classNames, classes);
    if (!label) continue;
    requireFewClasses(*label);
    if (*label >= weights.size()) weights.resize(*label + 1, 1.0);
    weights[*label] = weight;
  }
  return weights.empty() ? std::vector<double>{1.0} : weights;
}

namespace {

/// Appends a problem if the targets are not one class for each sample.
void checkTargets(const TrainingOptions& training, const DataTarget& target, const Dataset* dataset,
                  Diagnostics& diagnostics) {
  const auto report = [&](Severity severity, const char* code, Text message) {
    diagnostics.push_back(
        {severity,
         code,
         "",
         kField,
         message,
         {},
         {{STRATA_TEXT("problem", "Remove %1"),
           {"class_weight"},
           {STRATA_TEXT("edit", "Remove %1"), {"class_weight"}, {removeOperation(kField)}, {}}}}});
  };
  if (training.hasBalancedClasses && ((!target.hasLabels && target.shape.rank() > 1) ||
                                      (dataset && classLabels(*dataset->train, 0).empty())))
    return report(Severity::Error, "conflict",
                  STRATA_TEXT("problem",
                              "class_weight is \"balanced\", but the targets are not classes "
                              "(expected class numbers, or 0 and 1). Remove class_weight."));
  if (!dataset || haveOneClass(dataset->train->y[0])) return;
  const bool isOneValue = dataset->train->y[0].numElements() == dataset->train->count();
  report(Severity::Warning, "class_weight_without_classes",
         isOneValue
             ? STRATA_TEXT("problem",
                           "the targets are measured values, so class_weight weighs a sample by "
                           "whether its target is above 0.5. Remove class_weight.")
             : STRATA_TEXT("problem",
                           "several classes are true at once, so class_weight weighs a sample by "
                           "its largest target. Remove class_weight."));
}

}  // namespace

void checkClassWeights(const TrainingOptions& training, const DataTarget& target,
                       const Dataset* dataset, Diagnostics& diagnostics) {
  if (!training.classWeightsDependOnData() && training.classWeights.empty()) return;
  const auto report = [&](Severity severity, const char* code, const std::string& field,
                          Text message, Arguments arguments, std::vector<Fix> fixes = {}) {
    diagnostics.push_back(
        {severity, code, "", field, message, std::move(arguments), std::move(fixes)});
  };
  checkTargets(training, target, dataset, diagnostics);
  const size_t classes = numClasses(target);
  if (target.classes > 0 && training.namedClassWeights.empty() &&
      std::ssize(training.classWeights) > target.classes)
    report(
        Severity::Warning, "class_out_of_range", kField,
        STRATA_TEXT("problem",
                    "class %1 has a weight, but the data only has the classes 0 to %2. Remove it."),
        {std::to_string(training.classWeights.size() - 1), std::to_string(target.classes - 1)});
  const std::vector<std::string>& names = target.classNames;
  for (const auto& [key, weight] : training.namedClassWeights) {
    const std::string pointer = std::string(kField) + "/" + escapedKey(key);
    const std::optional<size_t> number = asNumber(key), named = classNamed(names, key);
    if (number && *number < std::min(classes, names.size()) && named && *named != *number)
      report(Severity::Warning, "ambiguous_class", pointer,
             STRATA_TEXT("problem",
                         "the weight of \"%1\" is that of class number %1, which is \"%2\", not "
                         "that of the class named \"%1\", which is number %3. Use %3 if you mean "
                         "the name."),
             {key, excerpt(names[*number], 60), std::to_string(*named)});
    if (named || (number && *number < classes)) continue;
    if (number) {
      report(Severity::Warning, "class_out_of_range", kField,
             STRATA_TEXT(
                 "problem",
                 "class %1 has a weight, but the data only has the classes 0 to %2. Remove it."),
             {key, std::to_string(classes - 1)});
      continue;
    }
    const std::string nearest = nearestName(key, names);
    if (nearest.empty())
      report(Severity::Error, "unknown_name", pointer,
             STRATA_TEXT("problem",
                         "class_weight names the class \"%1\", which the data does not have "
                         "(expected one of: %2). Correct the name."),
             {excerpt(key, 60), excerpt(joinedNames(names), 200)});
    else
      report(Severity::Error, "unknown_name", pointer,
             STRATA_TEXT("problem",
                         "class_weight names the class \"%1\", which the data does not have. Did "
                         "you mean \"%2\"?"),
             {excerpt(key, 60), nearest}, {renameFix(key, nearest, weight)});
  }
}

}  // namespace strata
