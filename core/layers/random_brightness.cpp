// SPDX-License-Identifier: Apache-2.0
// RandomBrightness adds a random number to each image during training.
// Formula: y = clip(x + u (high - low)); u is uniform in `factor`, low and high come from
//   `value_range`.
// Input: [N,H,W,C].
// Output: the same shape.
// Gradient: derived from its ops.
// Numerics: float32; u depends only on the seed, layer, step and sample.
// Errors: shape_mismatch unless the input has rank 4; out_of_range for wrong `factor` or
//   `value_range`.
// Source: Keras 3, keras.layers.RandomBrightness.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/random_parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerRandomBrightness(LayerContext& context) {
  context.requireRank(4);
  const RandomRange range = rangeOf(context, "factor", -1), values = valueRangeOf(context);
  if (context.mode != StepMode::Train) return context.inputs[0];
  const double size = values.high - values.low;
  const ValueId more = uniformNumbers(context, {context.inputShape()[0], 1, 1, 1}, "factor",
                                      range.low * size, range.high * size);
  return withinRange(context, add(context.graph, context.floatInput(), more));
}

}  // namespace

const LayerDef& randomBrightnessLayer() {
  static const LayerDef definition = {
      .schema = {.type = "RandomBrightness",
                 .group = "Augmentation",
                 .help = STRATA_TEXT("layers",
                                     "Randomly adjusts the brightness of images during training"),
                 .formula = "y = clip(x + u * (high - low)), u in factor",
                 .source = "Keras 3, keras.layers.RandomBrightness",
                 .fields = {rangeField("factor", "0.2", -1, 1,
                                       STRATA_TEXT("layers",
                                                   "Largest change as a fraction of the value "
                                                   "range, or a lower and an upper limit"),
                                       STRATA_TEXT("layers", "Factor")),
                            valueRangeField(), seedField()}},
      .lower = lowerRandomBrightness,
  };
  return definition;
}

}  // namespace strata
