// SPDX-License-Identifier: Apache-2.0
// RandomCrop crops each image at a random position during training. Otherwise, and for smaller
// images, it crops the center and resizes it.
// Formula: y = x[r : r + height, c : c + width]; r and c are uniform.
// Input: [N,H,W,C].
// Output: [N,height,width,C].
// Gradient: goes to the cropped elements.
// Numerics: exact during training, otherwise bilinear; r and c depend only on the seed, layer, step
//   and sample.
// Errors: shape_mismatch unless the input has rank 4.
// Source: the documentation of Keras 3, keras.layers.RandomCrop. Keras 3.15 itself returns images
//   unchanged outside training (issue 21868).
#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/random_parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerRandomCrop(LayerContext& context) {
  context.requireRank(4);
  Graph& g = context.graph;
  const Shape in = context.inputShape();
  const int64_t height = context.integer("height"), width = context.integer("width");
  if (context.mode == StepMode::Train && in[1] >= height && in[2] >= width) {
    if (in[1] == height && in[2] == width) return context.inputs[0];
    const auto from = [&](const char* purpose, int axis, int64_t size) {
      const ValueId first = floor(g, uniformNumbers(context, {in[0], 1, 1}, purpose, 0,
                                                    static_cast<double>(in[axis] - size + 1)));
      const ValueId inside =
          minimum(g, first, constantScalar(g, DType::F32, static_cast<double>(in[axis] - size)));
      return add(g, gridAlong(g, axis, size), inside);
    };
    return imagePixelsAt(context, context.floatInput(), from("row", 1, height),
                         from("column", 2, width));
  }
  // Crops the largest centered part with the aspect ratio of the output, then resizes it.
  const int64_t tall = std::clamp<int64_t>(in[2] * height / width, 1, in[1]),
                wide = std::clamp<int64_t>(in[1] * width / height, 1, in[2]);
  const ValueId piece =
      slice(g, context.floatInput(), {0, (in[1] - tall) / 2, (in[2] - wide) / 2, 0},
            {in[0], tall, wide, in[3]});
  return resampled(context, resampled(context, piece, 1, height), 2, width);
}

}  // namespace

const LayerDef& randomCropLayer() {
  static const LayerDef definition = {
      .schema = {.type = "RandomCrop",
                 .group = "Augmentation",
                 .help = STRATA_TEXT(
                     "layers", "Randomly crops images during training; otherwise crops the center"),
                 .formula = "y = x[r : r + height, c : c + width]",
                 .source = "Keras 3, keras.layers.RandomCrop",
                 .fields = {outputSizeField("height", "24",
                                            STRATA_TEXT("layers", "Height of the output"),
                                            STRATA_TEXT("layers", "Height")),
                            outputSizeField("width", "24",
                                            STRATA_TEXT("layers", "Width of the output"),
                                            STRATA_TEXT("layers", "Width")),
                            seedField()}},
      .lower = lowerRandomCrop,
  };
  return definition;
}

}  // namespace strata
