// SPDX-License-Identifier: Apache-2.0
// RandomZoom zooms images about their center by a random factor during training.
// Formula: y(p) = x(z p); z - 1 is uniform in `height_factor` or `width_factor`. A z above 1 zooms
//   out.
// Input: [N,H,W,C].
// Output: the same shape.
// Gradient: derived from its ops.
// Numerics: coordinates are float32; z depends only on the seed, layer, step and sample.
// Errors: shape_mismatch unless the input has rank 4; out_of_range for a wrong factor.
// Source: Keras 3, keras.layers.RandomZoom.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/random_parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

FieldSchema widthFactorField() {
  FieldSchema field = rangeField(
      "width_factor", "", -1, 1,
      STRATA_TEXT("layers", "Largest relative change of the width; by default that of the height"),
      STRATA_TEXT("layers", "Width factor"));
  field.defaultJson = "null";
  field.isNullable = true;
  return field;
}

ValueId zoomedAlong(Graph& g, int axis, int64_t cells, ValueId zoom) {
  const double middle = static_cast<double>(cells - 1) / 2;
  return addScalar(g, multiply(g, addScalar(g, gridAlong(g, axis, cells), -middle), zoom), middle);
}

ValueId lowerRandomZoom(LayerContext& context) {
  context.requireRank(4);
  const bool isOne = context.fields.at("width_factor").is_null();
  const RandomRange tall = rangeOf(context, "height_factor", -1),
                    broad = isOne ? tall : rangeOf(context, "width_factor", -1);
  if (context.mode != StepMode::Train) return context.inputs[0];
  Graph& g = context.graph;
  const Shape in = context.inputShape();
  const auto zoom = [&](const char* purpose, const RandomRange& range) {
    return uniformNumbers(context, {in[0], 1, 1}, purpose, 1 + range.low, 1 + range.high);
  };
  const ValueId high = zoom("height_factor", tall),
                wide = isOne ? high : zoom("width_factor", broad);
  return imagesAt(context, context.floatInput(), zoomedAlong(g, 1, in[1], high),
                  zoomedAlong(g, 2, in[2], wide));
}

}  // namespace

const LayerDef& randomZoomLayer() {
  static const LayerDef definition = {
      .schema =
          {.type = "RandomZoom",
           .group = "Augmentation",
           .help = STRATA_TEXT("layers", "Randomly zooms into or out of images during training"),
           .formula = "y(p) = x(z * p), z in 1 + factor",
           .source = "Keras 3, keras.layers.RandomZoom",
           .fields =
               {rangeField(
                    "height_factor", "0.1", -1, 1,
                    STRATA_TEXT(
                        "layers",
                        "Largest relative change of the height, or a lower and an upper limit"),
                    STRATA_TEXT("layers", "Height factor")),
                widthFactorField(), fillModeField(), imageInterpolationField(), seedField(),
                fillValueField()}},
      .lower = lowerRandomZoom,
  };
  return definition;
}

}  // namespace strata
