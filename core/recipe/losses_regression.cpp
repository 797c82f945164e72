// SPDX-License-Identifier: Apache-2.0
// Defines the regression losses. The schemas contain the formulas.
// Source: Keras 3, keras.losses.
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/recipe/entry_fields.h"
#include "core/recipe/loss_parts.h"
#include "gpu/graph/op.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

LossResult meanOf(LossContext& context, ValueId cells) {
  return {reducedLoss(context, reduceMean(context.graph, cells, {-1}))};
}

ValueId difference(LossContext& context) {
  return subtract(context.graph, context.prediction, context.target);
}
ValueId atLeast(Graph& g, ValueId x, double least) {
  return maximum(g, x, constantScalar(g, DType::F32, least));
}

LossResult squared(LossContext& context) {
  return meanOf(context, square(context.graph, difference(context)));
}
LossResult absolute(LossContext& context) {
  return meanOf(context, abs(context.graph, difference(context)));
}

LossResult percentage(LossContext& context) {
  Graph& g = context.graph;
  const ValueId share =
      divide(g, abs(g, difference(context)), atLeast(g, abs(g, context.target), kLossEpsilon));
  return meanOf(context, multiplyScalar(g, share, 100));
}

LossResult logarithmic(LossContext& context) {
  Graph& g = context.graph;
  const auto logarithm = [&](ValueId x) {
    return log(g, addScalar(g, atLeast(g, x, kLossEpsilon), 1));
  };
  return meanOf(context,
                square(g, subtract(g, logarithm(context.prediction), logarithm(context.target))));
}

LossResult huber(LossContext& context) {
  Graph& g = context.graph;
  const double delta = context.fields.at("delta").get<double>();
  const ValueId size = abs(g, difference(context));
  // With c = min(|e|, delta), c * (|e| - c / 2) is e^2 / 2 for |e| <= delta, otherwise
  // delta * |e| - delta^2 / 2
  const ValueId cut = minimum(g, size, constantScalar(g, DType::F32, delta));
  return meanOf(context, multiply(g, cut, subtract(g, size, multiplyScalar(g, cut, 0.5))));
}

LossResult logCosh(LossContext& context) {
  Graph& g = context.graph;
  const ValueId e = difference(context);
  return meanOf(
      context,
      addScalar(g, add(g, e, activation(g, multiplyScalar(g, e, -2), "softplus")), -std::log(2.0)));
}

LossResult poisson(LossContext& context) {
  Graph& g = context.graph;
  const ValueId p = context.prediction;
  return meanOf(context,
                subtract(g, p, multiply(g, context.target, log(g, addScalar(g, p, kLossEpsilon)))));
}

LossResult divergence(LossContext& context) {
  Graph& g = context.graph;
  const auto clipped = [&](ValueId x) {
    return atLeast(g, minimum(g, x, constantScalar(g, DType::F32, 1)), kLossEpsilon);
  };
  const ValueId t = clipped(context.target);
  const ValueId cells = multiply(g, t, subtract(g, log(g, t), log(g, clipped(context.prediction))));
  return {reducedLoss(context, reduceSum(g, cells, {-1}))};
}

LossResult cosineLoss(LossContext& context) {
  Graph& g = context.graph;
  const auto inverseNorm = [&](ValueId x) {
    // The maximum comes before the square root, because the gradient of a square root is not finite
    // at 0. Keras limits the inverse norm to 1 / epsilon instead.
    return rsqrt(g, maximum(g, reduceSum(g, square(g, x), {-1}),
                            constantScalar(g, DType::F32, kLossEpsilon * kLossEpsilon)));
  };
  const ValueId p = axisLast(context, context.prediction), t = axisLast(context, context.target);
  const ValueId product = reduceSum(g, multiply(g, p, t), {-1});
  return {reducedLoss(
      context, negate(g, multiply(g, multiply(g, product, inverseNorm(p)), inverseNorm(t))))};
}

}  // namespace

std::vector<LossDef> regressionLosses() {
  constexpr const char* kGroup = "Regression";
  constexpr const char* kKeras = "Keras 3, keras.losses";
  std::vector<LossDef> losses;
  const auto add = [&](const char* type, Text help, const char* formula, LossRanges ranges,
                       std::vector<FieldSchema> fields, LossResult (*lower)(LossContext&)) {
    losses.push_back(makeLoss(type, kGroup, help, formula, kKeras, TargetKind::Values, ranges,
                              std::move(fields), lower));
  };
  constexpr LossRanges kAny{TargetRange::Any, OutputRange::Any};
  add("mean_squared_error",
      STRATA_TEXT("training", "Mean of the squared differences between outputs and targets"),
      "mean (p - target)^2", kAny, {}, squared);
  add("mean_absolute_error",
      STRATA_TEXT("training", "Mean of the absolute differences between outputs and targets"),
      "mean |p - target|", kAny, {}, absolute);
  add("mean_absolute_percentage_error",
      STRATA_TEXT("training", "Mean of the absolute differences as percentages of the targets"),
      "100 mean |p - target| / max(|target|, 1e-7)", {TargetRange::NotZero, OutputRange::Any}, {},
      percentage);
  add("mean_squared_logarithmic_error",
      STRATA_TEXT("training", "Mean of the squared differences of the logarithms; compares ratios"),
      "mean (log(p + 1) - log(target + 1))^2", {TargetRange::NotNegative, OutputRange::Any}, {},
      logarithmic);
  add("huber",
      STRATA_TEXT("training",
                  "Squared error for small differences, absolute error for large ones; less "
                  "sensitive to outliers"),
      "e^2 / 2 for |e| <= delta, else delta * |e| - delta^2 / 2", kAny,
      {positiveField(
          "delta", "1.0", STRATA_TEXT("training", "Delta"),
          STRATA_TEXT("training",
                      "Difference at which the loss changes from squared to absolute error"))},
      huber);
  add("log_cosh",
      STRATA_TEXT("training",
                  "Logarithm of the hyperbolic cosine of the difference; changes smoothly from "
                  "squared to absolute error"),
      "mean log(cosh(p - target))", kAny, {}, logCosh);
  add("poisson",
      STRATA_TEXT("training", "Negative log-likelihood of counts (Poisson distribution)"),
      "mean (p - target * log(p + 1e-7))", {TargetRange::NotNegative, OutputRange::Positive}, {},
      poisson);
  add("kl_divergence",
      STRATA_TEXT("training", "Kullback-Leibler divergence between targets and outputs"),
      "sum target * log(target / p)", {TargetRange::Distribution, OutputRange::Distribution}, {},
      divergence);
  add("cosine_similarity",
      STRATA_TEXT("training",
                  "Negative cosine similarity of outputs and targets; -1: same direction, 1: "
                  "opposite direction"),
      "-sum(p * target) / (|p| |target|)", kAny,
      {lossAxisField("-1", STRATA_TEXT("training", "Dimension of the vectors; -1: the last one"))},
      cosineLoss);
  return losses;
}

}  // namespace strata
