// SPDX-License-Identifier: Apache-2.0
// Rescaling multiplies by a scale and adds an offset.
// Formula: y = x * scale + offset.
// Input: any shape and type.
// Output: the same shape, float32.
// Gradient: multiplied by the scale.
// Numerics: float32.
// Errors: shape_mismatch if `scale` or `offset` is a list that does not match the last dimension.
// Source: Keras 3, keras.layers.Rescaling.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerRescaling(LayerContext& context) {
  Graph& g = context.graph;
  const int64_t features = context.inputShape().dim(-1);
  const auto numbers = [&](const char* field) {
    std::vector<double> values = context.fields.at(field).get<std::vector<double>>();
    if (values.size() != 1 && static_cast<int64_t>(values.size()) != features)
      context.fail("shape_mismatch", field,
                   STRATA_TEXT("problem",
                               "%1 has %2 numbers (expected 1 or %3, the size of the last input "
                               "dimension). Change %1."),
                   {field, std::to_string(values.size()), std::to_string(features)});
    return values;
  };
  const std::vector<double> scale = numbers("scale"), offset = numbers("offset");
  if (scale.size() == 1 && offset.size() == 1)
    return affine(g, context.inputs[0], scale[0], offset[0]);
  const auto constant = [&](const std::vector<double>& values) {
    return g.addConstant(Tensor::from<float>({static_cast<int64_t>(values.size())},
                                             std::vector<float>(values.begin(), values.end())));
  };
  return add(g, multiply(g, context.floatInput(), constant(scale)), constant(offset));
}

}  // namespace

const LayerDef& rescalingLayer() {
  static const LayerDef definition = {
      .schema =
          {.type = "Rescaling",
           .group = "Preprocessing",
           .help = STRATA_TEXT(
               "layers",
               "Multiplies by a scale and adds an offset, for example to map 0..255 to 0..1"),
           .formula = "y = x * scale + offset",
           .source = "Keras 3, keras.layers.Rescaling",
           .fields =
               {{.name = "scale",
                 .type = FieldType::NumberList,
                 .exampleJson = "0.00392156862745098",
                 .help = STRATA_TEXT(
                     "layers",
                     "Number to multiply by, or one number per position of the last dimension"),
                 .title = STRATA_TEXT("layers", "Scale")},
                {.name = "offset",
                 .type = FieldType::NumberList,
                 .defaultJson = "0.0",
                 .help = STRATA_TEXT("layers",
                                     "Number to add after scaling, or one number per position of "
                                     "the last dimension"),
                 .title = STRATA_TEXT("layers", "Offset")}}},
      .lower = lowerRescaling,
      .masks = MaskRule::Kept,
  };
  return definition;
}

}  // namespace strata
