// SPDX-License-Identifier: Apache-2.0
// Judges the targets of the data by the range of their loss.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "core/check/data_fit.h"
#include "core/project/text.h"

namespace strata {

namespace {

// How far the sum of probabilities may be from 1, which rounding and float16 files explain
constexpr double kSumTolerance = 0.01;

/// Calls `take(index, value)` for the elements of targets until it returns false.
template <class Take>
void forEachValue(const Tensor& targets, Take take) {
  const auto each = [&](const auto& values) {
    for (size_t i = 0; i < values.size(); ++i)
      if (!take(static_cast<int64_t>(i), static_cast<double>(values[i]))) return;
  };
  if (targets.dtype() == DType::I32)
    each(targets.as<int32_t>());
  else if (targets.dtype() == DType::F32)
    each(targets.as<float>());
  else
    each(targets.converted(DType::F64).as<double>());
}

/// Returns the length of the rows of targets, whose probabilities sum to 1.
int64_t rowLength(const Tensor& targets) {
  return targets.shape().rank() > 1 ? targets.shape().dim(-1) : 1;
}

/// What the targets of all samples have in common.
struct TargetFacts {
  bool isWhole = true;
  double minimum = std::numeric_limits<double>::infinity();
  double maximum = -std::numeric_limits<double>::infinity();
};

TargetFacts factsOf(const Dataset& dataset, size_t target) {
  TargetFacts facts;
  for (const Samples* samples : {dataset.train.get(), dataset.test.get()})
    forEachValue(samples->y[target], [&](int64_t, double value) {
      facts.isWhole = facts.isWhole && value == std::floor(value);
      facts.minimum = std::min(facts.minimum, value);
      facts.maximum = std::max(facts.maximum, value);
      return true;
    });
  return facts;
}

/// Judges the targets of one output.
class TargetJudge {
 public:
  TargetJudge(const Dataset& dataset, size_t target, const OutputOptions& output,
              const LossDef& loss, int64_t width)
      : m_dataset(dataset),
        m_target(target),
        m_output(output),
        m_loss(loss),
        m_layer(output.name.empty() ? std::string("output") : output.name),
        m_width(width) {
    if (const auto ignored = output.loss.fields->find("ignore_class");
        ignored != output.loss.fields->end() && ignored->is_number_integer())
      m_ignored = ignored->get<int64_t>();
  }

  std::optional<DataMisfit> find() {
    const bool hasZeroAndMinusOne = m_loss.ranges.targets == TargetRange::Signs && mixesSigns();
    for (const Samples* samples : {m_dataset.train.get(), m_dataset.test.get()}) {
      if (samples->count() == 0 || m_target >= samples->y.size()) continue;
      const Tensor& y = samples->y[m_target];
      const auto sampleOf = [&](int64_t index) {
        return index / std::max<int64_t>(1, y.shape().numElements() / samples->count());
      };
      std::optional<std::pair<int64_t, double>> wrong;
      forEachValue(y, [&](int64_t index, double value) {
        if (isInRange(value) && !(hasZeroAndMinusOne && value == 0)) return true;
        if (isIgnored(*samples, sampleOf(index))) return true;
        wrong = {index, value};
        return false;
      });
      if (wrong) return misfit(placeOf(*samples, sampleOf(wrong->first)), wrong->second);
      if (const auto row = rowWithWrongSum(y))
        return wrongSum(placeOf(*samples, sampleOf(row->first * rowLength(y))), row->second);
    }
    return {};
  }

 private:
  std::string placeOf(const Samples& samples, int64_t sample) const {
    const std::string place = samples.placeOfTarget(sample, m_target);
    return m_dataset.targets.size() > 1 ? place + ", target \"" + m_layer + "\"" : place;
  }

  /// Whether a sample does not count in the loss, because its weight is 0.
  bool isIgnored(const Samples& samples, int64_t sample) const {
    if (m_target >= samples.weights.size() || samples.weights[m_target].numElements() == 0)
      return false;
    return samples.weights[m_target].as<float>()[static_cast<size_t>(sample)] == 0;
  }

  bool isInRange(double value) const {
    switch (m_loss.ranges.targets) {
      case TargetRange::Any: return true;
      case TargetRange::Classes:
        return (value >= 0 && (m_width < 1 || value < static_cast<double>(m_width))) ||
               (m_ignored && value == static_cast<double>(*m_ignored));
      case TargetRange::Unit:
      case TargetRange::Distribution: return value >= 0 && value <= 1;
      case TargetRange::Signs: return value == -1 || value == 0 || value == 1;
      case TargetRange::NotNegative: return value >= 0;
      case TargetRange::NotZero: return value != 0;
    }
    return true;
  }

  /// Whether the targets contain 0 and -1, of which only one can mean the negative class.
  bool mixesSigns() const {
    bool hasZero = false, hasMinusOne = false;
    for (const Samples* samples : {m_dataset.train.get(), m_dataset.test.get()})
      forEachValue(samples->y[m_target], [&](int64_t, double value) {
        hasZero = hasZero || value == 0;
        hasMinusOne = hasMinusOne || value == -1;
        return !(hasZero && hasMinusOne);
      });
    return hasZero && hasMinusOne;
  }

  /// Returns the first row whose probabilities do not sum to 1, and their sum.
  std::optional<std::pair<int64_t, double>> rowWithWrongSum(const Tensor& y) const {
    const int64_t length = rowLength(y);
    const auto axis = m_output.loss.fields->find("axis");
    const bool isAlongRows =
        axis == m_output.loss.fields->end() || !axis->is_number() || axis->get<int>() == -1;
    if (m_loss.ranges.targets != TargetRange::Distribution || length < 2 || !isAlongRows) return {};
    std::optional<std::pair<int64_t, double>> wrong;
    double sum = 0;
    forEachValue(y, [&](int64_t index, double value) {
      sum += value;
      if ((index + 1) % length != 0) return true;
      if (std::abs(sum - 1) > kSumTolerance) wrong = {index / length, sum};
      sum = 0;
      return !wrong;
    });
    return wrong;
  }

  DataMisfit wrongSum(std::string place, double sum) const {
    DataMisfit misfit = ofLoss(std::move(place));
    misfit.severity = Severity::Warning;
    misfit.message =
        STRATA_TEXT("problem",
                    "the targets of the sample sum to %1 (expected 1, because %2 compares "
                    "probabilities). Correct them, or choose binary_crossentropy with sigmoid if "
                    "several classes can be true at once.");
    misfit.arguments = {valueText(sum), m_loss.schema.type};
    return misfit;
  }

  DataMisfit ofLoss(std::string place) const {
    return {.code = "target_out_of_range", .field = m_output.pointer, .place = std::move(place)};
  }

  DataMisfit misfit(std::string place, double value) const {
    DataMisfit misfit = ofLoss(std::move(place));
    const std::string& loss = m_loss.schema.type;
    misfit.arguments = {valueText(value), loss};
    switch (m_loss.ranges.targets) {
      case TargetRange::Any: break;
      case TargetRange::Classes:
        misfit.layer = m_layer;
        misfit.field.clear();
        misfit.message =
            STRATA_TEXT("problem",
                        "the label is %1 (expected 0 to %2, the outputs of %3). Correct the label, "
                        "or give the network more outputs.");
        misfit.arguments = {valueText(value), std::to_string(m_width - 1), m_layer};
        break;
      case TargetRange::Unit:
      case TargetRange::Distribution: describeUnit(misfit); break;
      case TargetRange::Signs:
        misfit.message =
            STRATA_TEXT("problem",
                        "the target is %1 (expected -1 and 1, or 0 and 1, because %2 separates two "
                        "classes). Change the targets to -1 and 1.");
        break;
      case TargetRange::NotNegative:
        misfit.message = STRATA_TEXT("problem",
                                     "the target is %1 (expected 0 or more, because %2 does not "
                                     "accept negative targets). Correct it, or choose "
                                     "mean_squared_error.");
        misfit.betterLoss = "mean_squared_error";
        break;
      case TargetRange::NotZero:
        misfit.severity = Severity::Warning;
        misfit.message = STRATA_TEXT("problem",
                                     "the target is %1 (expected another value, because %2 divides "
                                     "by the target). Choose mean_absolute_error.");
        misfit.betterLoss = "mean_absolute_error";
        break;
    }
    return misfit;
  }

  /// Describes a target outside 0 to 1 by what all targets are: two classes, several classes, or
  /// measured values.
  void describeUnit(DataMisfit& misfit) const {
    const TargetFacts facts = factsOf(m_dataset, m_target);
    const bool hasOneValue = rowLength(m_dataset.train->y[m_target]) == 1;
    const bool isTwoClasses = facts.isWhole && hasTwoValues(facts);
    if (facts.minimum == facts.maximum) {
      misfit.message = STRATA_TEXT("problem",
                                   "all targets are %1 (expected 0 and 1, because %2 compares "
                                   "probabilities). Check the targets.");
    }
    else if (isTwoClasses) {
      misfit.message =
          STRATA_TEXT("problem",
                      "the target is %1 (expected 0 to 1, because %2 compares probabilities). "
                      "Change the targets %3 and %4 to 0 and 1.");
      misfit.arguments.insert(misfit.arguments.end(),
                              {valueText(facts.minimum), valueText(facts.maximum)});
    }
    else if (facts.isWhole && facts.minimum >= 0 && hasOneValue) {
      misfit.betterLoss = "sparse_categorical_crossentropy";
      misfit.message =
          STRATA_TEXT("problem",
                      "the target is %1 (expected 0 to 1, because %2 compares probabilities). "
                      "Choose sparse_categorical_crossentropy for class numbers.");
    }
    else {
      misfit.betterLoss = "mean_squared_error";
      misfit.message =
          STRATA_TEXT("problem",
                      "the target is %1 (expected 0 to 1, because %2 compares probabilities). "
                      "Choose mean_squared_error for measured values, or scale the targets.");
    }
  }

  /// Whether the targets have two values, the smallest and the largest one.
  bool hasTwoValues(const TargetFacts& facts) const {
    bool hasOther = false;
    for (const Samples* samples : {m_dataset.train.get(), m_dataset.test.get()})
      forEachValue(samples->y[m_target], [&](int64_t, double value) {
        hasOther = value != facts.minimum && value != facts.maximum;
        return !hasOther;
      });
    return !hasOther;
  }

  const Dataset& m_dataset;
  const size_t m_target;
  const OutputOptions& m_output;
  const LossDef& m_loss;
  const std::string m_layer;
  const int64_t m_width;
  std::optional<int64_t> m_ignored;
};

}  // namespace

std::string valueText(double value) {
  if (std::abs(value) < 1e9 && value == std::floor(value))
    return std::to_string(static_cast<int64_t>(value));
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(value)).ptr;
  return {buffer, end};
}

std::optional<double> oneHotValue(const Tensor& targets) {
  const int64_t length = rowLength(targets);
  if (length < 2 || targets.numElements() == 0) return {};
  bool isRight = true;
  double hot = 0;
  int64_t count = 0;
  forEachValue(targets, [&](int64_t index, double value) {
    if (value > 0 && hot == 0) hot = value;
    isRight = value == 0 || value == hot;
    count += value != 0 ? 1 : 0;
    if ((index + 1) % length == 0) {
      isRight = isRight && count == 1;
      count = 0;
    }
    return isRight;
  });
  return isRight ? std::optional(hot) : std::nullopt;
}

bool isOneHot(const Tensor& targets) { return oneHotValue(targets) == 1.0; }

bool areClassNumbers(const Tensor& targets) {
  bool isRight = targets.numElements() > 0;
  forEachValue(targets, [&](int64_t, double value) {
    isRight = value >= 0 && value == std::floor(value);
    return isRight;
  });
  return isRight;
}

std::optional<DataMisfit> findTargetMisfit(const Dataset& dataset, size_t target,
                                           const OutputOptions& output, int64_t width) {
  const LossDef* const loss = findLoss(output.loss.type);
  if (!loss || !output.loss.fields || loss->ranges.targets == TargetRange::Any) return {};
  if (target >= dataset.train->y.size() || target >= dataset.test->y.size()) return {};
  return TargetJudge(dataset, target, output, *loss, width).find();
}

}  // namespace strata
