// SPDX-License-Identifier: Apache-2.0
// Rescaling: values to another range. Formula: y = x * scale + offset. Input: any, integers too. Output: the same shape, float32. Gradient: scaled. Numerics: float32.
// Errors: none. Source: Keras 3, keras.layers.Rescaling.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerRescaling(LayerContext& context) {
  return affine(context.graph, context.inputs[0], context.number("scale"), context.number("offset"));
}

}  // namespace

const LayerDef& rescalingLayer() {
  static const LayerDef definition = {
      .schema = {.type = "Rescaling",
                 .group = "Preprocessing",
                 .help = STRATA_TEXT("layers", "Brings values to another range, such as 0..255 to 0..1"),
                 .formula = "y = x * scale + offset",
                 .source = "Keras 3, keras.layers.Rescaling",
                 .fields = {{.name = "scale",
                             .type = FieldType::Number,
                             .exampleJson = "0.00392156862745098",
                             .help = STRATA_TEXT("layers", "Factor"),
                             .title = STRATA_TEXT("layers", "Scale")},
                            {.name = "offset",
                             .type = FieldType::Number,
                             .defaultJson = "0.0",
                             .help = STRATA_TEXT("layers", "Added after it"),
                             .title = STRATA_TEXT("layers", "Offset")}}},
      .lower = lowerRescaling,
      .masks = MaskRule::Kept,
  };
  return definition;
}

}  // namespace strata
