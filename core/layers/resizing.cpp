// SPDX-License-Identifier: Apache-2.0
// Resizing resizes images.
// Formula: `interpolation` between the input pixels at half-pixel centers, or the nearest input
//   pixel.
// Input: [N,H,W,C].
// Output: [N,height,width,C].
// Gradient: derived from its ops.
// Numerics: float32.
// Errors: shape_mismatch unless the input has rank 4; out_of_range if both aspect ratio options are
//   set.
// Source: Keras 3, keras.layers.Resizing.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerResizing(LayerContext& context) {
  context.requireRank(4);
  Graph& g = context.graph;
  const Shape in = context.inputShape();
  const int64_t height = context.integer("height"), width = context.integer("width");
  const bool isCropped = context.boolean("crop_to_aspect_ratio"),
             isPadded = context.boolean("pad_to_aspect_ratio");
  if (isCropped && isPadded)
    context.fail("out_of_range", "pad_to_aspect_ratio",
                 STRATA_TEXT("problem",
                             "crop_to_aspect_ratio and pad_to_aspect_ratio are both true (expected "
                             "at most one). Set one of them to false."),
                 {}, {context.setFieldFix("pad_to_aspect_ratio", "false")});
  ValueId x = context.floatInput();
  // Height for the full width, and width for the full height, at the aspect ratio of the output
  const int64_t rows = in[2] * height / width, columns = in[1] * width / height;
  if (isCropped) {
    const int64_t tall = std::clamp<int64_t>(rows, 1, in[1]),
                  wide = std::clamp<int64_t>(columns, 1, in[2]);
    x = slice(g, x, {0, (in[1] - tall) / 2, (in[2] - wide) / 2, 0}, {in[0], tall, wide, in[3]});
  }
  else if (isPadded) {
    const int64_t above = std::max<int64_t>(0, rows - in[1]) / 2,
                  sides = std::max<int64_t>(0, columns - in[2]) / 2;
    context.requireSize({in[0], in[1] + 2 * above, in[2] + 2 * sides, in[3]});
    x = pad(g, x, {0, above, sides, 0}, {0, above, sides, 0}, context.number("fill_value"));
  }
  const std::string method = context.string("interpolation");
  const bool isSmoothed = context.boolean("antialias");
  return resampled(context, resampled(context, x, 1, height, method, isSmoothed), 2, width, method,
                   isSmoothed);
}

}  // namespace

const LayerDef& resizingLayer() {
  static const LayerDef definition = {
      .schema =
          {.type = "Resizing",
           .group = "Preprocessing",
           .help = STRATA_TEXT("layers", "Resizes images"),
           .formula = "y = x interpolated at the new pixel positions",
           .source = "Keras 3, keras.layers.Resizing",
           .fields =
               {outputSizeField("height", "32", STRATA_TEXT("layers", "Height of the output"),
                                STRATA_TEXT("layers", "Height")),
                outputSizeField("width", "32", STRATA_TEXT("layers", "Width of the output"),
                                STRATA_TEXT("layers", "Width")),
                interpolationField("\"bilinear\""),
                switchField(
                    "crop_to_aspect_ratio", "false",
                    STRATA_TEXT("layers",
                                "Crop the image around its center to keep the aspect ratio"),
                    STRATA_TEXT("layers", "Crop to aspect ratio")),
                switchField(
                    "pad_to_aspect_ratio", "false",
                    STRATA_TEXT("layers",
                                "Pad the image equally on both sides to keep the aspect ratio"),
                    STRATA_TEXT("layers", "Pad to aspect ratio")),
                {.name = "fill_mode",
                 .type = FieldType::Choice,
                 .defaultJson = "\"constant\"",
                 .hasOneValue = true,
                 .choices = {"constant"},
                 .help = STRATA_TEXT("layers",
                                     "How to fill the padding; only a constant value is supported"),
                 .title = STRATA_TEXT("layers", "Fill mode")},
                {.name = "fill_value",
                 .type = FieldType::Number,
                 .defaultJson = "0.0",
                 .help = STRATA_TEXT("layers", "Value of the padding"),
                 .title = STRATA_TEXT("layers", "Fill value")},
                switchField("antialias", "false",
                            STRATA_TEXT("layers", "Use anti-aliasing when reducing the image size"),
                            STRATA_TEXT("layers", "Anti-aliasing"))}},
      .lower = lowerResizing,
  };
  return definition;
}

}  // namespace strata
