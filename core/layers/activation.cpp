// SPDX-License-Identifier: Apache-2.0
// Activation: a function applied to each value. Formula: the activation's. Input: any. Output: the
// same shape. Gradient: the activation's. Numerics: softmax is stable. Errors: none. Source: Keras
// 3, keras.layers.Activation.
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
