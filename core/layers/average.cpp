// SPDX-License-Identifier: Apache-2.0
// Average computes the element-wise mean of its inputs.
// Formula: y = (x1 + x2 + ...) / count with broadcasting.
// Inputs: two or more.
// Output: the broadcast shape of the inputs.
// Gradient: derived from its ops.
// Numerics: float32 sums in the order of the inputs.
// Errors: shape_mismatch if the inputs do not broadcast.
// Source: Keras 3, keras.layers.Average.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerAverage(LayerContext& context) {
  const std::vector<ValueId> inputs = mergeInputs(context);
  ValueId sum = inputs[0];
  for (size_t i = 1; i < inputs.size(); ++i)
    sum = add(context.graph, sum, inputs[i]);
  return multiplyScalar(context.graph, sum, 1.0 / static_cast<double>(inputs.size()));
}

}  // namespace

const LayerDef& averageLayer() {
  static const LayerDef definition = {
      .schema = {.type = "Average",
                 .group = "Merge",
                 .help = STRATA_TEXT("layers", "Averages its inputs"),
                 .formula = "y = (x1 + x2 + ...) / count",
                 .source = "Keras 3, keras.layers.Average",
                 .fields = {}},
      .minInputs = 2,
      .maxInputs = -1,
      .ports = {"x1", "x2"},
      .lower = lowerAverage,
      .masks = MaskRule::Any,
  };
  return definition;
}

}  // namespace strata
