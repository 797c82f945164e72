// SPDX-License-Identifier: Apache-2.0
// Defines the classification losses: cross-entropies, focal losses, hinge losses and overlap
// losses. The schemas contain the formulas.
// Source: Keras 3, keras.losses.
#include <nlohmann/json.hpp>

#include "core/recipe/entry_fields.h"
#include "core/recipe/loss_parts.h"
#include "gpu/graph/op.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

constexpr const char* kGroup = "Classification";

double number(const LossContext& context, const char* field) {
  return context.fields.at(field).get<double>();
}
bool isLogits(const LossContext& context) { return context.fields.at("from_logits").get<bool>(); }

/// Computes the cross-entropy of each row of probabilities or logits. Returns one value per row.
/// Also returns the probabilities if the prediction is a softmax and no class is ignored.
std::pair<ValueId, ValueId> rowsOfCrossEntropy(LossContext& context, ValueId prediction,
                                               ValueId target, int64_t ignoreClass, bool isSparse) {
  Graph& g = context.graph;
  const LogitsSource source = findLogits(g, prediction);
  const bool isSoftmax = source.of == LogitsSource::Of::Softmax;
  ValueId logits = isSoftmax ? source.logits : prediction;
  const bool hasLogits = isSoftmax || isLogits(context);
  if (!hasLogits && !isSparse) {
    const ValueId p =
        clippedProbabilities(g, divide(g, prediction, reduceSum(g, prediction, {-1}, true)));
    return {negate(g, reduceSum(g, multiply(g, target, log(g, p)), {-1})), {}};
  }
  if (!hasLogits) logits = log(g, clippedProbabilities(g, prediction));
  const ValueId rows = softmaxCrossEntropy(g, logits, target, ignoreClass);
  const ValueId probabilities = g.node(g.value(rows).producer).outputs[1];
  return {rows, isSoftmax && ignoreClass < 0 ? probabilities : ValueId{}};
}

LossResult sparseCategorical(LossContext& context) {
  Graph& g = context.graph;
  const Json& ignored = context.fields.at("ignore_class");
  int64_t ignoreClass = -1;
  ValueId target = context.target, counted;
  if (!ignored.is_null()) {
    counted = cast(g, notEqual(g, target, constantScalar(g, DType::I32, ignored.get<double>())),
                   DType::F32);
    ignoreClass = ignored.get<int64_t>();
    // The op cannot ignore a negative class, so targets with this class are mapped to a class after
    // the last one.
    if (ignoreClass < 0) {
      ignoreClass = g.shape(context.prediction).dim(-1);
      target = cast(g,
                    select(g, counted, cast(g, target, DType::F32),
                           constantScalar(g, DType::F32, static_cast<double>(ignoreClass))),
                    DType::I32);
    }
  }
  const auto [rows, probabilities] =
      rowsOfCrossEntropy(context, context.prediction, target, ignoreClass, true);
  return {reducedLoss(context, rows, counted), probabilities};
}

/// Returns the number of classes for label smoothing. Keras uses the last dimension, whatever
/// `axis` is.
double classesOf(const LossContext& context) {
  return static_cast<double>(context.graph.shape(context.target).dim(-1));
}

ValueId smoothed(LossContext& context, ValueId target, double classes) {
  const double smoothing = number(context, "label_smoothing");
  return smoothing > 0 ? affine(context.graph, target, 1 - smoothing, smoothing / classes) : target;
}

LossResult categorical(LossContext& context) {
  const ValueId prediction = axisLast(context, context.prediction);
  const ValueId target = smoothed(context, axisLast(context, context.target), classesOf(context));
  const auto [rows, probabilities] = rowsOfCrossEntropy(context, prediction, target, -1, false);
  return {reducedLoss(context, rows), prediction == context.prediction ? probabilities : ValueId{}};
}

ValueId cellsOfBinary(Graph& g, ValueId prediction, ValueId target) {
  const ValueId p = clippedProbabilities(g, prediction);
  const ValueId ones = multiply(g, target, log(g, p));
  const ValueId zeros = multiply(g, affine(g, target, -1, 1), log(g, affine(g, p, -1, 1)));
  return negate(g, add(g, ones, zeros));
}

LossResult binary(LossContext& context) {
  Graph& g = context.graph;
  const ValueId target = smoothed(context, context.target, 2);
  const LogitsSource source = findLogits(g, context.prediction);
  ValueId cells;
  if (source.of == LogitsSource::Of::Sigmoid)
    cells = sigmoidCrossEntropy(g, source.logits, target);
  else if (isLogits(context))
    cells = sigmoidCrossEntropy(g, context.prediction, target);
  else
    cells = cellsOfBinary(g, context.prediction, target);
  return {reducedLoss(context, reduceMean(g, axisLast(context, cells), {-1}))};
}

LossResult binaryFocal(LossContext& context) {
  Graph& g = context.graph;
  const ValueId target = smoothed(context, context.target, 2), not_ = affine(g, target, -1, 1);
  const ValueId p =
      isLogits(context) ? activation(g, context.prediction, "sigmoid") : context.prediction;
  // In the formula of the focal loss: missed = 1 - p_t = t (1 - p) + (1 - t) p
  const ValueId missed = add(g, multiply(g, target, affine(g, p, -1, 1)), multiply(g, not_, p));
  ValueId cells = cellsOfBinary(g, p, target);
  if (const double gamma = number(context, "gamma"); gamma != 0)
    cells = multiply(g, raised(g, missed, gamma), cells);
  if (context.fields.at("apply_class_balancing").get<bool>()) {
    const double alpha = number(context, "alpha");
    cells = multiply(g, cells, affine(g, target, 2 * alpha - 1, 1 - alpha));
  }
  return {reducedLoss(context, reduceMean(g, axisLast(context, cells), {-1}))};
}

LossResult categoricalFocal(LossContext& context) {
  Graph& g = context.graph;
  const ValueId prediction = axisLast(context, context.prediction);
  const ValueId target = smoothed(context, axisLast(context, context.target), classesOf(context));
  const ValueId given = isLogits(context) ? softmax(g, prediction) : prediction;
  const ValueId p = clippedProbabilities(g, divide(g, given, reduceSum(g, given, {-1}, true)));
  ValueId cells = multiply(g, target, log(g, p));
  if (const double gamma = number(context, "gamma"); gamma != 0)
    cells = multiply(g, cells, raised(g, affine(g, p, -1, 1), gamma));
  return {reducedLoss(context,
                      multiplyScalar(g, reduceSum(g, cells, {-1}), -number(context, "alpha")))};
}

/// Returns the target with 0 and 1 converted to -1 and 1, if the batch has no other values.
ValueId signedTarget(LossContext& context) {
  Graph& g = context.graph;
  const ValueId t = context.target, zero = constantScalar(g, DType::F32, 0);
  const ValueId others =
      multiply(g, notEqual(g, t, zero), notEqual(g, t, constantScalar(g, DType::F32, 1)));
  return select(g, equal(g, sumAll(g, others), zero), affine(g, t, 2, -1), t);
}

ValueId hingeCells(LossContext& context) {
  Graph& g = context.graph;
  return activation(g, affine(g, multiply(g, signedTarget(context), context.prediction), -1, 1),
                    "relu");
}
LossResult hinge(LossContext& context) {
  return {reducedLoss(context, reduceMean(context.graph, hingeCells(context), {-1}))};
}
LossResult squaredHinge(LossContext& context) {
  return {reducedLoss(context,
                      reduceMean(context.graph, square(context.graph, hingeCells(context)), {-1}))};
}
LossResult categoricalHinge(LossContext& context) {
  Graph& g = context.graph;
  const ValueId right = reduceSum(g, multiply(g, context.target, context.prediction), {-1});
  const ValueId wrong =
      reduceMax(g, multiply(g, affine(g, context.target, -1, 1), context.prediction), {-1});
  return {reducedLoss(context, activation(g, addScalar(g, subtract(g, wrong, right), 1), "relu"))};
}

LossResult generalized(LossContext& context) {
  Graph& g = context.graph;
  const double q = number(context, "q");
  const ValueId chosen = oneHot(g, context.target, g.shape(context.prediction).dim(-1));
  const ValueId p = reduceSum(g, multiply(g, context.prediction, chosen), {-1});
  return {reducedLoss(context, affine(g, raised(g, p, q), -1 / q, 1 / q))};
}

/// Sums over the axes in the field `axis`, or over all axes if it is null.
ValueId overlapSum(LossContext& context, ValueId x) {
  const Json& given = context.fields.at("axis");
  if (given.is_null()) return sumAll(context.graph, x);
  if (given.is_number()) return reduceSum(context.graph, x, {given.get<int64_t>()});
  return reduceSum(context.graph, x, given.get<std::vector<int64_t>>());
}

LossResult dice(LossContext& context) {
  Graph& g = context.graph;
  const ValueId both = overlapSum(context, multiply(g, context.target, context.prediction));
  const ValueId all =
      add(g, overlapSum(context, context.target), overlapSum(context, context.prediction));
  return {reducedLoss(context, affine(g, divide(g, both, addScalar(g, all, kLossEpsilon)), -2, 1))};
}

LossResult tversky(LossContext& context) {
  Graph& g = context.graph;
  const ValueId t = context.target, p = context.prediction;
  const ValueId both = overlapSum(context, multiply(g, t, p));
  const ValueId missed = overlapSum(context, multiply(g, affine(g, p, -1, 1), t));
  const ValueId extra = overlapSum(context, multiply(g, p, affine(g, t, -1, 1)));
  const ValueId weighed = add(g, multiplyScalar(g, missed, number(context, "alpha")),
                              multiplyScalar(g, extra, number(context, "beta")));
  return {reducedLoss(
      context,
      affine(g, divide(g, both, addScalar(g, add(g, both, weighed), kLossEpsilon)), -1, 1))};
}

FieldSchema classAxis() {
  return lossAxisField("-1", STRATA_TEXT("training", "Dimension of the classes; -1: the last one"));
}
FieldSchema focalAlpha(Text help) {
  return numberField("alpha", "0.25", 0.0, 1.0, STRATA_TEXT("training", "Alpha"), help);
}
FieldSchema gamma() {
  return numberField("gamma", "2.0", 0.0, {}, STRATA_TEXT("training", "Gamma"),
                     STRATA_TEXT("training", "How strongly the weight of easy samples is reduced"));
}
FieldSchema overlapAxis() {
  FieldSchema field =
      lossAxisField("null", STRATA_TEXT("training", "Dimensions to sum over; none: all"));
  field.type = FieldType::IntegerOrList;
  return field;
}

}  // namespace

std::vector<LossDef> classificationLosses() {
  constexpr const char* kKeras = "Keras 3, keras.losses";
  std::vector<LossDef> losses;
  losses.push_back(makeLoss(
      "sparse_categorical_crossentropy", kGroup,
      STRATA_TEXT("training", "Cross-entropy of class probabilities; targets are class numbers"),
      "-log p[target]", kKeras, TargetKind::Labels,
      {TargetRange::Classes, OutputRange::Distribution},
      {fromLogitsField(),
       integerField("ignore_class", "null", -1e9, 1e9, STRATA_TEXT("training", "Ignored class"),
                    STRATA_TEXT("training", "Class whose samples are ignored")),
       lastClassAxis()},
      sparseCategorical));
  losses.push_back(makeLoss(
      "categorical_crossentropy", kGroup,
      STRATA_TEXT("training", "Cross-entropy of class probabilities; targets are probabilities"),
      "-sum target * log p", kKeras, TargetKind::Values,
      {TargetRange::Distribution, OutputRange::Distribution},
      {fromLogitsField(), labelSmoothingField(), classAxis()}, categorical));
  losses.push_back(makeLoss("binary_crossentropy", kGroup,
                            STRATA_TEXT("training", "Binary cross-entropy of independent outputs"),
                            "-target * log p - (1 - target) * log(1 - p)", kKeras,
                            TargetKind::Values, {TargetRange::Unit, OutputRange::Unit},
                            {fromLogitsField(), labelSmoothingField(), classAxis()}, binary));
  losses.back().isBinary = true;
  losses.push_back(makeLoss(
      "binary_focal_crossentropy", kGroup,
      STRATA_TEXT("training", "Binary cross-entropy with less weight for easy samples"),
      "(1 - p_t)^gamma * -log p_t, p_t = p or 1 - p", "Lin et al., 2017; Keras 3, keras.losses",
      TargetKind::Values, {TargetRange::Unit, OutputRange::Unit},
      {fromLogitsField(),
       flagField("apply_class_balancing", "false", STRATA_TEXT("training", "Class balancing"),
                 STRATA_TEXT("training", "Weights positives by alpha and negatives by 1 - alpha")),
       focalAlpha(STRATA_TEXT(
           "training",
           "Weight of positives if class balancing is on; negatives have the weight 1 - alpha")),
       gamma(), labelSmoothingField(), classAxis()},
      binaryFocal));
  losses.back().isBinary = true;
  losses.push_back(makeLoss(
      "categorical_focal_crossentropy", kGroup,
      STRATA_TEXT("training",
                  "Cross-entropy of class probabilities with less weight for easy samples"),
      "-alpha * sum target * (1 - p)^gamma * log p", "Lin et al., 2017; Keras 3, keras.losses",
      TargetKind::Values, {TargetRange::Distribution, OutputRange::Distribution},
      {fromLogitsField(),
       focalAlpha(STRATA_TEXT("training", "Weight by which the loss of every class is multiplied")),
       gamma(), labelSmoothingField(), classAxis()},
      categoricalFocal));
  losses.push_back(makeLoss(
      "categorical_generalized_cross_entropy", kGroup,
      STRATA_TEXT("training",
                  "Cross-entropy that tolerates wrong labels; targets are class numbers"),
      "(1 - p[target]^q) / q", "Zhang and Sabuncu, 2018; Keras 3, keras.losses", TargetKind::Labels,
      {TargetRange::Classes, OutputRange::Distribution}, {[] {
        FieldSchema q = positiveField("q", "0.5", STRATA_TEXT("training", "q"),
                                      STRATA_TEXT("training",
                                                  "Close to 0: similar to the cross-entropy; close "
                                                  "to 1: similar to the absolute error"));
        q.maximum = 1.0;
        q.isMaximumExclusive = true;
        return q;
      }()},
      generalized));
  losses.push_back(makeLoss(
      "hinge", kGroup,
      STRATA_TEXT("training",
                  "Hinge loss: distance to the correct side of the margin; targets are -1 and 1"),
      "mean max(1 - target * p, 0)", kKeras, TargetKind::Values,
      {TargetRange::Signs, OutputRange::Scores}, {}, hinge));
  losses.push_back(makeLoss("squared_hinge", kGroup,
                            STRATA_TEXT("training",
                                        "Squared hinge loss: squared distance to the correct side "
                                        "of the margin; targets are -1 and 1"),
                            "mean max(1 - target * p, 0)^2", kKeras, TargetKind::Values,
                            {TargetRange::Signs, OutputRange::Scores}, {}, squaredHinge));
  losses.push_back(makeLoss("categorical_hinge", kGroup,
                            STRATA_TEXT("training",
                                        "Categorical hinge loss: margin between the target class "
                                        "and the best other class; targets are 0 and 1"),
                            "max(max((1 - target) * p) - sum(target * p) + 1, 0)", kKeras,
                            TargetKind::Values, {TargetRange::Unit, OutputRange::Scores}, {},
                            categoricalHinge));
  losses.push_back(makeLoss(
      "dice", kGroup,
      STRATA_TEXT(
          "training",
          "1 minus the Dice coefficient, which measures the overlap of outputs and targets"),
      "1 - 2 sum(target * p) / (sum target + sum p)",
      "Milletari et al., 2016; Keras 3, keras.losses", TargetKind::Values,
      {TargetRange::Unit, OutputRange::Unit}, {overlapAxis()}, dice));
  losses.push_back(makeLoss(
      "tversky", kGroup,
      STRATA_TEXT("training",
                  "Dice loss with separate weights for false negatives and false positives"),
      "1 - sum(t p) / (sum(t p) + alpha sum(t (1 - p)) + beta sum((1 - t) p))",
      "Salehi et al., 2017; Keras 3, keras.losses", TargetKind::Values,
      {TargetRange::Unit, OutputRange::Unit},
      {numberField("alpha", "0.5", 0.0, {}, STRATA_TEXT("training", "Alpha"),
                   STRATA_TEXT("training", "Weight of false negatives")),
       numberField("beta", "0.5", 0.0, {}, STRATA_TEXT("training", "Beta"),
                   STRATA_TEXT("training", "Weight of false positives")),
       overlapAxis()},
      tversky));
  return losses;
}

}  // namespace strata
