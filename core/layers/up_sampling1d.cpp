// SPDX-License-Identifier: Apache-2.0
// UpSampling1D repeats each step of a sequence `size` times.
// Input: [N,T,C].
// Output: [N,T size,C].
// Gradient: summed over the copies.
// Numerics: exact.
// Errors: shape_mismatch unless the input has rank 3; too_large.
// Source: Keras 3, keras.layers.UpSampling1D.
#include "core/layers/layer.h"
#include "core/layers/parts.h"

namespace strata {

const LayerDef& upSampling1dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "UpSampling1D",
                 .group = "Shape",
                 .help = STRATA_TEXT("layers", "Upsamples a sequence by repeating its time steps"),
                 .formula = "y = x with each element repeated size times",
                 .source = "Keras 3, keras.layers.UpSampling1D",
                 .fields = {{.name = "size",
                             .type = FieldType::IntegerOrList,
                             .defaultJson = "2",
                             .minimum = 1.0,
                             .maximum = 1024.0,
                             .count = 1,
                             .help = STRATA_TEXT("layers", "Upsampling factor of each dimension"),
                             .title = STRATA_TEXT("layers", "Size")}}},
      .lower = [](LayerContext& context) { return upSampled(context, 1); },
  };
  return definition;
}

}  // namespace strata
