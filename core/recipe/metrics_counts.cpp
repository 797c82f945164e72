// SPDX-License-Identifier: Apache-2.0
// Defines metrics that count predictions at thresholds: precision, recall, counts, areas under
// curves and F-scores. The schemas contain the formulas. The sums of a group (one label, or all
// elements) are: true positives at each threshold, predicted positives at each threshold, positive
// targets, elements.
// Source: Keras 3, keras.metrics.
#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/recipe/entry_fields.h"
#include "core/recipe/metric_parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

// The value of keras.device.epsilon(), and the number that Keras uses instead of minus infinity
constexpr double kEpsilon = 1e-7, kNothing = -1e10;

/// Counts the elements of `p` [groups,M] at thresholds. An element is positive at threshold i if
/// p * scale > thresholds[i]. `weights` is [groups,M], or invalid if all elements count once.
ValueId countsAt(Graph& g, ValueId p, ValueId target, ValueId weights,
                 const std::vector<double>& thresholds, double scale) {
  const int64_t groups = g.shape(p)[0], elements = g.shape(p)[1],
                count = static_cast<int64_t>(thresholds.size());
  Tensor limits(DType::F32, Shape{1, 1, count});
  for (size_t i = 0; i < thresholds.size(); ++i)
    limits.as<float>()[i] = static_cast<float>(thresholds[i]);
  const ValueId yes = cast(g, notEqual(g, target, constantScalar(g, DType::F32, 0)), DType::F32);
  const ValueId scaled = scale == 1 ? p : multiplyScalar(g, p, scale);
  const auto forThresholds = [&](ValueId x) {
    return reshape(g, x, {groups, elements, 1});
  };
  ValueId decided = greater(g, forThresholds(scaled), g.addConstant(std::move(limits))), all;
  if (weights.isValid()) {
    decided = multiply(g, decided, forThresholds(weights));
    all = reduceSum(g, weights, {1});
  }
  else {
    all = constantFill(g, {DType::F32, {groups}}, static_cast<double>(elements));
  }
  return joined(
      g, {reduceSum(g, multiply(g, decided, forThresholds(yes)), {1}), reduceSum(g, decided, {1}),
          reduceSum(g, weights.isValid() ? multiply(g, yes, weights) : yes, {1}), all});
}

/// The sums of countsAt() for one group. `right` counts true positives, and `positive` counts
/// predicted positives.
struct Counts {
  std::span<const double> right, positive;
  double yes, all;
  double tp(size_t i) const { return right[i]; }
  double fp(size_t i) const { return positive[i] - right[i]; }
  double fn(size_t i) const { return yes - right[i]; }
  double tn(size_t i) const { return all - yes - fp(i); }
  size_t size() const { return right.size(); }
};
Counts countsOf(std::span<const double> sums, size_t group = 0, size_t groups = 1) {
  const size_t count = (sums.size() / groups - 2) / 2, stride = groups * count;
  return {sums.subspan(group * count, count), sums.subspan(stride + group * count, count),
          sums[2 * stride + group], sums[2 * stride + groups + group]};
}

std::vector<double> thresholdsOf(const Json& fields) {
  if (!fields.at("thresholds").is_null()) return fields.at("thresholds").get<std::vector<double>>();
  const bool isTop = fields.contains("top_k") && !fields["top_k"].is_null();
  return {isTop ? kNothing : 0.5};
}

/// Selects the class `class_id` of x [.., C]. Returns x unchanged if the field is null.
ValueId classOf(MetricContext& c, ValueId x) {
  const Json& field = c.fields.at("class_id");
  if (field.is_null()) return x;
  const Shape shape = c.graph.shape(x);
  const int64_t index = field.get<int64_t>();
  if (index >= shape.dim(-1))
    throw Error(ErrorCode::InvalidProject, "metrics",
                c.definition.schema.type + ": class_id is " + std::to_string(index) +
                    " (expected 0 to " + std::to_string(shape.dim(-1) - 1) +
                    "). Choose one of the network's classes.");
  std::vector<int64_t> begin(static_cast<size_t>(shape.rank()), 0),
      size(shape.dims().begin(), shape.dims().end());
  begin.back() = index;
  size.back() = 1;
  return slice(c.graph, x, begin, size);
}

/// Replaces all but the k largest values of each row by kNothing. Among equal values, the first
/// ones are kept.
ValueId onlyTop(Graph& g, ValueId p, int64_t k) {
  const int64_t classes = g.shape(p).dim(-1);
  const ValueId nothing = constantScalar(g, DType::F32, kNothing),
                out = constantScalar(g, DType::F32, -3e38);
  ValueId left = p, kept;
  for (int64_t i = 0; i < std::min(k, classes); ++i) {
    const ValueId best = oneHot(g, argmax(g, left), classes);
    kept = i == 0 ? best : add(g, kept, best);
    left = select(g, best, out, left);
  }
  return select(g, kept, p, nothing);
}

ValueId asOneGroup(Graph& g, ValueId x) {
  return x.isValid() ? reshape(g, x, {1, g.shape(x).numElements()}) : x;
}

ValueId thresholdCounts(MetricContext& c) {
  Graph& g = c.graph;
  ValueId p = c.prediction;
  if (const auto k = c.fields.find("top_k"); k != c.fields.end() && !k->is_null())
    p = onlyTop(g, p, k->get<int64_t>());
  ValueId target = c.target;
  if (c.fields.contains("class_id")) {
    p = classOf(c, p);
    target = classOf(c, target);
  }
  return countsAt(g, asOneGroup(g, p), asOneGroup(g, target), asOneGroup(g, weightsLike(c, p)),
                  thresholdsOf(c.fields), 1);
}
int64_t thresholdCount(const Json& fields, const Shape&) {
  return static_cast<int64_t>(thresholdsOf(fields).size());
}

using Finish = void (*)(const Json&, std::span<const double>, int64_t, std::span<double>);

void precision(const Json&, std::span<const double> sums, int64_t, std::span<double> values) {
  const Counts n = countsOf(sums);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = shareOf(n.tp(i), n.positive[i]);
}
void recall(const Json&, std::span<const double> sums, int64_t, std::span<double> values) {
  const Counts n = countsOf(sums);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = shareOf(n.tp(i), n.yes);
}
template <double (Counts::*count)(size_t) const>
void counted(const Json&, std::span<const double> sums, int64_t, std::span<double> values) {
  const Counts n = countsOf(sums);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = (n.*count)(i);
}

// --- Curves over evenly spaced thresholds

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

ValueId areaCounts(MetricContext& c) {
  Graph& g = c.graph;
  ValueId p = c.fields.at("from_logits").get<bool>() ? activation(g, c.prediction, "sigmoid")
                                                     : c.prediction,
          target = c.target;
  ValueId weights = weightsLike(c, p);
  const Json& ofLabels = labelWeightsOf(c, g.shape(p));
  if (isMultiLabel(c.fields)) {
    if (g.shape(p).rank() != 2)
      throw Error(
          ErrorCode::InvalidProject, "metrics",
          "auc with multi_label needs a prediction of [labels] per sample. Set it to false.");
    p = transpose(g, p, {1, 0});
    target = transpose(g, target, {1, 0});
    if (weights.isValid()) weights = transpose(g, weights, {1, 0});
  }
  else {
    if (!ofLabels.is_null()) weights = withLabelWeights(c, p, weights, ofLabels);
    p = asOneGroup(g, p);
    target = asOneGroup(g, target);
    weights = asOneGroup(g, weights);
  }
  p = clippedToOne(g, p);
  if (!c.fields.at("thresholds").is_null()) {
    std::vector<double> thresholds = c.fields.at("thresholds").get<std::vector<double>>();
    std::sort(thresholds.begin(), thresholds.end());
    thresholds.insert(thresholds.begin(), -kEpsilon);
    thresholds.push_back(1 + kEpsilon);
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

double areaOf(const Json& fields, const Counts& n) {
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

void area(const Json& fields, std::span<const double> sums, int64_t, std::span<double> values) {
  const size_t thresholds = fields.at("thresholds").is_null()
                                ? fields.at("num_thresholds").get<size_t>()
                                : fields.at("thresholds").size() + 2;
  const size_t groups = sums.size() / (2 * thresholds + 2);
  const Json& weights = fields.at("label_weights");
  double sum = 0, total = 0;
  for (size_t i = 0; i < groups; ++i) {
    const double weight = groups > 1 && i < weights.size() ? weights[i].get<double>() : 1;
    sum += weight * areaOf(fields, countsOf(sums, i, groups));
    total += weight;
  }
  values[0] = shareOf(sum, total);
}

// --- F-scores. The sums are true positives, predicted positives and positive targets of each class

ValueId classCounts(MetricContext& c) {
  Graph& g = c.graph;
  if (g.shape(c.prediction).rank() != 2)
    throw Error(ErrorCode::InvalidProject, "metrics",
                c.definition.schema.type +
                    " needs a prediction of [classes] per sample. Remove it or end the network "
                    "with a Dense layer.");
  const ValueId p = c.prediction;
  const Json& threshold = c.fields.at("threshold");
  ValueId decided;
  // Without a threshold, the largest output is predicted, except in a row of zeros.
  if (threshold.is_null()) {
    const ValueId isLargest = greaterEqual(g, p, reduceMax(g, p, {-1}, true));
    decided = multiply(g, isLargest, greater(g, abs(g, p), constantScalar(g, DType::F32, 1e-9)));
  }
  else {
    decided = greater(g, p, constantScalar(g, DType::F32, threshold.get<double>()));
  }
  const ValueId weights = weightsLike(c, p);
  const auto sum = [&](ValueId x) {
    return reduceSum(g, weights.isValid() ? multiply(g, x, weights) : x, {0});
  };
  return joined(g, {sum(multiply(g, decided, c.target)), sum(decided), sum(c.target)});
}

double scoreOf(double right, double positive, double yes, double beta) {
  const double p = right / (positive + kEpsilon), r = right / (yes + kEpsilon);
  return (1 + beta * beta) * p * r / (beta * beta * p + r + kEpsilon);
}

void fScore(const Json& fields, std::span<const double> sums, int64_t, std::span<double> values) {
  const size_t classes = sums.size() / 3;
  const double beta = fields.contains("beta") ? fields["beta"].get<double>() : 1;
  const Json& average = fields.at("average");
  double right = 0, positive = 0, yes = 0, mean = 0, weighted = 0;
  for (size_t i = 0; i < classes; ++i) {
    const double score = scoreOf(sums[i], sums[classes + i], sums[2 * classes + i], beta);
    if (average.is_null()) values[i] = score;
    right += sums[i];
    positive += sums[classes + i];
    yes += sums[2 * classes + i];
    mean += score / static_cast<double>(classes);
    weighted += score * sums[2 * classes + i];
  }
  if (average.is_null()) return;
  const std::string& how = average.get_ref<const std::string&>();
  if (how == "micro")
    values[0] = scoreOf(right, positive, yes, beta);
  else
    values[0] = how == "macro" ? mean : weighted / (yes + kEpsilon);
}
int64_t scoreCount(const Json& fields, const Shape& prediction) {
  return fields.at("average").is_null() ? prediction.dim(-1) : 1;
}

// --- Fields

FieldSchema numbers(const char* name, Text title, Text help) {
  FieldSchema field{
      .name = name, .type = FieldType::NumberList, .defaultJson = "null", .isNullable = true};
  field.title = title;
  field.help = help;
  return field;
}
FieldSchema thresholds(Text help) {
  return numbers("thresholds", STRATA_TEXT("training", "Thresholds"), help);
}
FieldSchema topK() {
  return integerField(
      "top_k", "null", 1, 1e6, STRATA_TEXT("training", "Top k"),
      STRATA_TEXT("training", "Only the k largest outputs of a sample count as positive"));
}
FieldSchema classId() {
  return integerField("class_id", "null", 0, 1e9, STRATA_TEXT("training", "Class"),
                      STRATA_TEXT("training", "Evaluates only this class; none: all classes"));
}
FieldSchema numThresholds(double least) {
  return integerField(
      "num_thresholds", "200", least, 1e5, STRATA_TEXT("training", "Number of thresholds"),
      STRATA_TEXT("training", "Number of thresholds, evenly spaced between 0 and 1"));
}
FieldSchema bound(const char* name, Text title, Text help) {
  return numberField(name, "0.5", 0.0, 1.0, title, help);
}
FieldSchema average() {
  FieldSchema field{.name = "average",
                    .type = FieldType::Choice,
                    .defaultJson = "null",
                    .isNullable = true,
                    .choices = {"micro", "macro", "weighted"}};
  field.title = STRATA_TEXT("training", "Average");
  field.help = STRATA_TEXT("training",
                           "How the scores of the classes are combined; none: one score per class");
  return field;
}
FieldSchema scoreThreshold() {
  FieldSchema field = positiveField("threshold", "null", STRATA_TEXT("training", "Threshold"),
                                    STRATA_TEXT("training",
                                                "Outputs above this value are positive; none: only "
                                                "the largest output of each sample is positive"));
  field.maximum = 1.0;
  return field;
}

}  // namespace

std::vector<MetricDef> countMetrics() {
  std::vector<MetricDef> list;
  const auto atThresholds = [&](const char* type, Text help, const char* formula, bool hasClasses,
                                Finish finish) {
    std::vector<FieldSchema> fields{
        thresholds(STRATA_TEXT("training",
                               "Outputs above this value are positive; default: 0.5; several "
                               "thresholds give several results"))};
    if (hasClasses) fields.insert(fields.end(), {topK(), classId()});
    list.push_back(makeMetric(type, help, formula, TargetKind::Values, true, std::move(fields),
                              thresholdCounts));
    list.back().finish = finish;
    list.back().count = thresholdCount;
  };
  atThresholds("precision",
               STRATA_TEXT("training", "Fraction of predicted positives that are correct"),
               "TP / (TP + FP)", true, precision);
  atThresholds("recall", STRATA_TEXT("training", "Fraction of actual positives that are found"),
               "TP / (TP + FN)", true, recall);
  atThresholds("true_positives", STRATA_TEXT("training", "Number of true positives"), "TP", false,
               counted<&Counts::tp>);
  atThresholds("true_negatives", STRATA_TEXT("training", "Number of true negatives"), "TN", false,
               counted<&Counts::tn>);
  atThresholds("false_positives", STRATA_TEXT("training", "Number of false positives"), "FP", false,
               counted<&Counts::fp>);
  atThresholds("false_negatives", STRATA_TEXT("training", "Number of false negatives"), "FN", false,
               counted<&Counts::fn>);

  const auto onCurve = [&](const char* type, Text help, const char* formula, FieldSchema limit,
                           Finish finish) {
    list.push_back(makeMetric(type, help, formula, TargetKind::Values, true,
                              {std::move(limit), numThresholds(1), classId()}, curveCounts));
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
      "area under (FP rate, TP rate)", TargetKind::Values, true,
      {numThresholds(2), curve, method,
       thresholds(STRATA_TEXT("training", "Thresholds to use instead of evenly spaced ones")),
       flagField("multi_label", "false", STRATA_TEXT("training", "Multi-label"),
                 STRATA_TEXT("training", "Computes one area per output and averages them")),
       integerField("num_labels", "null", 1, 1e9, STRATA_TEXT("training", "Number of labels"),
                    STRATA_TEXT("training", "Number of outputs; determined from the network")),
       numbers("label_weights", STRATA_TEXT("training", "Label weights"),
               STRATA_TEXT("training", "Weights of the outputs when the areas are averaged")),
       flagField("from_logits", "false", STRATA_TEXT("training", "From logits"),
                 STRATA_TEXT("training",
                             "The network outputs logits: it ends without softmax or sigmoid"))},
      areaCounts));
  list.back().finish = area;

  list.push_back(makeMetric("f1_score",
                            STRATA_TEXT("training", "Harmonic mean of precision and recall"),
                            "2 precision recall / (precision + recall)", TargetKind::Values, true,
                            {average(), scoreThreshold()}, classCounts));
  list.back().finish = fScore;
  list.back().count = scoreCount;
  list.push_back(makeMetric(
      "fbeta_score",
      STRATA_TEXT(
          "training",
          "Weighted harmonic mean of precision and recall; recall counts beta times as much"),
      "(1 + beta^2) precision recall / (beta^2 precision + recall)", TargetKind::Values, true,
      {average(),
       positiveField("beta", "1.0", STRATA_TEXT("training", "Beta"),
                     STRATA_TEXT("training", "Weight of recall")),
       scoreThreshold()},
      classCounts));
  list.back().finish = fScore;
  list.back().count = scoreCount;
  return list;
}

}  // namespace strata
