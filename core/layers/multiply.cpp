// SPDX-License-Identifier: Apache-2.0
// Multiply computes the element-wise product of its inputs.
// Formula: y = x1 * x2 * ... with broadcasting.
// Inputs: two or more.
// Output: the broadcast shape of the inputs.
// Gradient: passed to each input, multiplied by the product of the others.
// Numerics: float32 products in the order of the inputs.
// Errors: shape_mismatch if the inputs do not broadcast.
// Source: Keras 3, keras.layers.Multiply.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerMultiply(LayerContext& context) {
  Graph& g = context.graph;
  std::vector<ValueId> inputs = mergeInputs(context);
  // `counted` is the union of the masks; it is used only if all inputs have a mask
  ValueId product, counted;
  bool haveMasks = true;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ValueId mask = broadcastMask(context, static_cast<int>(i));
    if (mask.isValid()) inputs[i] = select(g, mask, inputs[i], constantScalar(g, DType::F32, 1));
    haveMasks = haveMasks && mask.isValid();
    counted = counted.isValid() && mask.isValid() ? maximum(g, counted, mask) : mask;
    product = i == 0 ? inputs[i] : multiply(g, product, inputs[i]);
  }
  if (haveMasks) product = select(g, counted, product, constantScalar(g, DType::F32, 0));
  return product;
}

}  // namespace

const LayerDef& multiplyLayer() {
  static const LayerDef definition = {
      .schema = {.type = "Multiply",
                 .group = "Merge",
                 .help = STRATA_TEXT("layers",
                                     "Multiplies its inputs element by element, as in a gate"),
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
