// SPDX-License-Identifier: Apache-2.0
// Masking: masks steps whose features all equal mask_value, so that later layers skip them.
// Formula: y = x where any feature of the step is not mask_value, else 0.
// Input: [N,T,...,F]. Output: the same shape, with a mask [N,T,...]. Gradient: through the unmasked
// steps. Numerics: exact. Errors: shape_mismatch.
// Source: Keras 3, keras.layers.Masking.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerMasking(LayerContext& context) {
  Graph& g = context.graph;
  const Shape in = context.inputShape();
  if (in.rank() < 3) context.requireRank(3);
  const ValueId x = context.floatInput();
  const ValueId counts = reduceMax(
      g, notEqual(g, x, constantScalar(g, DType::F32, context.number("mask_value"))), {-1});
  context.outputMask = counts;
  Shape wide = in;
  wide.set(in.rank() - 1, 1);
  return multiply(g, x, reshape(g, counts, wide));
}

}  // namespace

const LayerDef& maskingLayer() {
  static const LayerDef definition = {
      .schema = {.type = "Masking",
                 .group = "Shape",
                 .help = STRATA_TEXT("layers",
                                     "Masks time steps that contain only the padding value, so "
                                     "that later layers skip them"),
                 .formula = "y = x at unmasked steps, else 0",
                 .source = "Keras 3, keras.layers.Masking",
                 .fields = {{.name = "mask_value",
                             .type = FieldType::Number,
                             .defaultJson = "0.0",
                             .help =
                                 STRATA_TEXT("layers", "Value that marks a time step as padding"),
                             .title = STRATA_TEXT("layers", "Padding value")}}},
      .lower = lowerMasking,
  };
  return definition;
}

}  // namespace strata
