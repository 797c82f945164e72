// SPDX-License-Identifier: Apache-2.0
// Activation applies a function to each value. Softmax and similar functions work along an axis.
// Formula: that of the chosen activation.
// Input: any shape.
// Output: the same shape.
// Gradient: that of the chosen activation.
// Numerics: float32; softmax does not overflow.
// Errors: out_of_range for an axis that the input does not have, or for glu along the batch;
//   shape_mismatch for glu along an axis of odd size.
// Source: Keras 3, keras.layers.Activation.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerActivation(LayerContext& context) { return context.activate(context.floatInput()); }

}  // namespace

const LayerDef& activationLayer() {
  static const LayerDef definition = {
      .schema = {.type = "Activation",
                 .group = "Activation",
                 .help = STRATA_TEXT("layers", "Applies an activation function to each value"),
                 .formula = "y = activation(x)",
                 .source = "Keras 3, keras.layers.Activation",
                 .fields = {activationField("")}},
      .lower = lowerActivation,
      .masks = MaskRule::Kept,
  };
  return definition;
}

}  // namespace strata
