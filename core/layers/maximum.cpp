// SPDX-License-Identifier: Apache-2.0
// Maximum: y = max(x1, x2, ...) with broadcasting. Inputs: two or more. Output: the common shape.
// Gradient: from its ops. Numerics: float32, in the order of the inputs. Errors: shape_mismatch.
// Source: Keras 3, keras.layers.Maximum.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerMaximum(LayerContext& context) { return mergedWhereCounted(context, maximum); }

}  // namespace

const LayerDef& maximumLayer() {
  static const LayerDef definition = {
      .schema = {.type = "Maximum",
                 .group = "Merge",
                 .help = STRATA_TEXT("layers", "Takes the element-wise maximum of its inputs"),
                 .formula = "y = max(x1, x2, ...)",
                 .source = "Keras 3, keras.layers.Maximum",
                 .fields = {}},
      .minInputs = 2,
      .maxInputs = -1,
      .ports = {"x1", "x2"},
      .lower = lowerMaximum,
      .masks = MaskRule::Any,
  };
  return definition;
}

}  // namespace strata
