// SPDX-License-Identifier: Apache-2.0
// Dropout: while training, a share of the values is left out at random. Formula: y = x * kept / (1 - rate); in evaluation y = x. Input: any. Output: the same shape.
// Gradient: through the kept values. Numerics: which values are kept is a function of seed, layer, step, sample and element alone. Errors: shape_mismatch
// (noise_shape). Source: Srivastava et al., 2014; Keras 3, keras.layers.Dropout.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"

namespace strata {

namespace {

ValueId lowerDropout(LayerContext& context) {
  const Shape in = context.inputShape();
  Shape drawn = in;
  if (const Json& sizes = context.fields.at("noise_shape"); !sizes.is_null()) {
    const auto given = severalOf(context, "noise_shape", 1);
    bool fits = static_cast<int>(given.size()) == in.rank();
    for (int i = 0; fits && i < in.rank(); ++i) {
      const int64_t size = given[static_cast<size_t>(i)];
      fits = size == -1 || size == 1 || size == in[i];
      if (size != -1) drawn.set(i, size);
    }
    if (!fits) {
      Json shown = sizes;
      for (Json& size : shown)
        if (size == -1) size = nullptr;
      context.fail("shape_mismatch", "noise_shape",
                   STRATA_TEXT("problem", "noise_shape is %1 (expected null or 1 in place of each of %2). Change it."),
                   {shown.dump(), in.toString()}, {context.setFieldFix("noise_shape", "null")});
    }
  }
  if (!leavesOut(context)) return context.inputs[0];
  const ValueId x = context.floatInput();
  if (drawn == in) return droppedOut(context, x);
  return multiply(context.graph, x, droppedOut(context, constantFill(context.graph, {DType::F32, drawn}, 1)));
}

}  // namespace

const LayerDef& dropoutLayer() {
  static const LayerDef definition = {
      .schema = {.type = "Dropout",
                 .group = "Regularization",
                 .help =
                     STRATA_TEXT("layers", "Leaves out a random share of the values while training, so that no one of them is relied on"),
                 .formula = "y = x * kept / (1 - rate)",
                 .source = "Srivastava et al., 2014; Keras 3, keras.layers.Dropout",
                 .fields = {rateField("0.5", STRATA_TEXT("layers", "Share of the values that is left out")),
                            seedField(),
                            {.name = "noise_shape",
                             .type = FieldType::IntegerOrList,
                             .defaultJson = "null",
                             .minimum = 1.0,
                             .maximum = 1e9,
                             .isNullable = true,
                             .hasNullItems = true,
                             .help = STRATA_TEXT("layers",
                                                 "Sizes of what is drawn, with the batch: along a dimension of 1 all stay or go together; "
                                                 "null: as the input; left out, each value by itself"),
                             .title = STRATA_TEXT("layers", "Noise shape")}}},
      .lower = lowerDropout,
      .masks = MaskRule::Kept,
  };
  return definition;
}

}  // namespace strata
