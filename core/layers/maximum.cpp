// SPDX-License-Identifier: Apache-2.0
// Maximum computes the element-wise maximum of its inputs.
// Formula: y = max(x1, x2, ...) with broadcasting.
// Inputs: two or more.
// Output: the broadcast shape of the inputs.
// Gradient: derived from its ops.
// Numerics: exact.
// Errors: shape_mismatch if the inputs do not broadcast.
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
