// SPDX-License-Identifier: Apache-2.0
// Normalization normalizes values with a mean and a variance. Both are fields, or are computed from
// the training data. A field contains one number, or one number per position along `axis` as nested
// lists.
// Formula: y = (x - mean) / max(sqrt(variance), 1e-7). With `invert`, y = x max(sqrt(variance),
//   1e-7) + mean.
// Input: [N, ...].
// Output: the same shape.
// Variables: `mean` and `variance`, if they are computed from the data.
// Gradient: divided by max(sqrt(variance), 1e-7). With `invert`, multiplied by this number.
// Numerics: float32.
// Errors: shape_mismatch if mean or variance does not match the input; missing_field if only one is
//   set; not_adaptable unless the input is an Input layer.
// Source: Keras 3, keras.layers.Normalization.
#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/layers/adapted.h"
#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

void appendNumbers(const Json& value, std::vector<float>& values) {
  if (!value.is_array()) return values.push_back(value.get<float>());
  for (const Json& item : value)
    appendNumbers(item, values);
}

/// Returns the mean, or with `isVariance` the standard deviation (at least 1e-7), from a field. The
/// result broadcasts over the input. The field has one number, or one per position along the axes
/// or along the last of them.
ValueId statistic(LayerContext& context, const char* field, bool isVariance) {
  Graph& g = context.graph;
  const Shape in = context.inputShape();
  std::vector<int64_t> axes, sizes;
  if (!context.fields.at("axis").is_null()) axes = axesOf(context, "axis", true);
  for (const int64_t axis : axes)
    sizes.push_back(in[static_cast<int>(axis)]);
  std::vector<float> values;
  appendNumbers(context.fields.at(field), values);
  std::vector<int64_t> given = *sizesOfLists(context.fields.at(field));
  if (values.size() == 1)
    given.clear();
  else if (given.size() == 1 && given[0] == Shape(sizes).numElements())
    given = sizes;
  Shape wide = in;
  for (int i = 0; i < in.rank(); ++i)
    wide.set(i, 1);
  bool meets = given.size() <= axes.size();
  // The dimensions of the field's value must match the last axes.
  for (size_t i = 1; meets && i <= given.size(); ++i) {
    const int64_t size = given[given.size() - i];
    meets = size == 1 || size == sizes[sizes.size() - i];
    wide.set(static_cast<int>(axes[axes.size() - i]), size);
  }
  if (!meets || wide.numElements() != static_cast<int64_t>(values.size()))
    context.fail("shape_mismatch", field,
                 STRATA_TEXT("problem",
                             "%1 has the shape %2 (expected one number, or the shape %3 of the "
                             "input along axis). Change %1."),
                 {field, Shape(given).toString(), Shape(sizes).toString()});
  if (isVariance)
    for (float& value : values)
      value = std::max(std::sqrt(value), 1e-7f);
  return g.addConstant(Tensor::from<float>(wide, values));
}

/// Creates a variable for a mean or variance that is computed from the training data. Returns the
/// mean or the standard deviation (at least 1e-7), which broadcasts over the input.
ValueId adaptedStatistic(LayerContext& context, const char* path,
                         Adaptation::Statistic statistic_) {
  Graph& g = context.graph;
  const Shape in = context.inputShape();
  Shape sizes, wide = in;
  for (int i = 0; i < in.rank(); ++i)
    wide.set(i, 1);
  std::vector<int64_t> axes;
  if (!context.fields.at("axis").is_null()) axes = axesOf(context, "axis", true);
  for (const int64_t axis : axes) {
    sizes.append(in[static_cast<int>(axis)]);
    wide.set(static_cast<int>(axis), in[static_cast<int>(axis)]);
  }
  const ValueId value = reshape(g, adaptedVariable(context, path, sizes, {statistic_, axes}), wide);
  if (statistic_ == Adaptation::Statistic::Mean) return value;
  return maximum(g, sqrt(g, value), constantScalar(g, DType::F32, 1e-7));
}

ValueId lowerNormalization(LayerContext& context) {
  Graph& g = context.graph;
  const bool isAdapted = context.fields.at("mean").is_null();
  if (isAdapted != context.fields.at("variance").is_null())
    context.fail("missing_field", isAdapted ? "mean" : "variance",
                 STRATA_TEXT("problem",
                             "only one of mean and variance is set (expected both, or neither to "
                             "compute them from the data). Set %1."),
                 {isAdapted ? "mean" : "variance"});
  const ValueId mean = isAdapted ? adaptedStatistic(context, "mean", Adaptation::Statistic::Mean)
                                 : statistic(context, "mean", false);
  const ValueId deviation =
      isAdapted ? adaptedStatistic(context, "variance", Adaptation::Statistic::Variance)
                : statistic(context, "variance", true);
  const ValueId x = context.floatInput();
  return context.boolean("invert") ? add(g, multiply(g, x, deviation), mean)
                                   : divide(g, subtract(g, x, mean), deviation);
}

}  // namespace

const LayerDef& normalizationLayer() {
  static const LayerDef definition = {
      .schema =
          {.type = "Normalization",
           .group = "Preprocessing",
           .help = STRATA_TEXT("layers",
                               "Normalizes values with a given mean and variance, or with those of "
                               "the training data"),
           .formula = "y = (x - mean) / sqrt(variance)",
           .source = "Keras 3, keras.layers.Normalization",
           .fields =
               {{.name = "axis",
                 .type = FieldType::IntegerOrList,
                 .defaultJson = "-1",
                 .minimum = -7.0,
                 .maximum = 7.0,
                 .isNullable = true,
                 .help = STRATA_TEXT("layers",
                                     "Dimensions with a separate mean and variance; none: one mean "
                                     "and variance for all values"),
                 .title = STRATA_TEXT("layers", "Axis")},
                {.name = "mean",
                 .type = FieldType::NumberList,
                 .defaultJson = "null",
                 .isNullable = true,
                 .isNested = true,
                 .help = STRATA_TEXT("layers",
                                     "Mean: one number, or one per position along axis; by default "
                                     "computed from the training data"),
                 .title = STRATA_TEXT("layers", "Mean")},
                {.name = "variance",
                 .type = FieldType::NumberList,
                 .defaultJson = "null",
                 .minimum = 0.0,
                 .isNullable = true,
                 .isNested = true,
                 .help = STRATA_TEXT("layers",
                                     "Variance: one number, or one per position along axis; by "
                                     "default computed from the training data"),
                 .title = STRATA_TEXT("layers", "Variance")},
                switchField(
                    "invert", "false",
                    STRATA_TEXT(
                        "layers",
                        "Undo the normalization: map values back to the given mean and variance"),
                    STRATA_TEXT("layers", "Invert"))}},
      .lower = lowerNormalization,
      .masks = MaskRule::Kept,
  };
  return definition;
}

}  // namespace strata
