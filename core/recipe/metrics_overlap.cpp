// SPDX-License-Identifier: Apache-2.0
// Defines metrics that are computed from a summed confusion matrix. Its rows are the targets, and
// its columns are the predictions.
// Source: Keras 3, keras.metrics.
#include <nlohmann/json.hpp>

#include "core/recipe/entry_fields.h"
#include "core/recipe/metric_parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

/// Returns the confusion matrix [count,count] of the batch. Its rows are the targets, and its
/// columns are the predicted `classes`.
ValueId matrixOf(MetricContext& c, ValueId target, ValueId classes, int64_t count) {
  Graph& g = c.graph;
  const int64_t elements = g.shape(target).numElements();
  // A class out of range gives a row of zeros, so it does not count
  ValueId rows = oneHot(g, reshape(g, target, {elements}), count);
  if (const auto ignored = c.fields.find("ignore_class");
      ignored != c.fields.end() && !ignored->is_null()) {
    const ValueId counts = notEqual(g, reshape(g, target, {elements, 1}),
                                    constantScalar(g, DType::I32, ignored->get<double>()));
    rows = multiply(g, rows, cast(g, counts, DType::F32));
  }
  if (const ValueId weights = weightsLike(c, target); weights.isValid())
    rows = multiply(g, rows, reshape(g, weights, {elements, 1}));
  return matmul(g, rows, oneHot(g, reshape(g, classes, {elements}), count), true, false);
}

ValueId oneHotMatrix(MetricContext& c) {
  Graph& g = c.graph;
  const Json& given = c.fields.at("num_classes");
  const int64_t count = given.is_null() ? g.shape(c.target).dim(-1) : given.get<int64_t>();
  const int axis = c.fields.at("axis").get<int>();
  const ValueId targets =
      isFloating(g.type(c.target).dtype) ? c.target : cast(g, c.target, DType::F32);
  const bool isClass = g.shape(c.prediction).rank() < g.shape(targets).rank();
  return matrixOf(c, argmax(g, targets, axis),
                  isClass ? cast(g, c.prediction, DType::I32) : argmax(g, c.prediction, axis),
                  count);
}

ValueId classMatrix(MetricContext& c) {
  Graph& g = c.graph;
  const Shape shape = g.shape(c.prediction);
  const bool isClass = g.shape(c.target) == shape && c.fields.at("sparse_y_true").get<bool>();
  if (g.shape(c.target) == shape && !isClass) return oneHotMatrix(c);
  const Json& given = c.fields.at("num_classes");
  if (given.is_null() && isClass)
    throw Error(
        ErrorCode::InvalidProject, "metrics",
        c.definition.schema.type + " needs num_classes if the prediction is a class number.");
  const int64_t count = given.is_null() ? shape.dim(-1) : given.get<int64_t>();
  return matrixOf(c, c.target,
                  isClass ? cast(g, c.prediction, DType::I32) : argmax(g, c.prediction), count);
}

ValueId binaryMatrix(MetricContext& c) {
  Graph& g = c.graph;
  const ValueId yes = greaterEqual(
      g, c.prediction, constantScalar(g, DType::F32, c.fields.at("threshold").get<double>()));
  return matrixOf(c, cast(g, c.target, DType::I32), cast(g, yes, DType::I32), 2);
}

/// Computes the mean intersection over union of the requested classes that occur.
void overlap(const Json& fields, std::span<const double> sums, int64_t, std::span<double> values) {
  size_t count = 1;
  while (count * count < sums.size())
    ++count;
  const auto only = fields.find("target_class_ids");
  double sum = 0, found = 0;
  for (size_t i = 0; i < count; ++i) {
    if (only != fields.end() && only->is_array()) {
      bool isAsked = false;
      for (const Json& id : *only)
        isAsked = isAsked || id.get<size_t>() == i;
      if (!isAsked) continue;
    }
    double either = -sums[i * count + i];
    for (size_t k = 0; k < count; ++k)
      either += sums[i * count + k] + sums[k * count + i];
    if (either <= 1e-9) continue;
    sum += sums[i * count + i] / (either + 1e-7);
    ++found;
  }
  values[0] = sum / (found + 1e-7);
}

FieldSchema numClasses() {
  return integerField(
      "num_classes", "null", 1, 1e5, STRATA_TEXT("training", "Number of classes"),
      STRATA_TEXT("training", "Number of classes; default: as many as the network has"));
}
FieldSchema classIds(const char* value) {
  FieldSchema field{.name = "target_class_ids",
                    .type = FieldType::IntegerList,
                    .defaultJson = value,
                    .minimum = 0.0,
                    .isNullable = true};
  field.title = STRATA_TEXT("training", "Classes to include");
  field.help = STRATA_TEXT("training", "Classes included in the mean; none: all");
  return field;
}
FieldSchema ignoreClass() {
  return integerField("ignore_class", "null", -1e9, 1e9, STRATA_TEXT("training", "Ignored class"),
                      STRATA_TEXT("training", "Class whose samples are ignored"));
}
FieldSchema axis() {
  return integerField("axis", "-1", -7, 7, STRATA_TEXT("training", "Axis"),
                      STRATA_TEXT("training", "Dimension of the classes; -1: the last one"));
}
FieldSchema sparse(const char* name, const char* value, Text title) {
  return flagField(
      name, value, title,
      STRATA_TEXT("training", "Accepted for compatibility with Keras; determined from the shapes"));
}

}  // namespace

std::vector<MetricDef> overlapMetrics() {
  constexpr const char* kFormula = "mean over classes of TP / (TP + FP + FN)";
  const Text help = STRATA_TEXT("training", "Mean intersection over union (IoU) of the classes");
  const FieldSchema sparseTarget = sparse("sparse_y_true", "true",
                                          STRATA_TEXT("training", "Targets are class numbers")),
                    sparsePrediction = sparse("sparse_y_pred", "true",
                                              STRATA_TEXT("training", "Outputs are class numbers")),
                    densePrediction = sparse("sparse_y_pred", "false",
                                             STRATA_TEXT("training", "Outputs are class numbers"));
  std::vector<MetricDef> list;
  const auto add = [&](const char* type, TargetKind target, std::vector<FieldSchema> fields,
                       ValueId (*lower)(MetricContext&)) {
    list.push_back(
        makeMetric(type, help, kFormula, Direction::Up, target, true, std::move(fields), lower));
    list.back().finish = overlap;
  };
  add("mean_io_u", TargetKind::Labels,
      {numClasses(), ignoreClass(), sparseTarget, sparsePrediction, axis()}, classMatrix);
  add("io_u", TargetKind::Labels,
      {numClasses(), classIds("null"), ignoreClass(), sparseTarget, sparsePrediction, axis()},
      classMatrix);
  add("one_hot_mean_io_u", TargetKind::Values,
      {numClasses(), ignoreClass(), densePrediction, axis()}, oneHotMatrix);
  add("one_hot_io_u", TargetKind::Values,
      {numClasses(), classIds("null"), ignoreClass(), densePrediction, axis()}, oneHotMatrix);
  add("binary_io_u", TargetKind::Values,
      {classIds("[0, 1]"),
       numberField("threshold", "0.5", {}, {}, STRATA_TEXT("training", "Threshold"),
                   STRATA_TEXT("training", "Outputs of at least this value are positive"))},
      binaryMatrix);
  list.back().takesEitherTarget = false;
  list.back().wantsProbabilities = true;
  list.back().targets = TargetRange::Unit;
  return list;
}

}  // namespace strata
