// SPDX-License-Identifier: Apache-2.0
// Masking masks the steps in which all features equal `mask_value`. Later layers skip these steps.
// Formula: y = 0 in masked steps, otherwise y = x.
// Input: [N,T,...,F].
// Output: the same shape, with a mask [N,T,...].
// Gradient: passes through the unmasked steps.
// Numerics: exact.
// Errors: shape_mismatch unless the input has rank 3 or more.
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
