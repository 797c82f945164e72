// SPDX-License-Identifier: Apache-2.0
// Flatten reshapes each sample into a vector.
// Formula: y = x in row-major order.
// Input: [N, ...].
// Output: [N, number of elements of a sample].
// Gradient: reshaped to the input's shape.
// Numerics: exact.
// Errors: none.
// Source: Keras 3, keras.layers.Flatten.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerFlatten(LayerContext& context) {
  const int64_t batch = context.inputShape()[0];
  return reshape(context.graph, context.inputs[0],
                 {batch, context.inputShape().numElements() / batch});
}

}  // namespace

const LayerDef& flattenLayer() {
  static const LayerDef definition = {
      .schema = {.type = "Flatten",
                 .group = "Shape",
                 .help = STRATA_TEXT("layers", "Flattens each sample into a vector"),
                 .formula = "y = x in row-major order",
                 .source = "Keras 3, keras.layers.Flatten",
                 .fields = {}},
      .lower = lowerFlatten,
  };
  return definition;
}

}  // namespace strata
