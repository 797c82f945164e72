// SPDX-License-Identifier: Apache-2.0
// Multiply: the product of its inputs. Formula: y = x1 * x2 * ... with broadcasting. Inputs: two or more. Output: the common shape. Gradient: to each input. Numerics: float32,
// in the order of the inputs. Errors: shape_mismatch. Source: Keras 3, keras.layers.Multiply.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerMultiply(LayerContext& context) {
  ValueId product = context.floatInput(0);
  for (size_t i = 1; i < context.inputs.size(); ++i) {
    const Shape& a = context.graph.shape(product);
    const Shape& b = context.inputShape(static_cast<int>(i));
    if (a.rank() != b.rank() || !broadcastShapes(a, b))
      context.fail("shape_mismatch", "inputs", STRATA_TEXT("problem", "the input %1 is %2 (expected %3, as %4). Make both the same size."),
                   {context.inputNames[i], shapeWithoutBatch(b).toString(), shapeWithoutBatch(a).toString(), context.inputNames[0]});
    product = multiply(context.graph, product, context.floatInput(static_cast<int>(i)));
  }
  return product;
}

}  // namespace

const LayerDef& multiplyLayer() {
  static const LayerDef definition = {
      .schema = {.type = "Multiply",
                 .group = "Merge",
                 .help = STRATA_TEXT("layers", "Multiplies its inputs value by value: a gate"),
                 .formula = "y = x1 * x2 * ...",
                 .source = "Keras 3, keras.layers.Multiply",
                 .fields = {}},
      .minInputs = 2,
      .maxInputs = -1,
      .ports = {"x1", "x2"},
      .lower = lowerMultiply,
      .masks = MaskRule::Any,
  };
  return definition;
}

}  // namespace strata
