// SPDX-License-Identifier: Apache-2.0
// RandomErasing fills a random rectangle of each image during training.
// Formula: each side of the rectangle is sqrt(s) times that of the image, with s uniform in
//   `scale`. An image is changed with a probability drawn from `factor`.
// Input: [N,H,W,C].
// Output: the same shape.
// Gradient: passes through the values that are not erased.
// Numerics: the rectangle depends only on the seed, layer, step and sample.
// Errors: shape_mismatch for an input of another rank or a wrong `fill_value`; out_of_range for
//   wrong `factor`, `scale` or `value_range`.
// Source: Zhong et al., 2017; Keras 3, keras.layers.RandomErasing.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/random_parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

FieldSchema erasingField(const char* value, FieldSchema field) {
  field.defaultJson = value;
  return field;
}

/// Returns 1 inside a random interval along an axis, otherwise 0.
ValueId insideAlong(LayerContext& context, int axis, const RandomRange& scale) {
  Graph& g = context.graph;
  const Shape in = context.inputShape();
  const auto cells = static_cast<double>(in[axis]);
  const std::string name = axis == 1 ? "height" : "width";
  const ValueId size = multiplyScalar(
      g, sqrt(g, uniformNumbers(context, {in[0], 1, 1}, name.c_str(), scale.low, scale.high)),
      cells);
  const ValueId first =
      multiply(g, uniformNumbers(context, {in[0], 1, 1}, (name + ".from").c_str()),
               affine(g, size, -1, cells));
  const ValueId at = gridAlong(g, axis, in[axis]);
  return multiply(g, greaterEqual(g, at, first), less(g, at, add(g, first, size)));
}

ValueId lowerRandomErasing(LayerContext& context) {
  context.requireRank(4);
  const Shape in = context.inputShape();
  const RandomRange factor = rangeOf(context, "factor", 0), scale = rangeOf(context, "scale", 0),
                    values = valueRangeOf(context);
  const Json& given = context.fields.at("fill_value");
  if (!given.is_null() && given.size() != 1 && static_cast<int64_t>(given.size()) != in[3])
    context.fail(
        "shape_mismatch", "fill_value",
        STRATA_TEXT("problem",
                    "%1 has %2 numbers (expected 1 or %3, one per input channel). Change %1."),
        {"fill_value", std::to_string(given.size()), std::to_string(in[3])});
  if (context.mode != StepMode::Train) return context.inputs[0];
  Graph& g = context.graph;
  const ValueId isFilled =
      less(g, uniformNumbers(context, {in[0], 1, 1}, "chance"),
           uniformNumbers(context, {in[0], 1, 1}, "factor", factor.low, factor.high));
  const ValueId inside = multiply(
      g, multiply(g, insideAlong(context, 1, scale), insideAlong(context, 2, scale)), isFilled);
  ValueId fill;
  if (given.is_null())
    fill = multiplyScalar(g, normalNumbers(context, in, "fill"), values.high);
  else
    fill = g.addConstant(
        Tensor::from<float>({static_cast<int64_t>(given.size())}, given.get<std::vector<float>>()));
  return select(g, reshape(g, inside, {in[0], in[1], in[2], 1}), withinRange(context, fill),
                context.floatInput());
}

}  // namespace

const LayerDef& randomErasingLayer() {
  static const LayerDef definition = {
      .schema =
          {.type = "RandomErasing",
           .group = "Augmentation",
           .help =
               STRATA_TEXT("layers", "Randomly erases a rectangle of each image during training"),
           .formula = "y = fill inside a rectangle, else x",
           .source = "Keras 3, keras.layers.RandomErasing",
           .fields =
               {erasingField("1.0",
                             rangeField("factor", "", 0, 1,
                                        STRATA_TEXT("layers",
                                                    "Maximum probability of erasing part of an "
                                                    "image, or a lower and an upper limit"),
                                        STRATA_TEXT("layers", "Factor"))),
                erasingField(
                    "[0.02, 0.33]",
                    rangeField(
                        "scale", "", 0, 1,
                        STRATA_TEXT(
                            "layers", "Lower and upper limit of the erased fraction of the image"),
                        STRATA_TEXT("layers", "Scale"))),
                {.name = "fill_value",
                 .type = FieldType::NumberList,
                 .defaultJson = "null",
                 .isNullable = true,
                 .help = STRATA_TEXT(
                     "layers",
                     "Value to fill with: one number, or one per channel; by default random noise"),
                 .title = STRATA_TEXT("layers", "Fill value")},
                valueRangeField(),
                seedField()}},
      .lower = lowerRandomErasing,
  };
  return definition;
}

}  // namespace strata
