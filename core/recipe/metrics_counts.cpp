// SPDX-License-Identifier: Apache-2.0
// Defines metrics that count predictions at given thresholds: precision, recall, counts and
// F-scores. The schemas contain the formulas.
// Source: Keras 3, keras.metrics.
#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/recipe/entry_fields.h"
#include "core/recipe/metric_counts.h"
#include "gpu/ops/build.h"

namespace strata {

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

Counts countsOf(std::span<const double> sums, size_t group, size_t groups) {
  const size_t count = (sums.size() / groups - 2) / 2, stride = groups * count;
  return {sums.subspan(group * count, count), sums.subspan(stride + group * count, count),
          sums[2 * stride + group], sums[2 * stride + groups + group]};
}

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

ValueId asOneGroup(Graph& g, ValueId x) {
  return x.isValid() ? reshape(g, x, {1, g.shape(x).numElements()}) : x;
}

FieldSchema numberListField(const char* name, Text title, Text help) {
  FieldSchema field{
      .name = name, .type = FieldType::NumberList, .defaultJson = "null", .isNullable = true};
  field.title = title;
  field.help = help;
  return field;
}
FieldSchema classIdField() {
  return integerField("class_id", "null", 0, 1e9, STRATA_TEXT("training", "Class"),
                      STRATA_TEXT("training", "Evaluates only this class; none: all classes"));
}
namespace {

// The number that Keras uses instead of minus infinity
constexpr double kNothing = -1e10;

std::vector<double> thresholdsOf(const Json& fields) {
  if (!fields.at("thresholds").is_null()) return fields.at("thresholds").get<std::vector<double>>();
  const bool isTop = fields.contains("top_k") && !fields["top_k"].is_null();
  return {isTop ? kNothing : 0.5};
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
  // Without a threshold, the largest output is predicted, except in a row of zeros, which logits
  // may contain. Separate answers, such as those of sigmoids, have no largest one.
  if (threshold.is_null() && !c.reading.isBinary) {
    decided = greaterEqual(g, c.output, reduceMax(g, c.output, {-1}, true));
    if (c.reading.logits == OutputReading::Logits::None)
      decided = multiply(g, decided, greater(g, abs(g, p), constantScalar(g, DType::F32, 1e-9)));
  }
  else {
    const double limit = threshold.is_null() ? 0.5 : threshold.get<double>();
    decided = greater(g, p, constantScalar(g, DType::F32, limit));
  }
  const ValueId weights = weightsLike(c, p);
  const auto sum = [&](ValueId x) {
    return reduceSum(g, weights.isValid() ? multiply(g, x, weights) : x, {0});
  };
  return joined(g, {sum(multiply(g, decided, c.target)), sum(decided), sum(c.target)});
}

double scoreOf(double right, double positive, double yes, double beta) {
  const double p = right / (positive + kMetricEpsilon), r = right / (yes + kMetricEpsilon);
  return (1 + beta * beta) * p * r / (beta * beta * p + r + kMetricEpsilon);
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
    values[0] = how == "macro" ? mean : weighted / (yes + kMetricEpsilon);
}
int64_t scoreCount(const Json& fields, const Shape& prediction) {
  return fields.at("average").is_null() ? prediction.dim(-1) : 1;
}

// --- Fields

FieldSchema thresholds(Text help) {
  return numberListField("thresholds", STRATA_TEXT("training", "Thresholds"), help);
}
FieldSchema topK() {
  return integerField(
      "top_k", "null", 1, 1e6, STRATA_TEXT("training", "Top k"),
      STRATA_TEXT("training", "Only the k largest outputs of a sample count as positive"));
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
                                                "Outputs above this value are positive; none: 0.5 "
                                                "for a single output, sigmoid or a binary loss, "
                                                "otherwise only the largest output of each sample "
                                                "is positive"));
  field.maximum = 1.0;
  return field;
}

}  // namespace

std::vector<MetricDef> countMetrics() {
  std::vector<MetricDef> list;
  const auto atThresholds = [&](const char* type, Text help, const char* formula,
                                Direction direction, bool hasClasses, Finish finish) {
    std::vector<FieldSchema> fields{
        thresholds(STRATA_TEXT("training",
                               "Outputs above this value are positive; default: 0.5; several "
                               "thresholds give several results"))};
    if (hasClasses) fields.insert(fields.end(), {topK(), classIdField()});
    list.push_back(makeMetric(type, help, formula, direction, TargetKind::Values, true,
                              std::move(fields), thresholdCounts));
    list.back().finish = finish;
    list.back().count = thresholdCount;
  };
  atThresholds("precision",
               STRATA_TEXT("training", "Fraction of predicted positives that are correct"),
               "TP / (TP + FP)", Direction::Up, true, precision);
  atThresholds("recall", STRATA_TEXT("training", "Fraction of actual positives that are found"),
               "TP / (TP + FN)", Direction::Up, true, recall);
  atThresholds("true_positives", STRATA_TEXT("training", "Number of true positives"), "TP",
               Direction::None, false, counted<&Counts::tp>);
  atThresholds("true_negatives", STRATA_TEXT("training", "Number of true negatives"), "TN",
               Direction::None, false, counted<&Counts::tn>);
  atThresholds("false_positives", STRATA_TEXT("training", "Number of false positives"), "FP",
               Direction::None, false, counted<&Counts::fp>);
  atThresholds("false_negatives", STRATA_TEXT("training", "Number of false negatives"), "FN",
               Direction::None, false, counted<&Counts::fn>);

  list.push_back(makeMetric("f1_score",
                            STRATA_TEXT("training", "Harmonic mean of precision and recall"),
                            "2 precision recall / (precision + recall)", Direction::Up,
                            TargetKind::Values, true, {average(), scoreThreshold()}, classCounts));
  list.back().finish = fScore;
  list.back().count = scoreCount;
  list.push_back(makeMetric(
      "fbeta_score",
      STRATA_TEXT(
          "training",
          "Weighted harmonic mean of precision and recall; recall counts beta times as much"),
      "(1 + beta^2) precision recall / (beta^2 precision + recall)", Direction::Up,
      TargetKind::Values, true,
      {average(),
       positiveField("beta", "1.0", STRATA_TEXT("training", "Beta"),
                     STRATA_TEXT("training", "Weight of recall")),
       scoreThreshold()},
      classCounts));
  list.back().finish = fScore;
  list.back().count = scoreCount;
  for (MetricDef& each : list) {
    each.wantsProbabilities = true;
    each.targets = TargetRange::Unit;
  }
  return list;
}

}  // namespace strata
