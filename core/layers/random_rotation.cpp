// SPDX-License-Identifier: Apache-2.0
// RandomRotation rotates images about their center by a random angle during training.
// Formula: y(p) = x(R p); R rotates by 2 pi u, and u is uniform in `factor`.
// Input: [N,H,W,C].
// Output: the same shape.
// Gradient: derived from its ops.
// Numerics: coordinates are float32; u depends only on the seed, layer, step and sample.
// Errors: shape_mismatch unless the input has rank 4; out_of_range for a wrong `factor`.
// Source: Keras 3, keras.layers.RandomRotation.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/random_parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerRandomRotation(LayerContext& context) {
  context.requireRank(4);
  const RandomRange range = rangeOf(context, "factor", -1);
  if (context.mode != StepMode::Train) return context.inputs[0];
  Graph& g = context.graph;
  const Shape in = context.inputShape();
  const ValueId angle =
      uniformNumbers(context, {in[0], 1, 1}, "angle", range.low * 6.283185307179586,
                     range.high * 6.283185307179586);
  const double middleRow = static_cast<double>(in[1] - 1) / 2,
               middleColumn = static_cast<double>(in[2] - 1) / 2;
  const ValueId c = cos(g, angle), s = sin(g, angle);
  const ValueId y = addScalar(g, gridAlong(g, 1, in[1]), -middleRow),
                x = addScalar(g, gridAlong(g, 2, in[2]), -middleColumn);
  const ValueId row = addScalar(g, add(g, multiply(g, s, x), multiply(g, c, y)), middleRow);
  const ValueId column =
      addScalar(g, subtract(g, multiply(g, c, x), multiply(g, s, y)), middleColumn);
  return imagesAt(context, context.floatInput(), row, column);
}

}  // namespace

const LayerDef& randomRotationLayer() {
  static const LayerDef definition = {
      .schema = {.type = "RandomRotation",
                 .group = "Augmentation",
                 .help = STRATA_TEXT("layers", "Randomly rotates images during training"),
                 .formula = "y(p) = x(R p), R by 2 * pi * u, u in factor",
                 .source = "Keras 3, keras.layers.RandomRotation",
                 .fields = {rangeField("factor", "0.1", -1, 1,
                                       STRATA_TEXT("layers",
                                                   "Largest angle as a fraction of a full turn, or "
                                                   "a lower and an upper limit"),
                                       STRATA_TEXT("layers", "Factor")),
                            fillModeField(), imageInterpolationField(), seedField(),
                            fillValueField()}},
      .lower = lowerRandomRotation,
  };
  return definition;
}

}  // namespace strata
