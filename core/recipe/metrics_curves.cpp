// SPDX-License-Identifier: Apache-2.0
// Defines metrics of curves over thresholds: the best rate under a bound, and areas under curves.
// The schemas contain the formulas.
// Source: Keras 3, keras.metrics.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <tuple>

#include <nlohmann/json.hpp>

#include "core/recipe/entry_fields.h"
#include "core/recipe/metric_counts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

constexpr const char* kExact = "exact";

using Finish = void (*)(const Json&, std::span<const double>, int64_t, std::span<double>);

/// Returns the thresholds 0 to count - 1 for p * (count - 1). Keras computes its buckets from this
/// product, so elements near a threshold are counted in the same way. With `startsBelow`, the first
/// threshold is -1, which all elements exceed.
std::vector<double> steps(int64_t count, bool startsBelow) {
  std::vector<double> result;
  for (int64_t i = 0; i < count; ++i)
    result.push_back(i == 0 && startsBelow ? -1 : static_cast<double>(i));
  return result;
}
ValueId clippedToOne(Graph& g, ValueId p) {
  return minimum(g, maximum(g, p, constantScalar(g, DType::F32, 0)),
                 constantScalar(g, DType::F32, 1));
}

ValueId curveCounts(MetricContext& c) {
  Graph& g = c.graph;
  const int64_t count = c.fields.at("num_thresholds").get<int64_t>();
  const ValueId chosen = classOf(c, c.prediction), p = clippedToOne(g, asOneGroup(g, chosen)),
                target = asOneGroup(g, classOf(c, c.target)),
                weights = asOneGroup(g, weightsLike(c, chosen));
  if (count == 1) return countsAt(g, p, target, weights, {0.5}, 1);
  return countsAt(g, p, target, weights, steps(count, false), static_cast<double>(count - 1));
}

enum class Rate : uint8_t { Sensitivity, Specificity, Precision };
double rateOf(const Counts& n, Rate rate, size_t i) {
  switch (rate) {
    case Rate::Sensitivity: return shareOf(n.tp(i), n.yes);
    case Rate::Specificity: return shareOf(n.tn(i), n.all - n.yes);
    case Rate::Precision: return shareOf(n.tp(i), n.positive[i]);
  }
  return 0;
}
/// Computes the largest rate `wanted` at the thresholds where the rate `bound` is at least the
/// value of the field.
template <Rate wanted, Rate bound, const char* field>
void bestAt(const Json& fields, std::span<const double> sums, int64_t, std::span<double> values) {
  const Counts n = countsOf(sums);
  values[0] = 0;
  for (size_t i = 0; i < n.size(); ++i)
    if (rateOf(n, bound, i) >= fields.at(field).get<double>())
      values[0] = std::max(values[0], rateOf(n, wanted, i));
}
constexpr char kSpecificity[] = "specificity", kSensitivity[] = "sensitivity", kRecall[] = "recall",
               kPrecision[] = "precision";

bool isMultiLabel(const Json& fields) { return fields.at("multi_label").get<bool>(); }

/// Returns the field label_weights, which has one weight for each output, or null if it is not set.
const Json& labelWeightsOf(const MetricContext& c, const Shape& shape) {
  const Json& given = c.fields.at("label_weights");
  if (!given.is_null() && static_cast<int64_t>(given.size()) != shape.dim(-1))
    throw Error(ErrorCode::InvalidProject, "metrics",
                c.definition.schema.type + ": number of label_weights is " +
                    std::to_string(given.size()) + " (expected " + std::to_string(shape.dim(-1)) +
                    ", one for each output). Add or remove weights.");
  return given;
}

/// Multiplies the weight of each element by the weight of its label.
ValueId withLabelWeights(MetricContext& c, ValueId p, ValueId weights, const Json& given) {
  Graph& g = c.graph;
  const Shape shape = g.shape(p);
  Tensor values(DType::F32, Shape{shape.dim(-1)});
  for (size_t i = 0; i < given.size(); ++i)
    values.as<float>()[i] = given[i].get<float>();
  const ValueId ofLabels = broadcastTo(g, g.addConstant(std::move(values)), shape);
  return weights.isValid() ? multiply(g, weights, ofLabels) : ofLabels;
}

/// Whether the area is computed from all elements instead of their counts at thresholds.
bool isExact(const Json& fields) {
  return fields.at("num_thresholds").is_string() && fields.at("thresholds").is_null();
}

/// Returns the elements for exactArea(). Scores are compared only with each other, so logits are
/// kept, which have fewer equal values than their sigmoids. A softmax changes the order of the
/// elements of different samples, so its probabilities are compared.
ValueId areaElements(MetricContext& c, ValueId weights) {
  Graph& g = c.graph;
  if (!weights.isValid()) weights = constantFill(g, g.type(c.output), 1);
  const ValueId yes = cast(g, notEqual(g, c.target, constantScalar(g, DType::F32, 0)), DType::F32);
  const bool isSoftmax = c.reading.logits == OutputReading::Logits::Softmax;
  return joined(g, {isSoftmax ? c.prediction : c.output, yes, weights});
}

ValueId areaCounts(MetricContext& c) {
  Graph& g = c.graph;
  // The sigmoid or softmax at the end of a network has already made probabilities of logits
  const bool isLogits = c.fields.at("from_logits").get<bool>() &&
                        findLogits(g, c.output).of == LogitsSource::Of::Nothing;
  ValueId p = isLogits ? activation(g, c.prediction, "sigmoid") : c.prediction, target = c.target;
  ValueId weights = weightsLike(c, p);
  const Json& ofLabels = labelWeightsOf(c, g.shape(p));
  if (isMultiLabel(c.fields) && g.shape(p).rank() != 2)
    throw Error(ErrorCode::InvalidProject, "metrics",
                "auc with multi_label needs a prediction of [labels] per sample. Set it to false.");
  if (!isMultiLabel(c.fields) && !ofLabels.is_null())
    weights = withLabelWeights(c, p, weights, ofLabels);
  if (isExact(c.fields)) return areaElements(c, weights);
  if (isMultiLabel(c.fields)) {
    p = transpose(g, p, {1, 0});
    target = transpose(g, target, {1, 0});
    if (weights.isValid()) weights = transpose(g, weights, {1, 0});
  }
  else {
    p = asOneGroup(g, p);
    target = asOneGroup(g, target);
    weights = asOneGroup(g, weights);
  }
  p = clippedToOne(g, p);
  if (!c.fields.at("thresholds").is_null()) {
    std::vector<double> thresholds = c.fields.at("thresholds").get<std::vector<double>>();
    std::sort(thresholds.begin(), thresholds.end());
    thresholds.insert(thresholds.begin(), -kMetricEpsilon);
    thresholds.push_back(1 + kMetricEpsilon);
    return countsAt(g, p, target, weights, thresholds, 1);
  }
  const int64_t count = c.fields.at("num_thresholds").get<int64_t>();
  return countsAt(g, p, target, weights, steps(count, true), static_cast<double>(count - 1));
}

/// Returns the area under the precision-recall curve. Interpolates between thresholds like Davis
/// and Goadrich (2006), because precision is not linear there.
double interpolatedPrecisionArea(const Counts& n) {
  double area = 0;
  for (size_t i = 0; i + 1 < n.size(); ++i) {
    const double right = n.tp(i) - n.tp(i + 1), positive = n.positive[i] - n.positive[i + 1];
    const double slope = shareOf(right, std::max(positive, 0.0)),
                 intercept = n.tp(i + 1) - slope * n.positive[i + 1];
    const double ratio =
        n.positive[i] > 0 && n.positive[i + 1] > 0 ? n.positive[i] / n.positive[i + 1] : 1;
    area += shareOf(slope * (right + intercept * std::log(ratio)), std::max(n.yes, 0.0));
  }
  return area;
}

/// Whether elements of one class alone give no area.
bool isUndefined(const Json& fields, const Counts& n) {
  return !(n.yes > 0) || (fields.at("curve") != Json("PR") && !(n.all > n.yes));
}

double areaOf(const Json& fields, const Counts& n) {
  if (isUndefined(fields, n)) return std::numeric_limits<double>::quiet_NaN();
  const std::string& curve = fields.at("curve").get_ref<const std::string&>();
  const std::string& method = fields.at("summation_method").get_ref<const std::string&>();
  const bool isPrecision = curve == "PR", isGain = curve == "PRGAIN",
             interpolates = method == "interpolation";
  if (isPrecision && interpolates) return interpolatedPrecisionArea(n);
  const auto point = [&](size_t i) -> std::pair<double, double> {
    const double recalled = shareOf(n.tp(i), n.yes);
    if (isPrecision) return {recalled, shareOf(n.tp(i), n.positive[i])};
    if (!isGain) return {shareOf(n.fp(i), n.all - n.yes), recalled};
    if (n.tp(i) == 0) return {0, 1};
    const double scale = shareOf(n.yes, n.all - n.yes);
    return {std::max(0.0, 1 - scale * n.fn(i) / n.tp(i)), 1 - scale * n.fp(i) / n.tp(i)};
  };
  const auto heightOf = [&](double y, double nextY) {
    if (interpolates) return (y + nextY) / 2;
    return method == "minoring" ? std::min(y, nextY) : std::max(y, nextY);
  };
  double area = 0;
  for (size_t i = 0; i + 1 < n.size(); ++i) {
    const auto [x, y] = point(i);
    const auto [nextX, nextY] = point(i + 1);
    area += (x - nextX) * heightOf(y, nextY);
  }
  return area;
}

/// Returns the mean of the areas of groups (labels), weighted by the field label_weights.
template <class AreaOfGroup>
double meanArea(const Json& fields, size_t groups, const AreaOfGroup& areaOfGroup) {
  const Json& weights = fields.at("label_weights");
  double sum = 0, total = 0;
  for (size_t i = 0; i < groups; ++i) {
    const double weight = groups > 1 && i < weights.size() ? weights[i].get<double>() : 1;
    if (weight > 0) sum += weight * areaOfGroup(i);
    total += weight;
  }
  return shareOf(sum, total);
}

void area(const Json& fields, std::span<const double> sums, int64_t, std::span<double> values) {
  const size_t thresholds = fields.at("thresholds").is_null()
                                ? fields.at("num_thresholds").get<size_t>()
                                : fields.at("thresholds").size() + 2;
  const size_t groups = sums.size() / (2 * thresholds + 2);
  values[0] =
      meanArea(fields, groups, [&](size_t i) { return areaOf(fields, countsOf(sums, i, groups)); });
}

/// Returns the area of one group. Every distinct score is a threshold, so the area of a ROC curve
/// is the probability that a positive has a higher score than a negative, where equal scores count
/// half (Mann and Whitney, 1947). Returns NaN if the area is not defined, because one class is
/// missing or a score is NaN.
double exactAreaOf(const Json& fields, std::span<CollectedElement> elements) {
  constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
  if (std::ranges::any_of(elements, [](const auto& each) { return std::isnan(each.score); }))
    return kUndefined;
  // The order of all fields makes sums independent of the order of the elements
  const auto fieldsOf = [](const CollectedElement& each) {
    return std::tuple(each.score, each.target, each.weight);
  };
  std::ranges::sort(elements, std::greater<>(), fieldsOf);
  // Sums over the elements with a score above each threshold, from the highest threshold on
  std::vector<double> right{0}, positive{0};
  double yes = 0, all = 0;
  for (size_t i = 0; i < elements.size(); ++i) {
    const auto weight = static_cast<double>(elements[i].weight);
    all += weight;
    if (elements[i].target != 0) yes += weight;
    if (i + 1 < elements.size() && elements[i + 1].score == elements[i].score) continue;
    right.push_back(yes);
    positive.push_back(all);
  }
  std::ranges::reverse(right);
  std::ranges::reverse(positive);
  return areaOf(fields, Counts{right, positive, yes, all});
}

double exactArea(const Json& fields, std::span<CollectedElement> elements, int64_t width) {
  if (!isMultiLabel(fields)) return exactAreaOf(fields, elements);
  const auto labels = static_cast<size_t>(width);
  std::vector<CollectedElement> ofLabel;
  return meanArea(fields, labels, [&](size_t label) {
    ofLabel.clear();
    for (size_t i = label; i < elements.size(); i += labels)
      ofLabel.push_back(elements[i]);
    return exactAreaOf(fields, ofLabel);
  });
}

// --- Fields

FieldSchema numThresholds(double least) {
  return integerField(
      "num_thresholds", "200", least, 1e5, STRATA_TEXT("training", "Number of thresholds"),
      STRATA_TEXT("training", "Number of thresholds, evenly spaced between 0 and 1"));
}
/// The number of thresholds of an area, which may also be exact.
FieldSchema areaThresholds() {
  FieldSchema field = numThresholds(2);
  field.choices = {kExact};
  field.help = STRATA_TEXT("training",
                           "Number of thresholds, evenly spaced between 0 and 1; exact: compares "
                           "all outputs of an evaluation with each other, which needs 12 bytes "
                           "for each output of each sample");
  return field;
}
FieldSchema bound(const char* name, Text title, Text help) {
  return numberField(name, "0.5", 0.0, 1.0, title, help);
}

}  // namespace

std::vector<MetricDef> curveMetrics() {
  std::vector<MetricDef> list;
  const auto onCurve = [&](const char* type, Text help, const char* formula, FieldSchema limit,
                           Finish finish) {
    list.push_back(makeMetric(type, help, formula, Direction::Up, TargetKind::Values, true,
                              {std::move(limit), numThresholds(1), classIdField()}, curveCounts));
    list.back().finish = finish;
  };
  onCurve("sensitivity_at_specificity",
          STRATA_TEXT("training", "Best sensitivity at a specificity of at least the given value"),
          "max TP / (TP + FN) where TN / (TN + FP) >= specificity",
          bound("specificity", STRATA_TEXT("training", "Specificity"),
                STRATA_TEXT("training", "Minimum fraction of negatives that are recognized")),
          bestAt<Rate::Sensitivity, Rate::Specificity, kSpecificity>);
  onCurve("specificity_at_sensitivity",
          STRATA_TEXT("training", "Best specificity at a sensitivity of at least the given value"),
          "max TN / (TN + FP) where TP / (TP + FN) >= sensitivity",
          bound("sensitivity", STRATA_TEXT("training", "Sensitivity"),
                STRATA_TEXT("training", "Minimum fraction of positives that are found")),
          bestAt<Rate::Specificity, Rate::Sensitivity, kSensitivity>);
  onCurve("precision_at_recall",
          STRATA_TEXT("training", "Best precision at a recall of at least the given value"),
          "max precision where recall >= recall",
          bound("recall", STRATA_TEXT("training", "Recall"),
                STRATA_TEXT("training", "Minimum fraction of positives that are found")),
          bestAt<Rate::Precision, Rate::Sensitivity, kRecall>);
  onCurve(
      "recall_at_precision",
      STRATA_TEXT("training", "Best recall at a precision of at least the given value"),
      "max recall where precision >= precision",
      bound("precision", STRATA_TEXT("training", "Precision"),
            STRATA_TEXT("training", "Minimum fraction of predicted positives that are correct")),
      bestAt<Rate::Sensitivity, Rate::Precision, kPrecision>);

  FieldSchema curve{.name = "curve",
                    .type = FieldType::Choice,
                    .defaultJson = "\"ROC\"",
                    .choices = {"ROC", "PR", "PRGAIN"}};
  curve.title = STRATA_TEXT("training", "Curve");
  curve.help = STRATA_TEXT("training",
                           "ROC: recall against false positive rate; PR: precision against recall; "
                           "PRGAIN: precision gain against recall gain");
  FieldSchema method{.name = "summation_method",
                     .type = FieldType::Choice,
                     .defaultJson = "\"interpolation\"",
                     .choices = {"interpolation", "minoring", "majoring"}};
  method.title = STRATA_TEXT("training", "Summation");
  method.help = STRATA_TEXT("training",
                            "How values between two points of the curve are determined: by "
                            "interpolation, or as the lower or higher of the two");
  list.push_back(makeMetric(
      "auc", STRATA_TEXT("training", "Area under the ROC or precision-recall curve; 1: perfect"),
      "area under (FP rate, TP rate)", Direction::Up, TargetKind::Values, true,
      {areaThresholds(), curve, method,
       thresholds(STRATA_TEXT("training", "Thresholds to use instead of evenly spaced ones")),
       flagField("multi_label", "false", STRATA_TEXT("training", "Multi-label"),
                 STRATA_TEXT("training", "Computes one area per output and averages them")),
       integerField("num_labels", "null", 1, 1e9, STRATA_TEXT("training", "Number of labels"),
                    STRATA_TEXT("training", "Number of outputs; determined from the network")),
       numberListField(
           "label_weights", STRATA_TEXT("training", "Label weights"),
           STRATA_TEXT("training", "Weights of the outputs when the areas are averaged")),
       flagField("from_logits", "false", STRATA_TEXT("training", "From logits"),
                 STRATA_TEXT("training",
                             "The network outputs logits: it ends without softmax or sigmoid"))},
      areaCounts));
  list.back().finish = area;
  list.back().isCollected = isExact;
  list.back().finishCollected = exactArea;

  for (MetricDef& each : list) {
    each.wantsProbabilities = true;
    each.targets = TargetRange::Unit;
  }
  return list;
}

}  // namespace strata
