// SPDX-License-Identifier: Apache-2.0
// RandomFlip randomly mirrors images during training.
// Formula: y = x or its mirror image, each with probability 1/2. `mode` chooses left to right, top
//   to bottom, or both independently.
// Input: [N,H,W,C].
// Output: the same shape.
// Gradient: mirrored back.
// Numerics: exact; the choice depends only on the seed, layer, step and sample.
// Errors: shape_mismatch unless the input has rank 4.
// Source: Keras 3, keras.layers.RandomFlip.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/random_parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

/// Returns the coordinates along an axis. If `isFlipped` is set, the coordinates of each sample are
/// mirrored with probability 1/2.
ValueId flippedAlong(LayerContext& context, int axis, bool isFlipped) {
  Graph& g = context.graph;
  const int64_t cells = context.inputShape()[axis];
  const ValueId at = gridAlong(g, axis, cells);
  if (!isFlipped) return at;
  const ValueId isMirrored = lessEqual(g,
                                       uniformNumbers(context, {context.inputShape()[0], 1, 1},
                                                      axis == 1 ? "vertical" : "horizontal"),
                                       constantScalar(g, DType::F32, 0.5));
  return select(g, isMirrored, affine(g, at, -1, static_cast<double>(cells - 1)), at);
}

ValueId lowerRandomFlip(LayerContext& context) {
  context.requireRank(4);
  if (context.mode != StepMode::Train) return context.inputs[0];
  const std::string mode = context.string("mode");
  return imagePixelsAt(context, context.floatInput(),
                       flippedAlong(context, 1, mode != "horizontal"),
                       flippedAlong(context, 2, mode != "vertical"));
}

}  // namespace

const LayerDef& randomFlipLayer() {
  static const LayerDef definition = {
      .schema = {.type = "RandomFlip",
                 .group = "Augmentation",
                 .help = STRATA_TEXT("layers", "Randomly flips images during training"),
                 .formula = "y = x or its mirror image",
                 .source = "Keras 3, keras.layers.RandomFlip",
                 .fields = {{.name = "mode",
                             .type = FieldType::Choice,
                             .defaultJson = "\"horizontal_and_vertical\"",
                             .choices = {"horizontal_and_vertical", "horizontal", "vertical"},
                             .help = STRATA_TEXT(
                                 "layers",
                                 "horizontal: flip left and right; vertical: flip top and bottom"),
                             .title = STRATA_TEXT("layers", "Mode")},
                            seedField()}},
      .lower = lowerRandomFlip,
  };
  return definition;
}

}  // namespace strata
