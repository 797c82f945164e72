// SPDX-License-Identifier: Apache-2.0
// Defines losses on distances between samples, which move samples of the same class closer
// together. The schemas contain the formulas.
#include <numeric>

#include <nlohmann/json.hpp>

#include "core/recipe/entry_fields.h"
#include "core/recipe/loss_parts.h"
#include "gpu/graph/op.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

// Value of elements that a maximum or logSumExp() must ignore; it is far below all other values
constexpr double kNever = -1e30;

ValueId cut(Graph& g, ValueId x) { return activation(g, x, "relu"); }

/// Returns a matrix [N,N] from the labels [N], with 1 for pairs of equal labels and otherwise 0.
/// Fails: InvalidProject unless the prediction has one vector per sample.
ValueId sameLabel(LossContext& context) {
  Graph& g = context.graph;
  const Shape shape = g.shape(context.prediction);
  if (shape.rank() != 2)
    throw Error(ErrorCode::InvalidProject, "loss",
                "compares vectors, but the prediction is " + shape.without(0).toString() +
                    " per sample (expected [features]). End the network with a Dense layer.");
  const int64_t n = shape[0];
  return cast(g, equal(g, reshape(g, context.target, {n, 1}), reshape(g, context.target, {1, n})),
              DType::F32);
}

ValueId identity(Graph& g, int64_t n) {
  Tensor places(DType::F32, Shape{n, 1});
  std::iota(places.as<float>().begin(), places.as<float>().end(), 0.0f);
  const ValueId rows = g.addConstant(std::move(places));
  return equal(g, rows, reshape(g, rows, {1, n}));
}

ValueId where(Graph& g, ValueId mask, ValueId x, double otherwise) {
  return select(g, mask, x, constantScalar(g, DType::F32, otherwise));
}

ValueId logSumExp(Graph& g, ValueId x) {
  const ValueId most = reduceMax(g, x, {-1}, true);
  const ValueId sum = reduceSum(g, exp(g, subtract(g, x, most)), {-1}, true);
  return reshape(g, add(g, most, log(g, sum)), {g.shape(x)[0]});
}

LossResult circle(LossContext& context) {
  Graph& g = context.graph;
  const double gamma = context.fields.at("gamma").get<double>(),
               margin = context.fields.at("margin").get<double>();
  const ValueId same = sameLabel(context), other = affine(g, same, -1, 1);
  const int64_t n = g.shape(context.prediction)[0];
  const ValueId pairs =
      context.fields.at("remove_diagonal").get<bool>() ? subtract(g, same, identity(g, n)) : same;
  const ValueId distance =
      cut(g, affine(g, matmul(g, context.prediction, context.prediction, false, true), -1, 1));
  const ValueId near = cut(g, multiply(g, addScalar(g, distance, margin), pairs));
  const ValueId far = cut(g, multiply(g, affine(g, distance, -1, 1 + margin), other));
  const ValueId nearTerm =
      multiplyScalar(g, multiply(g, near, affine(g, distance, -1, margin)), -gamma);
  const ValueId farTerm =
      multiplyScalar(g, multiply(g, far, affine(g, distance, -1, 1 - margin)), gamma);
  const ValueId rows = activation(g,
                                  add(g, logSumExp(g, where(g, pairs, nearTerm, kNever)),
                                      logSumExp(g, where(g, other, farTerm, kNever))),
                                  "softplus");
  return {reducedLoss(context, rows, greater(g, rows, constantScalar(g, DType::F32, 0)))};
}

LossResult contrastive(LossContext& context) {
  Graph& g = context.graph;
  const ValueId d = context.prediction, t = context.target;
  const ValueId apart =
      square(g, cut(g, affine(g, d, -1, context.fields.at("margin").get<double>())));
  return {reducedLoss(
      context,
      reduceMean(g, add(g, multiply(g, t, square(g, d)), multiply(g, affine(g, t, -1, 1), apart)),
                 {-1}))};
}

LossResult triplet(LossContext& context) {
  Graph& g = context.graph;
  const ValueId same = sameLabel(context), x = context.prediction;
  const int64_t n = g.shape(x)[0];
  const ValueId squares = reduceSum(g, square(g, x), {-1});
  const ValueId products = multiplyScalar(g, matmul(g, x, x, false, true), 2);
  const ValueId squared = cut(
      g, subtract(g, add(g, reshape(g, squares, {n, 1}), reshape(g, squares, {1, n})), products));
  // The square root has no finite derivative at 0, so a small number is added.
  const ValueId distance = sqrt(g, addScalar(g, squared, 1e-12));
  const ValueId pairs = subtract(g, same, identity(g, n)), other = affine(g, same, -1, 1);
  const ValueId farthest = reduceMax(g, where(g, pairs, distance, kNever), {-1});
  const ValueId nearest = reduceMax(g, where(g, other, negate(g, distance), kNever), {-1});
  const ValueId rows =
      cut(g, addScalar(g, add(g, farthest, nearest), context.fields.at("margin").get<double>()));
  return {reducedLoss(context, rows)};
}

FieldSchema margin(const char* value, Text help) {
  return positiveField("margin", value, STRATA_TEXT("training", "Margin"), help);
}

}  // namespace

std::vector<LossDef> embeddingLosses() {
  constexpr const char* kGroup = "Embedding";
  std::vector<LossDef> losses;
  losses.push_back(makeLoss(
      "circle", kGroup,
      STRATA_TEXT("training",
                  "Pulls unit vectors of the same class together and pushes others apart; targets "
                  "are class numbers"),
      "softplus(logsumexp(gamma a_n (s_n - margin)) + logsumexp(-gamma a_p (s_p - 1 + margin)))",
      "Sun et al., 2020; Keras 3, keras.losses", TargetKind::Labels,
      {TargetRange::Any, OutputRange::Any},
      {positiveField("gamma", "80.0", STRATA_TEXT("training", "Gamma"),
                     STRATA_TEXT("training", "How strongly difficult pairs are emphasized")),
       margin("0.4", STRATA_TEXT("training",
                                 "Relaxation of the target similarities, which are 1 within a "
                                 "class and 0 between classes")),
       flagField("remove_diagonal", "true", STRATA_TEXT("training", "Exclude self-pairs"),
                 STRATA_TEXT("training", "Does not pair a sample with itself"))},
      circle));
  losses.back().countsRows = true;
  losses.push_back(makeLoss(
      "triplet", kGroup,
      STRATA_TEXT("training",
                  "Triplet loss: compares the farthest sample of the same class with the "
                  "nearest sample of another class; targets are class numbers"),
      "max(max d(a, same) - min d(a, other) + margin, 0)", "Hermans et al., 2017",
      TargetKind::Labels, {TargetRange::Any, OutputRange::Any},
      {margin(
          "1.0",
          STRATA_TEXT(
              "training",
              "How much farther samples of other classes must be than samples of the same class"))},
      triplet));
  losses.push_back(makeLoss(
      "contrastive", kGroup,
      STRATA_TEXT("training",
                  "Contrastive loss on the distance of two samples: target 1 "
                  "pulls them together, target 0 pushes them apart"),
      "mean (target d^2 + (1 - target) max(margin - d, 0)^2)", "Hadsell et al., 2006",
      TargetKind::Values, {TargetRange::Unit, OutputRange::Any},
      {margin("1.0",
              STRATA_TEXT("training", "Minimum distance between two samples with target 0"))},
      contrastive));
  return losses;
}

}  // namespace strata
