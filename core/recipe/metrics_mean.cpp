// SPDX-License-Identifier: Apache-2.0
// Defines metrics that are a mean over the samples (accuracies, errors, losses, correlations), and
// R2. The schemas contain the formulas.
// Source: Keras 3, keras.metrics.
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/recipe/entry_fields.h"
#include "core/recipe/metric_parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

// --- Accuracies

ValueId sparseAccuracy(MetricContext& c) {
  return sumOfSampleMeans(
      c, cast(c.graph, equal(c.graph, argmax(c.graph, c.prediction), c.target), DType::F32));
}

ValueId categoricalAccuracy(MetricContext& c) {
  return sumOfSampleMeans(
      c, cast(c.graph, equal(c.graph, argmax(c.graph, c.prediction), argmax(c.graph, c.target)),
              DType::F32));
}

ValueId binaryAccuracy(MetricContext& c) {
  const ValueId decided =
      greater(c.graph, c.prediction,
              constantScalar(c.graph, DType::F32, c.fields.at("threshold").get<double>()));
  return sumOfSampleMeans(c, equal(c.graph, decided, c.target));
}

/// Counts a prediction as correct if fewer than k outputs are larger than the output of the true
/// class.
ValueId topK(MetricContext& c) {
  Graph& g = c.graph;
  const ValueId labels = c.definition.target == TargetKind::Labels ? c.target : argmax(g, c.target);
  const ValueId chosen = oneHot(g, labels, g.shape(c.prediction).dim(-1));
  const ValueId own = reduceSum(g, multiply(g, c.prediction, chosen), {-1}, true);
  const ValueId larger = reduceSum(g, greater(g, c.prediction, own), {-1});
  return sumOfSampleMeans(
      c, less(g, larger, constantScalar(g, DType::F32, c.fields.at("k").get<double>())));
}

// --- Errors and losses

ValueId absoluteError(MetricContext& c) {
  return sumOfSampleMeans(c, abs(c.graph, subtract(c.graph, c.prediction, c.target)));
}
ValueId squaredError(MetricContext& c) {
  return sumOfSampleMeans(c, square(c.graph, subtract(c.graph, c.prediction, c.target)));
}
void root(const Json&, std::span<const double> sums, int64_t samples, std::span<double> values) {
  values[0] = std::sqrt(sums[0] / static_cast<double>(std::max<int64_t>(1, samples)));
}

void lossMean(const Json&, std::span<const double> sums, int64_t, std::span<double> values) {
  values[0] = shareOf(sums[0], sums[1]);
}

ValueId weighedRows(MetricContext& c, ValueId rows) {
  if (!c.weights.isValid()) return rows;
  Shape wide = c.graph.shape(c.weights);
  while (wide.rank() < c.graph.shape(rows).rank())
    wide.append(1);
  return multiply(c.graph, rows, reshape(c.graph, c.weights, wide));
}

/// Returns the sum of a loss over its rows, and the number of rows. Both are weighted by the sample
/// weights.
ValueId lossSums(MetricContext& c) {
  Graph& g = c.graph;
  Json fields = c.fields;
  fields["reduction"] = "sum";
  for (const auto& field : findLoss(c.definition.loss)->schema.fields)
    if (!fields.contains(field.name)) fields[field.name] = Json::parse(field.defaultJson);
  LossContext context{g, fields, c.prediction, c.target, c.weights};
  const ValueId sum = findLoss(c.definition.loss)->lower(context).value;
  const Shape shape = g.shape(c.prediction);
  const int axis =
      fields.contains("axis") ? shape.normalizeAxis(fields["axis"].get<int>()) : shape.rank() - 1;
  const int64_t rows = shape.numElements() / shape[axis];
  ValueId count = constantScalar(g, DType::F32, static_cast<double>(rows));
  if (c.weights.isValid())
    count = multiplyScalar(
        g, sumAll(g, c.weights),
        static_cast<double>(rows) / static_cast<double>(g.shape(c.weights).numElements()));
  // As in Keras, ignored rows count as zeros in the mean of a cross-entropy, but do not count in
  // perplexity.
  if (const auto ignored = fields.find("ignore_class");
      c.definition.finish != lossMean && ignored != fields.end() && !ignored->is_null())
    count = sumAll(
        g,
        weighedRows(
            c, cast(g, notEqual(g, c.target, constantScalar(g, DType::I32, ignored->get<double>())),
                    DType::F32)));
  return joined(g, {sum, count});
}
void negatedMean(const Json&, std::span<const double> sums, int64_t, std::span<double> values) {
  values[0] = -shareOf(sums[0], sums[1]);
}
void exponentOfMean(const Json&, std::span<const double> sums, int64_t, std::span<double> values) {
  values[0] = std::exp(shareOf(sums[0], sums[1]));
}

MetricDef meanOfLoss(const char* type, const char* loss, Text help, TargetKind target,
                     std::vector<FieldSchema> fields, Direction direction = Direction::Down) {
  const LossDef& mean = *findLoss(loss);
  MetricDef result = makeMetric(type, help, mean.schema.formula.c_str(), direction, target,
                                target == TargetKind::Labels, std::move(fields), lossSums);
  result.loss = loss;
  result.finish = lossMean;
  result.targets = mean.ranges.targets;
  result.wantsProbabilities =
      mean.ranges.outputs == OutputRange::Unit || mean.ranges.outputs == OutputRange::Distribution;
  return result;
}

// --- Correlations. As in Keras, they are computed for each sample and then averaged.

/// Mean, differences from the mean, and variance along the axis in the field `axis`, which must not
/// be the batch axis.
struct Centered {
  ValueId mean, difference, variance;
};
Centered centered(MetricContext& c, ValueId x) {
  Graph& g = c.graph;
  const int rank = g.shape(x).rank(), given = c.fields.at("axis").get<int>(),
            axis = given < 0 ? given + rank : given;
  if (axis < 1 || axis >= rank)
    throw Error(ErrorCode::InvalidProject, "metrics",
                c.definition.schema.type + " is computed within a sample: axis is " +
                    std::to_string(given) + " (expected 1 to " + std::to_string(rank - 1) +
                    ", or -1). Set it to -1.");
  const ValueId mean = reduceMean(g, x, {axis}, true), difference = subtract(g, x, mean);
  return {mean, difference, reduceMean(g, square(g, difference), {axis}, true)};
}
ValueId meanAlong(MetricContext& c, ValueId x) {
  return reduceMean(c.graph, x, {c.fields.at("axis").get<int64_t>()});
}

ValueId pearsonCorrelation(MetricContext& c) {
  Graph& g = c.graph;
  const Centered p = centered(c, c.prediction), t = centered(c, c.target);
  const ValueId product = multiply(g, divide(g, p.difference, sqrt(g, p.variance)),
                                   divide(g, t.difference, sqrt(g, t.variance)));
  return sumOfSampleMeans(c, meanAlong(c, product));
}

ValueId concordanceCorrelation(MetricContext& c) {
  Graph& g = c.graph;
  const Centered p = centered(c, c.prediction), t = centered(c, c.target);
  const ValueId size = addScalar(
      g, add(g, add(g, p.variance, t.variance), square(g, subtract(g, t.mean, p.mean))), 1e-7);
  return sumOfSampleMeans(
      c,
      meanAlong(c, divide(g, multiplyScalar(g, multiply(g, p.difference, t.difference), 2), size)));
}

// --- R2

ValueId r2Sums(MetricContext& c) {
  Graph& g = c.graph;
  if (g.shape(c.prediction).rank() != 2)
    throw Error(ErrorCode::InvalidProject, "metrics",
                "r2_score needs a prediction of [features] per sample. Remove it.");
  const ValueId residual = square(g, subtract(g, c.target, c.prediction));
  const ValueId weights = weightsLike(c, c.target);
  const auto sum = [&](ValueId x) {
    return reduceSum(g, weights.isValid() ? multiply(g, x, weights) : x, {0});
  };
  const ValueId count =
      c.weights.isValid()
          ? sumAll(g, c.weights)
          : constantScalar(g, DType::F32, static_cast<double>(g.shape(c.target)[0]));
  return joined(g, {sum(c.target), sum(square(g, c.target)), sum(residual), count});
}

void r2(const Json& fields, std::span<const double> sums, int64_t samples,
        std::span<double> values) {
  const size_t outputs = sums.size() / 3;
  const double count = sums.back() > 0 ? sums.back() : 1;
  const Json& how = fields.at("class_aggregation");
  const bool isWeighted =
      how.is_string() && how.get_ref<const std::string&>() == "variance_weighted_average";
  double sum = 0, weights = 0;
  // Adjusts the score for the number of regressors
  const auto adjusted = [&](double score) {
    const double inputs = fields.at("num_regressors").get<double>(),
                 n = static_cast<double>(samples) * static_cast<double>(outputs);
    return inputs == 0 || inputs >= n - 1 ? score : 1 - (1 - score) * (n - 1) / (n - inputs - 1);
  };
  for (size_t i = 0; i < outputs; ++i) {
    const double total = sums[outputs + i] - sums[i] * sums[i] / count;
    double score = 1 - sums[2 * outputs + i] / total;
    if (std::isinf(score)) score = 0;
    if (how.is_null()) values[i] = adjusted(score);
    sum += isWeighted ? total * score : score;
    weights += isWeighted ? total : 1;
  }
  if (!how.is_null()) values[0] = adjusted(sum / weights);
}
int64_t r2Count(const Json& fields, const Shape& prediction) {
  return fields.at("class_aggregation").is_null() ? prediction.dim(-1) : 1;
}

FieldSchema axis(Text help) {
  return integerField("axis", "-1", -7, 7, STRATA_TEXT("training", "Axis"), help);
}
FieldSchema ignoredClass(const char* name) {
  return integerField(name, "null", 0, 1e9, STRATA_TEXT("training", "Ignored class"),
                      STRATA_TEXT("training", "Class whose samples are ignored"));
}
FieldSchema k() {
  return integerField("k", "5", 1, 1e6, STRATA_TEXT("training", "k"),
                      STRATA_TEXT("training", "Number of largest outputs to consider"));
}

}  // namespace

std::vector<MetricDef> meanMetrics() {
  constexpr TargetKind kLabels = TargetKind::Labels, kValues = TargetKind::Values;
  std::vector<MetricDef> list;
  list.push_back(makeMetric(
      "sparse_categorical_accuracy",
      STRATA_TEXT("training", "Fraction of samples whose largest output is the target class"),
      "mean (argmax p = target)", Direction::Up, kLabels, true, {}, sparseAccuracy));
  list.push_back(makeMetric(
      "categorical_accuracy",
      STRATA_TEXT("training",
                  "Fraction of samples whose largest output and largest target are the same class"),
      "mean (argmax p = argmax target)", Direction::Up, kValues, true, {}, categoricalAccuracy));
  list.push_back(makeMetric(
      "binary_accuracy",
      STRATA_TEXT("training", "Fraction of outputs on the correct side of the threshold"),
      "mean ((p > threshold) = target)", Direction::Up, kValues, false,
      {numberField("threshold", "0.5", {}, {}, STRATA_TEXT("training", "Threshold"),
                   STRATA_TEXT("training", "Outputs above this value are positive"))},
      binaryAccuracy));
  list.back().wantsProbabilities = true;
  list.back().targets = TargetRange::Unit;
  list.push_back(makeMetric(
      "sparse_top_k_categorical_accuracy",
      STRATA_TEXT("training",
                  "Fraction of samples whose target class is among the k largest outputs"),
      "mean (target in top k of p)", Direction::Up, kLabels, true, {k()}, topK));
  list.push_back(makeMetric(
      "top_k_categorical_accuracy",
      STRATA_TEXT(
          "training",
          "Fraction of samples whose class with the largest target is among the k largest outputs"),
      "mean (argmax target in top k of p)", Direction::Up, kValues, true, {k()}, topK));
  list.push_back(makeMetric(
      "mean_absolute_error",
      STRATA_TEXT("training", "Mean of the absolute differences between outputs and targets"),
      "mean |p - target|", Direction::Down, kValues, false, {}, absoluteError));
  list.push_back(makeMetric(
      "mean_squared_error",
      STRATA_TEXT("training", "Mean of the squared differences between outputs and targets"),
      "mean (p - target)^2", Direction::Down, kValues, false, {}, squaredError));
  list.push_back(makeMetric("root_mean_squared_error",
                            STRATA_TEXT("training", "Square root of the mean squared difference"),
                            "sqrt(mean (p - target)^2)", Direction::Down, kValues, false, {},
                            squaredError));
  list.back().finish = root;
  FieldSchema aggregation{.name = "class_aggregation",
                          .type = FieldType::Choice,
                          .defaultJson = "\"uniform_average\"",
                          .isNullable = true,
                          .choices = {"uniform_average", "variance_weighted_average"}};
  aggregation.help = STRATA_TEXT(
      "training", "How the scores of the outputs are combined; none: one score per output");
  aggregation.title = STRATA_TEXT("training", "Average");
  list.push_back(makeMetric(
      "r2_score",
      STRATA_TEXT("training", "Fraction of the variance of the targets that the outputs explain"),
      "1 - sum (target - p)^2 / sum (target - mean)^2", Direction::Up, kValues, false,
      {aggregation,
       integerField("num_regressors", "0", 0, 1e9, STRATA_TEXT("training", "Number of regressors"),
                    STRATA_TEXT("training",
                                "Number of regressors for the adjusted score; 0: not adjusted"))},
      r2Sums));
  list.back().finish = r2;
  list.back().count = r2Count;
  const FieldSchema along =
      axis(STRATA_TEXT("training", "Dimension of the outputs; -1: the last one"));
  list.push_back(makeMetric(
      "pearson_correlation",
      STRATA_TEXT("training",
                  "Pearson correlation of the outputs and targets of a sample, from -1 to 1"),
      "mean ((p - mean p) (target - mean target)) / (std p std target)", Direction::Up, kValues,
      false, {along}, pearsonCorrelation));
  list.push_back(makeMetric("concordance_correlation",
                            STRATA_TEXT("training",
                                        "Concordance correlation: Pearson correlation that also "
                                        "penalizes differences in mean and scale; 1: identical"),
                            "2 cov(p, target) / (var p + var target + (mean p - mean target)^2)",
                            Direction::Up, kValues, false, {along}, concordanceCorrelation));
  list.push_back(meanOfLoss(
      "cosine_similarity", "cosine_similarity",
      STRATA_TEXT(
          "training",
          "Cosine similarity of outputs and targets; 1: same direction, -1: opposite direction"),
      kValues, {axis(STRATA_TEXT("training", "Dimension of the vectors; -1: the last one"))},
      Direction::Up));
  list.back().schema.formula = "mean sum(p * target) / (|p| |target|)";
  list.back().finish = negatedMean;
  list.push_back(meanOfLoss(
      "sparse_categorical_crossentropy", "sparse_categorical_crossentropy",
      STRATA_TEXT("training", "Cross-entropy of class probabilities; targets are class numbers"),
      kLabels, {fromLogitsField(), ignoredClass("ignore_class"), lastClassAxis()}));
  list.push_back(meanOfLoss(
      "categorical_crossentropy", "categorical_crossentropy",
      STRATA_TEXT("training", "Cross-entropy of class probabilities; targets are probabilities"),
      kValues,
      {fromLogitsField(), labelSmoothingField(),
       axis(STRATA_TEXT("training", "Dimension of the classes; -1: the last one"))}));
  list.push_back(meanOfLoss("binary_crossentropy", "binary_crossentropy",
                            STRATA_TEXT("training", "Binary cross-entropy of independent outputs"),
                            kValues, {fromLogitsField(), labelSmoothingField()}));
  list.push_back(meanOfLoss("perplexity", "sparse_categorical_crossentropy",
                            STRATA_TEXT("training", "Exponential of the mean cross-entropy"),
                            kLabels, {fromLogitsField(), ignoredClass("ignore_class")}));
  list.back().schema.formula = "exp(mean -log p[target])";
  list.back().schema.source = "Jelinek et al., 1977";
  list.back().finish = exponentOfMean;
  for (const auto& [type, loss] : std::vector<std::pair<const char*, const char*>>{
           {"mean_absolute_percentage_error", "mean_absolute_percentage_error"},
           {"mean_squared_logarithmic_error", "mean_squared_logarithmic_error"},
           {"logcosh", "log_cosh"},
           {"kl_divergence", "kl_divergence"},
           {"poisson", "poisson"},
           {"huber", "huber"},
           {"binary_focal_crossentropy", "binary_focal_crossentropy"},
           {"categorical_focal_crossentropy", "categorical_focal_crossentropy"},
           {"hinge", "hinge"},
           {"squared_hinge", "squared_hinge"},
           {"categorical_hinge", "categorical_hinge"}})
    list.push_back(meanOfLoss(type, loss, findLoss(loss)->schema.help, kValues, {}));
  for (MetricDef& each : list)
    each.isMean = each.lower != r2Sums;
  return list;
}

}  // namespace strata
