// SPDX-License-Identifier: Apache-2.0
// Minimum computes the element-wise minimum of its inputs.
// Formula: y = min(x1, x2, ...) with broadcasting.
// Inputs: two or more.
// Output: the broadcast shape of the inputs.
// Gradient: derived from its ops.
// Numerics: exact.
// Errors: shape_mismatch if the inputs do not broadcast.
// Source: Keras 3, keras.layers.Minimum.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerMinimum(LayerContext& context) { return mergedWhereCounted(context, minimum); }

}  // namespace

const LayerDef& minimumLayer() {
  static const LayerDef definition = {
      .schema = {.type = "Minimum",
                 .group = "Merge",
                 .help = STRATA_TEXT("layers", "Takes the element-wise minimum of its inputs"),
                 .formula = "y = min(x1, x2, ...)",
                 .source = "Keras 3, keras.layers.Minimum",
                 .fields = {}},
      .minInputs = 2,
      .maxInputs = -1,
      .ports = {"x1", "x2"},
      .lower = lowerMinimum,
      .masks = MaskRule::Any,
  };
  return definition;
}

}  // namespace strata
