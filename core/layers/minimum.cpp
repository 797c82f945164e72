// SPDX-License-Identifier: Apache-2.0
// Minimum: y = min(x1, x2, ...) with broadcasting. Inputs: two or more. Output: the common shape.
// Gradient: from its ops. Numerics: float32, in the order of the inputs. Errors: shape_mismatch.
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
