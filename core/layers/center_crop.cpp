// SPDX-License-Identifier: Apache-2.0
// CenterCrop crops the center of an image. It resizes an image that is smaller than the output.
// Formula: the crop starts at ((H - height) / 2, (W - width) / 2); resizing is bilinear.
// Input: [N,H,W,C].
// Output: [N,height,width,C].
// Gradient: derived from its ops.
// Numerics: cropping is exact, resizing uses float32.
// Errors: shape_mismatch unless the input has rank 4.
// Source: Keras 3, keras.layers.CenterCrop.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerCenterCrop(LayerContext& context) {
  context.requireRank(4);
  const Shape in = context.inputShape();
  const int64_t height = context.integer("height"), width = context.integer("width");
  // If the image is too small, crops the largest centered part with the aspect ratio of the output,
  // then resizes this part.
  if (in[1] < height || in[2] < width) {
    const int64_t rows = std::clamp<int64_t>(in[2] * height / width, 1, in[1]),
                  columns = std::clamp<int64_t>(in[1] * width / height, 1, in[2]);
    const ValueId middle =
        slice(context.graph, context.floatInput(),
              {0, (in[1] - rows) / 2, (in[2] - columns) / 2, 0}, {in[0], rows, columns, in[3]});
    return resampled(context, resampled(context, middle, 1, height), 2, width);
  }
  return slice(context.graph, context.inputs[0], {0, (in[1] - height) / 2, (in[2] - width) / 2, 0},
               {in[0], height, width, in[3]});
}

}  // namespace

const LayerDef& centerCropLayer() {
  static const LayerDef definition = {
      .schema = {.type = "CenterCrop",
                 .group = "Preprocessing",
                 .help = STRATA_TEXT("layers", "Crops the center of an image"),
                 .formula = "y = x[(H - height) / 2 .., (W - width) / 2 ..]",
                 .source = "Keras 3, keras.layers.CenterCrop",
                 .fields = {outputSizeField("height", "24",
                                            STRATA_TEXT("layers", "Height of the output"),
                                            STRATA_TEXT("layers", "Height")),
                            outputSizeField("width", "24",
                                            STRATA_TEXT("layers", "Width of the output"),
                                            STRATA_TEXT("layers", "Width"))}},
      .lower = lowerCenterCrop,
  };
  return definition;
}

}  // namespace strata
