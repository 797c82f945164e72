// SPDX-License-Identifier: Apache-2.0
// Concatenate joins its inputs along an axis. core/model rejects axis 0, because a network needs
// one output row per sample.
// Formula: y = [x1, x2, ...].
// Inputs: two or more, with equal shapes except along the axis.
// Output: the size along the axis is the sum of the inputs' sizes.
// Gradient: split along the axis.
// Numerics: exact.
// Errors: out_of_range for a wrong axis; shape_mismatch if the inputs differ along another axis.
// Source: Keras 3, keras.layers.Concatenate.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

/// Sets the mask of the output. Concatenation along the last axis combines the masks: a step counts
/// if it counts in any input. Concatenation along another axis concatenates the masks.
void joinMasks(LayerContext& context, int64_t axis) {
  Graph& g = context.graph;
  bool hasMask = false, hasAll = true;
  for (size_t i = 0; i < context.inputs.size(); ++i) {
    hasMask = hasMask || context.mask(static_cast<int>(i)).isValid();
    hasAll = hasAll && context.mask(static_cast<int>(i)).isValid();
  }
  const bool isLast = axis == context.inputShape().rank() - 1;
  if (!hasMask || (isLast && !hasAll)) return;
  std::vector<ValueId> masks;
  for (size_t i = 0; i < context.inputs.size(); ++i) {
    const ValueId mask = context.mask(static_cast<int>(i));
    const Shape shape = context.inputShape(static_cast<int>(i)).without(-1);
    masks.push_back(mask.isValid() ? mask : constantFill(g, {DType::F32, shape}, 1));
    if (g.shape(masks.back()) != shape) return;
  }
  if (!isLast) {
    context.outputMask = concatenate(g, masks, static_cast<int>(axis));
    return;
  }
  context.outputMask = masks[0];
  for (size_t i = 1; i < masks.size(); ++i)
    context.outputMask = maximum(g, context.outputMask, masks[i]);
}

ValueId lowerConcatenate(LayerContext& context) {
  const Shape& first = context.inputShape();
  const int64_t given = context.integer("axis");
  const int64_t axis = given < 0 ? given + first.rank() : given;
  if (axis < 0 || axis >= first.rank())
    context.fail(
        "out_of_range", "axis",
        STRATA_TEXT("problem",
                    "axis is %1 (expected 1 to %2, or -1 for the last dimension). Set it to -1."),
        {std::to_string(given), std::to_string(first.rank() - 1)},
        {context.setFieldFix("axis", "-1")});
  std::vector<ValueId> parts;
  for (size_t i = 0; i < context.inputs.size(); ++i) {
    const Shape& shape = context.inputShape(static_cast<int>(i));
    bool meets = shape.rank() == first.rank();
    for (int d = 0; meets && d < shape.rank(); ++d)
      meets = d == axis || shape[d] == first[d];
    if (!meets)
      context.fail(
          "shape_mismatch", "inputs",
          STRATA_TEXT("problem",
                      "the input %1 has the shape %2 (expected %3 as in %5, except along axis %4). "
                      "Make all other sizes equal."),
          {context.inputNames[i], shapeWithoutBatch(shape).toString(),
           shapeWithoutBatch(first).toString(), std::to_string(given), context.inputNames[0]});
    parts.push_back(context.floatInput(static_cast<int>(i)));
  }
  joinMasks(context, axis);
  return concatenate(context.graph, parts, static_cast<int>(axis));
}

}  // namespace

const LayerDef& concatenateLayer() {
  static const LayerDef definition = {
      .schema =
          {.type = "Concatenate",
           .group = "Merge",
           .help = STRATA_TEXT("layers", "Concatenates its inputs along a dimension"),
           .formula = "y = [x1, x2, ...]",
           .source = "Keras 3, keras.layers.Concatenate",
           .fields = {{.name = "axis",
                       .type = FieldType::Integer,
                       .defaultJson = "-1",
                       .minimum = -7.0,
                       .maximum = 7.0,
                       .help = STRATA_TEXT(
                           "layers",
                           "Dimension to concatenate along; 0 is the batch, -1 the last dimension"),
                       .title = STRATA_TEXT("layers", "Axis")}}},
      .minInputs = 2,
      .maxInputs = -1,
      .ports = {"x1", "x2"},
      .lower = lowerConcatenate,
  };
  return definition;
}

}  // namespace strata
