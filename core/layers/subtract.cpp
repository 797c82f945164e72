// SPDX-License-Identifier: Apache-2.0
// Subtract subtracts its second input from its first.
// Formula: y = x1 - x2 with broadcasting.
// Inputs: two.
// Output: the broadcast shape of the inputs.
// Gradient: derived from its ops.
// Numerics: float32.
// Errors: shape_mismatch if the inputs do not broadcast.
// Source: Keras 3, keras.layers.Subtract.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerSubtract(LayerContext& context) {
  const std::vector<ValueId> inputs = mergeInputs(context);
  return subtract(context.graph, inputs[0], inputs[1]);
}

}  // namespace

const LayerDef& subtractLayer() {
  static const LayerDef definition = {
      .schema = {.type = "Subtract",
                 .group = "Merge",
                 .help = STRATA_TEXT("layers", "Subtracts the second input from the first"),
                 .formula = "y = x1 - x2",
                 .source = "Keras 3, keras.layers.Subtract",
                 .fields = {}},
      .minInputs = 2,
      .maxInputs = 2,
      .ports = {"x1", "x2"},
      .lower = lowerSubtract,
      .masks = MaskRule::Any,
  };
  return definition;
}

}  // namespace strata
