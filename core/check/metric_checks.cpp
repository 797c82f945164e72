// SPDX-License-Identifier: Apache-2.0
// Checks the metrics of an output: whether they can compare its targets, and whether they can have
// a value.
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "core/check/data_fit.h"
#include "core/check/joint_checks.h"
#include "core/data/source.h"
#include "core/recipe/losses.h"
#include "core/recipe/metrics.h"
#include "gpu/base/bytes.h"

namespace strata {

namespace {

// Limit for the elements that a metric collects during an evaluation
constexpr double kMaxCollectedBytes = 0x1p30;

class MetricChecker {
 public:
  MetricChecker(const ProjectParts& parts, size_t index, const Shape& shape, const LossDef& loss,
                Diagnostics& diagnostics)
      : m_parts(parts), m_index(index), m_shape(shape), m_loss(loss), m_diagnostics(diagnostics) {}

  void check(const TypedFields& metric) {
    m_field = metric.isWeighted ? "/training/weighted_metrics" : "/training/metrics";
    m_metric = &metric;
    const MetricDef* definition = findMetric(resolveMetric(metric.type, m_loss.target, m_shape));
    if (!definition || !checkTargetKind(*definition)) return;
    const Json& fields = metric.fields && metric.type == definition->schema.type
                             ? *metric.fields
                             : *definition->defaults;
    if (checkOneOutput(*definition)) return;
    checkSeveralLabels(*definition);
    checkThresholds(fields);
    checkCorrelation(fields);
    checkTopK(fields);
    checkCollected(*definition, fields);
    checkTargets(*definition, fields);
  }

 private:
  void report(Severity severity, const char* code, Text message, Arguments arguments,
              std::vector<Fix> fixes = {}) {
    m_diagnostics.push_back(
        {severity, code, "", m_field, message, std::move(arguments), std::move(fixes)});
  }

  /// Returns whether the metric can compare the kind of targets that the loss has.
  bool checkTargetKind(const MetricDef& definition) {
    if (m_loss.target == TargetKind::Sequences) {
      report(Severity::Error, "metric_mismatch",
             STRATA_TEXT("problem",
                         "the metric %1 compares outputs and labels step by step, but the labels "
                         "of %2 have no positions (expected no metrics). Remove it."),
             {m_metric->type, m_loss.schema.type});
      return false;
    }
    if (definition.target == m_loss.target || definition.takesEitherTarget) return true;
    report(Severity::Error, "metric_mismatch",
           STRATA_TEXT("problem",
                       "the metric %1 compares values, but the targets of %2 are class numbers. "
                       "Use accuracy."),
           {m_metric->type, m_loss.schema.type});
    return false;
  }

  /// Reports a metric that compares the outputs of several classes, if there is one output. Such a
  /// metric has its best value for any weights. Returns whether it did.
  bool checkOneOutput(const MetricDef& definition) {
    static const std::map<std::string, const char*, std::less<>> kBinary{
        {"categorical_accuracy", "binary_accuracy"},
        {"sparse_categorical_accuracy", "binary_accuracy"},
        {"mean_io_u", "binary_accuracy"},
        {"one_hot_mean_io_u", "binary_accuracy"},
        {"io_u", "binary_accuracy"},
        {"one_hot_io_u", "binary_accuracy"},
        {"categorical_crossentropy", "binary_crossentropy"},
        {"sparse_categorical_crossentropy", "binary_crossentropy"},
        {"perplexity", "binary_crossentropy"}};
    const auto better = kBinary.find(definition.schema.type);
    if (better == kBinary.end() || m_shape.dim(-1) != 1) return false;
    report(Severity::Warning, "metric_mismatch",
           STRATA_TEXT("problem",
                       "the metric %1 compares the outputs of several classes, but there is one "
                       "output (expected at least 2), so its value means nothing. Use %2."),
           {m_metric->type, better->second}, nameFix(better->second));
    return true;
  }

  /// Reports thresholds from 0 to 1 for outputs that may be other numbers.
  void checkThresholds(const Json& fields) {
    const auto count = fields.find("num_thresholds");
    const Layer* const last = m_parts.model.find(m_parts.training.outputs[m_index].name);
    if (count == fields.end() || !count->is_number() || !last || !last->fields ||
        m_loss.ranges.outputs != OutputRange::Any)
      return;
    const auto activation = last->fields->find("activation");
    if (activation == last->fields->end() || typedObject(*activation)["type"] != "linear") return;
    report(Severity::Warning, "thresholds",
           STRATA_TEXT("problem",
                       "the metric %1 compares outputs with thresholds from 0 to 1, but %2 may "
                       "have other outputs. Set its num_thresholds to \"exact\"."),
           {m_metric->type, last->name},
           entryFix(STRATA_TEXT("problem", "Set %1 to %2"), {"num_thresholds", "exact"},
                    {{"type", m_metric->type}, {"num_thresholds", "exact"}}));
  }

  /// Reports a correlation of one value with another, which is 0 divided by 0.
  void checkCorrelation(const Json& fields) {
    if (!m_metric->type.ends_with("_correlation")) return;
    const int rank = m_shape.rank() + 1, given = fields.at("axis").get<int>(),
              axis = given < 0 ? given + rank : given;
    if (axis < 1 || axis >= rank || m_shape[axis - 1] > 1) return;
    report(Severity::Warning, "no_value",
           STRATA_TEXT("problem",
                       "the metric %1 has no value: it correlates the outputs of each sample, and "
                       "a sample has only 1 (expected at least 2). Use r2_score."),
           {m_metric->type}, nameFix("r2_score"));
  }

  /// Reports an accuracy of the largest output, if several outputs may be right at once.
  void checkSeveralLabels(const MetricDef& definition) {
    const auto& dataset = m_parts.data.dataset;
    if (m_metric->type != "accuracy" || definition.schema.type != "categorical_accuracy" ||
        !m_loss.isBinary || !dataset || m_index >= dataset->train->y.size() ||
        isOneHot(dataset->train->y[m_index]))
      return;
    report(Severity::Warning, "metric_mismatch",
           STRATA_TEXT("problem",
                       "accuracy compares only the largest output with the largest target, as in "
                       "Keras, but several outputs can be true at once. Use binary_accuracy."),
           {}, nameFix("binary_accuracy"));
  }

  void checkTopK(const Json& fields) {
    const auto k = fields.find("k");
    if (k == fields.end() || k->get<int64_t>() < m_shape.dim(-1)) return;
    report(Severity::Warning, "no_value",
           STRATA_TEXT("problem",
                       "the metric %1 is always 1, because k is %2 and the network has %3 outputs "
                       "(expected k below the number of outputs). Set k to a smaller number."),
           {m_metric->type, std::to_string(k->get<int64_t>()), std::to_string(m_shape.dim(-1))});
  }

  /// Reports a metric that would collect too many elements.
  void checkCollected(const MetricDef& definition, const Json& fields) {
    if (!definition.isCollected || !definition.isCollected(fields)) return;
    const auto samples = static_cast<double>(
        std::max({m_parts.data.trainCount, m_parts.data.validationCount, m_parts.data.testCount}));
    const double bytes =
        samples * static_cast<double>(m_shape.numElements()) * sizeof(CollectedElement);
    if (bytes <= kMaxCollectedBytes) return;
    report(Severity::Error, "too_large",
           STRATA_TEXT("problem",
                       "the exact metric %1 needs %2 of memory for the outputs of all samples "
                       "(expected at most %3). Set num_thresholds to a number, such as 1000."),
           {m_metric->type, bytesText(bytes), bytesText(kMaxCollectedBytes)});
  }

  std::vector<Fix> nameFix(const char* type) const {
    return entryFix(STRATA_TEXT("problem", "Use %1"), {type}, type);
  }

  /// Returns the fix that replaces the metric, if its entry is a name.
  std::vector<Fix> entryFix(Text label, Arguments arguments, const Json& entry) const {
    const Json::json_pointer place(m_field);
    const Json& document = m_parts.document;
    if (!document.contains(place) || !document.at(place).is_array()) return {};
    const Json& list = document.at(place);
    for (size_t i = 0; i < list.size(); ++i)
      if (list[i] == Json(m_metric->type))
        return {{label,
                 std::move(arguments),
                 {STRATA_TEXT("edit", "Set %1"),
                  {"metrics"},
                  {setOperation(m_field + "/" + std::to_string(i), entry)},
                  {}}}};
    return {};
  }

  /// Reports targets that the metric cannot compare: other values than two classes, or a split with
  /// a single class.
  void checkTargets(const MetricDef& definition, const Json& fields) {
    if (definition.targets != TargetRange::Unit || m_loss.target != TargetKind::Values ||
        !m_parts.data.dataset || m_index >= m_parts.data.dataset->train->y.size())
      return;
    const Dataset& data = *m_parts.data.dataset;
    const bool isCurve = fields.contains("num_thresholds");
    const struct {
      const Samples& samples;
      int64_t begin, count;
      Argument name;
    } splits[] = {
        {*data.train, 0, data.trainCount, STRATA_TEXT("argument", "training")},
        {*data.train, data.trainCount, data.validationCount, STRATA_TEXT("argument", "validation")},
        {*data.test, 0, data.test->count(), STRATA_TEXT("argument", "test")}};
    for (const auto& split : splits) {
      if (split.count < 1) continue;
      const auto found = valuesOf(split.samples.y[m_index], split.begin, split.count);
      const bool isJudgedByLoss = m_loss.ranges.targets != TargetRange::Any;
      if (found.other && !isJudgedByLoss) return reportOther(*found.other);
      if (!isCurve || found.other || (found.hasZero && found.hasOne)) continue;
      return report(
          Severity::Warning, "no_value",
          STRATA_TEXT("problem",
                      "the metric %1 has no value for the %2 samples: all of their targets are "
                      "%3 (expected two classes). Change the split, or use accuracy."),
          {m_metric->type, split.name, found.hasOne ? "1" : "0"});
    }
  }

  void reportOther(double value) {
    report(Severity::Warning, "metric_mismatch",
           STRATA_TEXT("problem",
                       "the metric %1 compares targets of 0 and 1, but a target is %2 (expected "
                       "0 or 1). Use a metric of values, such as mean_absolute_error."),
           {m_metric->type, valueText(value)}, nameFix("mean_absolute_error"));
  }

  struct Found {
    bool hasZero = false, hasOne = false;
    // The first value below 0 or above 1
    std::optional<double> other;
  };
  static Found valuesOf(const Tensor& targets, int64_t begin, int64_t count) {
    Found found;
    const int64_t width = targets.numElements() / std::max<int64_t>(1, targets.shape()[0]);
    const auto look = [&](const auto& values) {
      for (const auto value : values) {
        found.hasZero = found.hasZero || value == 0;
        found.hasOne = found.hasOne || value != 0;
        if (!found.other && (value < 0 || value > 1)) found.other = static_cast<double>(value);
      }
    };
    const auto from = static_cast<size_t>(begin * width), size = static_cast<size_t>(count * width);
    if (targets.dtype() == DType::I32)
      look(targets.as<int32_t>().subspan(from, size));
    else if (targets.dtype() == DType::F32)
      look(targets.as<float>().subspan(from, size));
    return found;
  }

  const ProjectParts& m_parts;
  const size_t m_index;
  const Shape& m_shape;
  const LossDef& m_loss;
  Diagnostics& m_diagnostics;
  const TypedFields* m_metric = nullptr;
  std::string m_field;
};

}  // namespace

void checkMetrics(const ProjectParts& parts, size_t index, const Shape& shape,
                  Diagnostics& diagnostics) {
  const OutputOptions& output = parts.training.outputs[index];
  const LossDef* const loss = findLoss(output.loss.type);
  if (!loss) return;
  MetricChecker checker(parts, index, shape, *loss, diagnostics);
  for (const TypedFields& metric : output.metrics)
    checker.check(metric);
}

}  // namespace strata
