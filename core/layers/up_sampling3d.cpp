// SPDX-License-Identifier: Apache-2.0
// UpSampling3D repeats each element along depth, height and width.
// Input: [N,D,H,W,C].
// Output: [N,D size[0],H size[1],W size[2],C].
// Gradient: summed over the copies.
// Numerics: exact.
// Errors: shape_mismatch unless the input has rank 5; too_large.
// Source: Keras 3, keras.layers.UpSampling3D.
#include "core/layers/layer.h"
#include "core/layers/parts.h"

namespace strata {

const LayerDef& upSampling3dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "UpSampling3D",
                 .group = "Shape",
                 .help = STRATA_TEXT("layers", "Upsamples a volume by repeating its elements"),
                 .formula = "y = x with each element repeated size times",
                 .source = "Keras 3, keras.layers.UpSampling3D",
                 .fields = {{.name = "size",
                             .type = FieldType::IntegerOrList,
                             .defaultJson = "[2, 2, 2]",
                             .minimum = 1.0,
                             .maximum = 1024.0,
                             .count = 3,
                             .help = STRATA_TEXT("layers", "Upsampling factor of each dimension"),
                             .title = STRATA_TEXT("layers", "Size")}}},
      .lower = [](LayerContext& context) { return upSampled(context, 3); },
  };
  return definition;
}

}  // namespace strata
