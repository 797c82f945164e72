// SPDX-License-Identifier: Apache-2.0
// PixelShuffle moves channels into height and width.
// Formula: y[n,h*r+i,w*r+j,c] = x[n,h,w,c*r*r+i*r+j].
// Input: [N,H,W,C r r].
// Output: [N,H r,W r,C].
// Gradient: moved back into the channels.
// Numerics: exact.
// Errors: shape_mismatch unless the input has rank 4 and r^2 divides its channels.
// Source: Shi et al., 2016; PyTorch, torch.nn.PixelShuffle.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerPixelShuffle(LayerContext& context) {
  context.requireRank(4);
  Graph& g = context.graph;
  const Shape in = context.inputShape();
  const int64_t r = context.integer("upscale_factor"), channels = in[3] / (r * r);
  if (channels * r * r != in[3])
    context.fail("shape_mismatch", "upscale_factor",
                 STRATA_TEXT("problem",
                             "the input has %1 channels (expected a multiple of %2, the square of "
                             "upscale_factor). Change one of them."),
                 {std::to_string(in[3]), std::to_string(r * r)});
  const ValueId cells = transpose(
      g, reshape(g, context.inputs[0], {in[0], in[1], in[2], channels, r, r}), {0, 1, 4, 2, 5, 3});
  return reshape(g, cells, {in[0], in[1] * r, in[2] * r, channels});
}

}  // namespace

const LayerDef& pixelShuffleLayer() {
  static const LayerDef definition = {
      .schema = {.type = "PixelShuffle",
                 .group = "Shape",
                 .help = STRATA_TEXT(
                     "layers", "Moves channels into height and width, which enlarges the image"),
                 .formula = "y[h r + i, w r + j, c] = x[h, w, c r r + i r + j]",
                 .source = "Shi et al., 2016; PyTorch, torch.nn.PixelShuffle",
                 .fields = {{.name = "upscale_factor",
                             .type = FieldType::Integer,
                             .exampleJson = "2",
                             .minimum = 1.0,
                             .maximum = 256.0,
                             .help = STRATA_TEXT(
                                 "layers", "Factor for the height and the width of the image"),
                             .title = STRATA_TEXT("layers", "Factor")}}},
      .lower = lowerPixelShuffle,
  };
  return definition;
}

}  // namespace strata
