// SPDX-License-Identifier: Apache-2.0
// AdaptiveMaxPooling3D takes the maximum of a fixed number of windows, whatever the size of the
// input.
// Formula: along the depth, window i covers floor(i D / P) to ceil((i + 1) D / P) - 1. The
//   windows along height and width are computed in the same way.
// Input: [N,D,H,W,C].
// Output: [N,P,Q,R,C]; P, Q and R are `output_size`.
// Gradient: derived from its ops.
// Numerics: exact.
// Errors: shape_mismatch unless the input has rank 5.
// Source: Keras 3, keras.layers.AdaptiveMaxPooling3D; PyTorch, torch.nn.AdaptiveMaxPool3d.
#include "core/layers/layer.h"
#include "core/layers/parts.h"

namespace strata {

const LayerDef& adaptiveMaxPooling3dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "AdaptiveMaxPooling3D",
                 .group = "Pooling",
                 .help = STRATA_TEXT(
                     "layers",
                     "Max pooling to a fixed output size, independent of the size of the input"),
                 .formula =
                     "y_i = max of x from floor(i * n / size) to ceil((i + 1) * n / size) - 1",
                 .source = "Keras 3, keras.layers.AdaptiveMaxPooling3D",
                 .fields = {{.name = "output_size",
                             .type = FieldType::IntegerOrList,
                             .exampleJson = "[4, 4, 4]",
                             .minimum = 1.0,
                             .maximum = 65536.0,
                             .count = 3,
                             .help = STRATA_TEXT("layers", "Depth, height and width of the output"),
                             .title = STRATA_TEXT("layers", "Output size")}}},
      .lower = [](LayerContext& context) { return pooledTo(context, 3, PoolKind::Max); },
  };
  return definition;
}

}  // namespace strata
