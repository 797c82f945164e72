// SPDX-License-Identifier: Apache-2.0
// RandomTranslation shifts images by a random distance during training.
// Formula: y(p) = x(p - d); d is uniform in `height_factor` or `width_factor` times the size.
// Input: [N,H,W,C].
// Output: the same shape.
// Gradient: derived from its ops.
// Numerics: coordinates are float32; d depends only on the seed, layer, step and sample.
// Errors: shape_mismatch unless the input has rank 4; out_of_range for a wrong factor.
// Source: Keras 3, keras.layers.RandomTranslation.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/random_parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerRandomTranslation(LayerContext& context) {
  context.requireRank(4);
  const RandomRange down = rangeOf(context, "height_factor", -1),
                    aside = rangeOf(context, "width_factor", -1);
  if (context.mode != StepMode::Train) return context.inputs[0];
  Graph& g = context.graph;
  const Shape in = context.inputShape();
  const auto moved = [&](const char* purpose, int axis, const RandomRange& range) {
    const auto size = static_cast<double>(in[axis]);
    return subtract(
        g, gridAlong(g, axis, in[axis]),
        uniformNumbers(context, {in[0], 1, 1}, purpose, range.low * size, range.high * size));
  };
  return imagesAt(context, context.floatInput(), moved("height_factor", 1, down),
                  moved("width_factor", 2, aside));
}

}  // namespace

const LayerDef& randomTranslationLayer() {
  static const LayerDef definition = {
      .schema = {.type = "RandomTranslation",
                 .group = "Augmentation",
                 .help = STRATA_TEXT("layers", "Randomly shifts images during training"),
                 .formula = "y(p) = x(p - d), d in factor * size",
                 .source = "Keras 3, keras.layers.RandomTranslation",
                 .fields = {rangeField("height_factor", "0.1", -1, 1,
                                       STRATA_TEXT("layers",
                                                   "Largest vertical shift as a fraction of the "
                                                   "height, or a lower and an upper limit"),
                                       STRATA_TEXT("layers", "Height factor")),
                            rangeField("width_factor", "0.1", -1, 1,
                                       STRATA_TEXT("layers",
                                                   "Largest horizontal shift as a fraction of the "
                                                   "width, or a lower and an upper limit"),
                                       STRATA_TEXT("layers", "Width factor")),
                            fillModeField(), imageInterpolationField(), seedField(),
                            fillValueField()}},
      .lower = lowerRandomTranslation,
  };
  return definition;
}

}  // namespace strata
