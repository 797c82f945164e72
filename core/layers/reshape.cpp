// SPDX-License-Identifier: Apache-2.0
// Reshape changes the shape of each sample.
// Formula: y = x in row-major order.
// Input: [N, ...].
// Output: [N, target_shape]; one size may be -1, which is computed from the others.
// Gradient: reshaped to the input's shape.
// Numerics: exact.
// Errors: shape_mismatch if the number of elements differs.
// Source: Keras 3, keras.layers.Reshape.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerReshape(LayerContext& context) {
  const Shape in = context.inputShape();
  std::vector<int64_t> target = context.integers("target_shape");
  const int64_t count = in.numElements() / in[0];
  int64_t known = 1;
  int64_t* open = nullptr;
  bool isClear = true;
  for (int64_t& size : target) {
    if (size > 0) {
      isClear = isClear && known <= count;
      if (isClear) known *= size;
    }
    else {
      isClear = isClear && size == -1 && !open;
      open = &size;
    }
  }
  if (!isClear || (open ? count % known != 0 : known != count)) {
    std::string text = "[";
    for (const int64_t size : target)
      text += (text.size() > 1 ? "," : "") + std::to_string(size);
    context.fail(
        "shape_mismatch", "target_shape",
        STRATA_TEXT("problem",
                    "target_shape %1 does not match the %2 values of the input %3 (expected the "
                    "same number of values, with at most one -1). Change target_shape."),
        {text + "]", std::to_string(count), shapeWithoutBatch(in).toString()},
        {context.setFieldFix("target_shape", "[-1]")});
  }
  if (open) *open = count / known;
  Shape out{in[0]};
  for (const int64_t size : target)
    out.append(size);
  return reshape(context.graph, context.inputs[0], out);
}

}  // namespace

const LayerDef& reshapeLayer() {
  static const LayerDef definition = {
      .schema =
          {.type = "Reshape",
           .group = "Shape",
           .help = STRATA_TEXT("layers", "Reshapes each sample"),
           .formula = "y = x in row-major order",
           .source = "Keras 3, keras.layers.Reshape",
           .fields = {{.name = "target_shape",
                       .type = FieldType::Shape,
                       .exampleJson = "[-1]",
                       .minimum = -1.0,
                       .maximum = 1e9,
                       .help = STRATA_TEXT(
                           "layers",
                           "Shape of a sample; one entry may be -1, and its size is then inferred"),
                       .title = STRATA_TEXT("layers", "Target shape")}}},
      .lower = lowerReshape,
  };
  return definition;
}

}  // namespace strata
