// SPDX-License-Identifier: Apache-2.0
// RandomContrast changes the contrast of each image by a random factor during training.
// Formula: y = clip((x - mean_c) f + mean_c); mean_c is the mean of a channel, f is uniform between
//   1 - lower and 1 + upper.
// Input: [N,H,W,C].
// Output: the same shape.
// Gradient: derived from its ops.
// Numerics: float32; f depends only on the seed, layer, step and sample.
// Errors: shape_mismatch unless the input has rank 4; out_of_range for wrong `factor` or
//   `value_range`.
// Source: Keras 3, keras.layers.RandomContrast.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/random_parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerRandomContrast(LayerContext& context) {
  context.requireRank(4);
  const RandomRange range = rangeOf(context, "factor", 0);
  valueRangeOf(context);
  if (context.mode != StepMode::Train) return context.inputs[0];
  Graph& g = context.graph;
  const ValueId factor = uniformNumbers(context, {context.inputShape()[0], 1, 1, 1}, "factor",
                                        1 - range.low, 1 + range.high);
  const ValueId x = context.floatInput(), mean = reduceMean(g, x, {1, 2}, true);
  return withinRange(context, add(g, multiply(g, subtract(g, x, mean), factor), mean));
}

}  // namespace

const LayerDef& randomContrastLayer() {
  static const LayerDef definition = {
      .schema =
          {.type = "RandomContrast",
           .group = "Augmentation",
           .help = STRATA_TEXT("layers", "Randomly adjusts the contrast of images during training"),
           .formula = "y = clip((x - mean_c) * f + mean_c), f in 1 - lower .. 1 + upper",
           .source = "Keras 3, keras.layers.RandomContrast",
           .fields =
               {rangeField(
                    "factor", "0.2", 0, 1,
                    STRATA_TEXT(
                        "layers",
                        "Largest relative change of the contrast, or a lower and an upper limit"),
                    STRATA_TEXT("layers", "Factor")),
                valueRangeField(), seedField()}},
      .lower = lowerRandomContrast,
  };
  return definition;
}

}  // namespace strata
