// SPDX-License-Identifier: Apache-2.0
// Resizing: an image of another size. Formula: lines between the cells (bilinear, half-pixel centers) or the nearest cell. Input: [N,H,W,C]. Output:
// [N,height,width,C]. Gradient: by its ops. Numerics: float32. Errors: shape_mismatch. Source: Keras 3, keras.layers.Resizing.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerResizing(LayerContext& context) {
  context.requireRank(4);
  const bool isBilinear = context.string("interpolation") == "bilinear";
  const ValueId rows = resampled(context, context.floatInput(), 1, context.integer("height"), isBilinear);
  return resampled(context, rows, 2, context.integer("width"), isBilinear);
}

}  // namespace

const LayerDef& resizingLayer() {
  static const LayerDef definition = {
      .schema = {.type = "Resizing",
                 .group = "Preprocessing",
                 .help = STRATA_TEXT("layers", "Brings images to another size"),
                 .formula = "y = x between its cells",
                 .source = "Keras 3, keras.layers.Resizing",
                 .fields = {outputSizeField("height", "32", STRATA_TEXT("layers", "Height of the output"), STRATA_TEXT("layers", "Height")),
                            outputSizeField("width", "32", STRATA_TEXT("layers", "Width of the output"), STRATA_TEXT("layers", "Width")),
                            {.name = "interpolation",
                             .type = FieldType::Choice,
                             .defaultJson = "\"bilinear\"",
                             .choices = {"bilinear", "nearest"},
                             .help = STRATA_TEXT("layers", "bilinear: straight lines between the cells; nearest: the nearest cell"),
                             .title = STRATA_TEXT("layers", "Interpolation")}}},
      .lower = lowerResizing,
  };
  return definition;
}

}  // namespace strata
